import Foundation
import OffersCore

extension ImageLoader {
  /// The image of an offer for a list.
  ///
  /// - An image that is no wider than `ImageCacheLimits.thumbnailWidth` and has at most 64 KiB is returned as it
  ///   is. Of any other a copy is made, once for all callers, and stored in the row of the image.
  /// - If no copy can be made, because the image is damaged or takes too much time or memory, or if the copy
  ///   has no fewer bytes than the image, the image is returned if it has at most 256 KiB. The reason is
  ///   stored, so that the same image is not tried again before its server confirms it after a day without
  ///   a request.
  /// - Without a scaler, or one for the image's format, every image is returned as it is.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`; `OffersError` with `limitExceeded` for a larger image of which
  ///   no copy can be made.
  public func thumbnail(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    let url = offer.imageURLText ?? ""
    if scaler == nil { return try await image(at: url, feedSource: feedSource) }
    // The image itself is read only if there is no copy yet.
    if let stored = try await images.findThumbnail(of: url),
      ImageCacheLimits.isFresh(fetchedAt: stored.fetchedAt, until: stored.freshUntil, at: now()),
      let found = try Self.image(stored, url)
    {
      return found
    }
    let image = try await image(at: url, feedSource: feedSource)
    return Self.isCopied(image) ? try await makeThumbnail(of: image, in: offer.ref.feed) : image
  }

  private static func isCopied(_ image: CachedImage) -> Bool {
    image.header.width > ImageCacheLimits.thumbnailWidth
      || image.bytes.count > ImageCacheLimits.copiedBytes
  }

  /// The stored copy; nil if the image itself is to be returned.
  ///
  /// - Throws: `OffersError` with `limitExceeded` if the image has no copy and is too large for a list.
  private static func image(_ stored: StoredThumbnail, _ url: String) throws -> CachedImage? {
    switch stored.content {
    case .copy(let bytes):
      return CachedImage(
        url: url, bytes: bytes, header: try ImageHeader(reading: bytes),
        fetchedAt: stored.fetchedAt,
        freshUntil: stored.freshUntil)
    case .problem(let reason):
      if stored.imageBytes <= ImageCacheLimits.thumbnailBytes { return nil }
      throw refusal(url, reason)
    }
  }

  private static func refusal(_ url: String, _ reason: String) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) is too large for a list, and has no smaller copy: \(reason)")
  }

  /// Makes the small copy of an image, together with all who ask for it meanwhile.
  private func makeThumbnail(
    of image: CachedImage, in feed: String
  ) async throws -> CachedImage {
    if let running = scalings[image.url] { return try await running.value }
    let task = Task { try await storeThumbnail(of: image, in: feed) }
    scalings[image.url] = task
    defer { scalings[image.url] = nil }
    return try await task.value
  }

  private func storeThumbnail(
    of image: CachedImage, in feed: String
  ) async throws -> CachedImage {
    guard let scaler else { return image }
    // Another caller may have made it just before.
    if let stored = try await images.findThumbnail(of: image.url) {
      return try Self.image(stored, image.url) ?? image
    }
    let content: StoredThumbnail.Content
    do {
      let copy = try await scalingTurns.run(for: feed) {
        try await scaler.copy(of: image)
      }
      guard let copy else { return image }
      content = try Self.content(copy, image)
    } catch let error as OffersError {
      logger.info(
        "no thumbnail", metadata: ["url": "\(image.url)", "error": "\(error.message)"])
      content = .problem(error.message)
    }
    try await images.putThumbnail(content, of: image)
    let stored = StoredThumbnail(
      content: content, imageBytes: image.bytes.count, fetchedAt: image.fetchedAt,
      freshUntil: image.freshUntil)
    return try Self.image(stored, image.url) ?? image
  }

  private static func content(
    _ copy: [UInt8], _ image: CachedImage
  ) throws -> StoredThumbnail.Content {
    // A copy that is not read as an image would be served as one.
    _ = try ImageHeader(reading: copy)
    if copy.count >= image.bytes.count { return .problem("A copy has no fewer bytes.") }
    if copy.count > ImageCacheLimits.thumbnailBytes {
      return .problem("The copy has too many bytes.")
    }
    return .copy(copy)
  }
}
