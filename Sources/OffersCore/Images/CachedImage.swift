import Foundation
import Synchronization

/// An image as its server sent it, with its cache metadata.
public struct CachedImage: Hashable, Sendable {
  /// The address as the feed prints it. This exact text is the cache key.
  public let url: String
  /// The file as the server sent it, at most 5 MiB.
  public let bytes: [UInt8]
  /// The format and size, read from the bytes.
  package let header: ImageHeader
  /// The validators that the server sent (RFC 9110, section 8.8), used for conditional requests.
  package let etag: String?
  /// The `Last-Modified` of the response, for conditional requests; nil without one.
  package let lastModified: String?
  /// When the server last sent or confirmed this version.
  public let fetchedAt: Date
  /// Until when the image is used without asking the server again.
  public let freshUntil: Date

  /// Creates a cached image of its parts; the properties describe them.
  package init(
    url: String, bytes: [UInt8], header: ImageHeader, etag: String? = nil,
    lastModified: String? = nil, fetchedAt: Date, freshUntil: Date
  ) {
    self.url = url
    self.bytes = bytes
    self.header = header
    self.etag = etag
    self.lastModified = lastModified
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
  }
}

/// A cached image without its bytes.
package struct CachedImageSummary: Hashable, Sendable {
  /// The address as the feed prints it, which is the key of the cache.
  package let url: String
  /// The format and the size in pixels.
  package let header: ImageHeader
  /// The size of the file in bytes.
  package let sizeBytes: Int
  /// When the image was last fetched or confirmed by its server.
  package let fetchedAt: Date
  /// Until when the image is used without asking its server.
  package let freshUntil: Date
  /// Whether the image belongs to a favorite.
  package let isFavorite: Bool

  /// Creates a cached image summary of its parts; the properties describe them.
  package init(
    url: String, header: ImageHeader, sizeBytes: Int, fetchedAt: Date, freshUntil: Date,
    isFavorite: Bool
  ) {
    self.url = url
    self.header = header
    self.sizeBytes = sizeBytes
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
    self.isFavorite = isFavorite
  }
}

/// The images in the cache, with its statistics.
package struct ImageCacheContents: Hashable, Sendable {
  /// The most images in the cache.
  package let limit: Int
  /// The images, most recently used first.
  package let images: [CachedImageSummary]
  /// How many lookups found an image.
  package let hits: Int
  /// How many lookups found none.
  package let misses: Int
  /// How many images were evicted, to make room for others or by a lower limit.
  package let evictions: Int
  /// The recent failures to fetch an image.
  package let failures: [ImageFailure]

  /// Creates an image cache contents of its parts; the properties describe them.
  package init(
    limit: Int, images: [CachedImageSummary], hits: Int, misses: Int, evictions: Int,
    failures: [ImageFailure]
  ) {
    self.limit = limit
    self.images = images
    self.hits = hits
    self.misses = misses
    self.evictions = evictions
    self.failures = failures
  }
}

/// A failure to fetch an image, remembered so that the request is not repeated at once.
package struct ImageFailure: Hashable, Sendable {
  /// The address as the feed prints it.
  package let url: String
  /// The kind of failure.
  package let code: OffersError.Code
  /// The reason for the failure, in one sentence for people.
  package let reason: String
  /// Until when the image is not requested again.
  package let until: Date

  /// Creates an image failure of its parts; the properties describe them.
  package init(url: String, code: OffersError.Code, reason: String, until: Date) {
    self.url = url
    self.code = code
    self.reason = reason
    self.until = until
  }
}

/// Provides the images of offers from a cache or from their servers.
package protocol ImageSource: Sendable {
  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address; nil when it is
  ///     not known.
  /// - Throws: `OffersError` when the image cannot be provided: `notFound` for an offer without
  ///   one, `cancelled` when the task is cancelled meanwhile.
  func image(of offer: Offer, feedSource: String?) async throws(OffersError) -> CachedImage

  /// The image of an offer that is shown before its feed is added. A source with a cache does not
  /// store it, because it would take the place of the image of a stored offer.
  ///
  /// The default implementation returns `image(of:feedSource:)`.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`.
  func previewImage(of offer: Offer, feedSource: String?) async throws(OffersError) -> CachedImage

  /// The image of an offer for a list: a copy that is as wide as its place and has few bytes, if the image is
  /// wider or has many. A source that makes no copies returns the image. A copy that is wider may be returned, if it
  /// was made before.
  ///
  /// The default implementation returns `image(of:feedSource:)`.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  ///   - width: one of `ImageCacheLimits.thumbnailWidths`.
  /// - Throws: as `image(of:feedSource:)`; `OffersError` with `limitExceeded` if the image is too large
  ///   for a list and no copy can be made.
  func thumbnail(
    of offer: Offer, feedSource: String?, width: Int
  ) async throws(OffersError) -> CachedImage
}

extension ImageSource {
  /// The image of an offer whose feed has absolute addresses of images.
  ///
  /// - Parameter offer: the offer, which names the address of its image.
  /// - Throws: as `image(of:feedSource:)`.
  package func image(of offer: Offer) async throws(OffersError) -> CachedImage {
    try await image(of: offer, feedSource: nil)
  }

  package func previewImage(
    of offer: Offer, feedSource: String?
  ) async throws(OffersError) -> CachedImage {
    try await image(of: offer, feedSource: feedSource)
  }

  package func thumbnail(
    of offer: Offer, feedSource: String?, width: Int
  ) async throws(OffersError) -> CachedImage {
    try await image(of: offer, feedSource: feedSource)
  }
}

/// The copy of a cached image for lists, or the reason why there is none.
///
/// It is stored with its image, and goes with it: when the image is evicted, and when the server sends
/// another one.
package struct StoredThumbnail: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The bytes of the copy, a whole image file.
    case copy([UInt8])
    /// Why the image has no copy, in a sentence for people.
    case problem(String)
  }

  package let content: Content
  /// The size of the file of the image itself, in bytes, and its width in pixels.
  package let imageBytes: Int
  package let imageWidth: Int
  /// When the server last sent or confirmed the image.
  package let fetchedAt: Date
  /// Until when the image is used without asking the server again.
  package let freshUntil: Date

  package init(
    content: Content, imageBytes: Int, imageWidth: Int, fetchedAt: Date, freshUntil: Date
  ) {
    self.content = content
    self.imageBytes = imageBytes
    self.imageWidth = imageWidth
    self.fetchedAt = fetchedAt
    self.freshUntil = freshUntil
  }
}

extension StoredThumbnail.Content {
  /// Refuses a copy that is larger than any in a store.
  ///
  /// - Throws: `OffersError` with `limitExceeded`; `invalidRequest` for a copy or reason without bytes.
  package func check() throws(OffersError) {
    switch self {
    case .copy(let bytes):
      guard !bytes.isEmpty else { throw OffersError(.invalidRequest, "A picture needs bytes.") }
      guard bytes.count <= ImageCacheLimits.thumbnailBytes else {
        throw OffersError(.limitExceeded, "The copy of a picture for lists is too large.")
      }
    case .problem(let text):
      guard !text.isEmpty else { throw OffersError(.invalidRequest, "A reason needs a text.") }
    }
  }
}

/// The average colors of the upper, the middle and the lower third of a picture, which lists show in its place until
/// it has arrived.
package struct PictureColors: Hashable, Sendable {
  /// Each as six hexadecimal digits, such as `ff9900`.
  package let colors: [String]

  /// - Parameter rgb: the bytes of the colors: red, green and blue of each.
  package init(rgb: [UInt8]) {
    colors = stride(from: 0, to: rgb.count - 2, by: 3).map { rgb[$0..<$0 + 3].hexadecimal }
  }

  /// - Parameter storedText: the colors with spaces between them.
  package init(storedText: String) { colors = storedText.split(scalar: " ").map { String($0) } }

  package var storedText: String { colors.joined(separator: " ") }
}

/// The bounds of every image cache.
package enum ImageCacheLimits {
  /// The most images in a new cache, as the migrations create it: another default requires a new
  /// migration. An app may set another limit: `setImageLimit(_:)` of
  /// `OffersDatabase`.
  package static let defaultImages = 50
  /// The limits that an app may set, in images.
  package static let imageLimits = 1...10_000

  /// The most images of favorites that are exempt from eviction in a cache of `limit` images: three
  /// fifths, 30 of 50. The other places are for browsing.
  package static func favoriteImages(of limit: Int) -> Int { limit / 5 * 3 + limit % 5 * 3 / 5 }

  /// The most bytes of an image: 5 MiB.
  package static let bytes = 5 << 20
  /// The most pixels of an image according to its header: 50 megapixels, 200 MB when decoded.
  package static let pixels = 50_000_000
  /// The widths of copies of images for lists, in pixels. They are those of the places of pictures at two pixels
  /// each: a row of covers on a phone, a row of texts, a tile of a grid, a picture from edge to edge.
  package static let thumbnailWidths = [128, 256, 480, 960]
  /// The greatest of them.
  package static let thumbnailWidth = 960
  /// The most pixels in the height of a copy.
  package static func thumbnailHeight(at width: Int) -> Int { 4 * width }
  /// The most bytes of an image in a list, of a copy or of an image that has none: 256 KiB.
  package static let thumbnailBytes = 256 << 10
  /// The size in bytes above which an image has a copy for lists, even if it is no wider: 64 KiB.
  package static let copiedBytes = 64 << 10
  /// The number of images with uses in memory above which a use triggers a write of all uses.
  package static let gatheredImages = 200
  /// The number of image uses in memory that triggers a write of all uses.
  package static let gatheredUses = 10_000
  /// The age of the oldest use in memory, in seconds, at which the next use triggers a write. Other
  /// processes need recent uses to choose which image to evict.
  package static let gatheredSeconds = 600

  /// The longest time that a failure is remembered, at the request of a server, in seconds: a day.
  package static let failureSeconds = 86_400.0
  /// The longest freshness lifetime that is honoured, in seconds: 30 days.
  package static let freshSeconds = 30 * 86_400.0
  /// The time, in seconds, by which an image may have been fetched later than now: clocks are set
  /// back a little.
  private static let clockSeconds = 60.0

  /// Whether an image is used without asking its server again. One that was fetched later than now,
  /// or would be fresh for longer than any, was stored under another clock, and is not fresh.
  ///
  /// - Parameters:
  ///   - fetchedAt: when the image was last fetched or confirmed.
  ///   - freshUntil: until when it is fresh.
  package static func isFresh(fetchedAt: Date, until freshUntil: Date, at now: Date) -> Bool {
    now < freshUntil && fetchedAt <= now + clockSeconds && freshUntil <= fetchedAt + freshSeconds
  }
}

/// Image uses that are not written to the database yet. They are written in batches, so that few
/// reads of images cause a write.
package final class PendingImageUses: Sendable {
  /// The uses to be written.
  package struct Batch: Sendable {
    /// The URLs of the used images, each once, in the order of their last use.
    package var urls: [String] = []
    package var hits = 0
    package var misses = 0
    /// The number of evicted images.
    package var evictions = 0

    package var isEmpty: Bool { hits == 0 && misses == 0 && evictions == 0 && urls.isEmpty }
  }

  private struct State {
    /// The sequence number of each image's last use, by URL.
    var numbers: [String: Int] = [:]
    var useCount = 0
    var hits = 0
    var misses = 0
    var evictions = 0
    var begunAt: ContinuousClock.Instant?

    var urls: [String] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    var batch: Batch { Batch(urls: urls, hits: hits, misses: misses, evictions: evictions) }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Records a use of an image, or a lookup that found none.
  ///
  /// - Parameters:
  ///   - url: the URL of the image that was used; nil if a lookup found none.
  ///   - isAsked: whether to count a hit, or a miss if `url` is nil. Otherwise only the order of
  ///     the last uses changes.
  /// - Returns: whether the batch is large or old enough to be written; see `ImageCacheLimits`.
  package func note(_ url: String?, isAsked: Bool) -> Bool {
    let now = now()
    return state.withLock { state in
      state.useCount += 1
      if let url { state.numbers[url] = state.useCount }
      if isAsked {
        if url != nil { state.hits += 1 } else { state.misses += 1 }
      }
      let begunAt = state.begunAt ?? now
      state.begunAt = begunAt
      return state.useCount >= ImageCacheLimits.gatheredUses
        || state.numbers.count > ImageCacheLimits.gatheredImages
        || now - begunAt >= .seconds(ImageCacheLimits.gatheredSeconds)
    }
  }

  /// Adds to the number of evictions.
  package func noteEvictions(_ count: Int) { state.withLock { $0.evictions += count } }

  /// The uses since the last `take`, which stay in the batch.
  package var gathered: Batch { state.withLock { $0.batch } }

  /// Removes and returns the current batch.
  package func take() -> Batch {
    state.withLock { state in
      let batch = state.batch
      state = State()
      return batch
    }
  }

  /// Removes and returns the URLs of the used images, in the order of their last use. The counts
  /// stay in the batch.
  package func takeOrder() -> [String] {
    state.withLock { state in
      let urls = state.urls
      state.numbers.removeAll(keepingCapacity: true)
      return urls
    }
  }
}
