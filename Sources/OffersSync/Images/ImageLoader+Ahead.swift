import Foundation
import OffersCore
import OffersFeeds

extension ImageLoader {
  /// Fetches the images of offers ahead, for offline use.
  ///
  /// - The order of the offers is their importance: the images of the first ones are preferred where
  ///   the cache has no room for all, and are evicted last.
  /// - At most 4 requests run concurrently, one to a host. That leaves a connection to each host for
  ///   an image on the screen.
  /// - No image is fetched only to be evicted by the next one: at most as many are fetched as the
  ///   cache holds besides those images of other favorites that are exempt from eviction; see
  ///   `ImageRepository`.
  /// - After a cancellation no further request starts. Those under way end within 10 seconds, and
  ///   their images are cached.
  ///
  /// - Parameters:
  ///   - offers: the offers; those without an image are ignored. An image of several offers is
  ///     fetched once.
  ///   - feeds: finds the sources of the feeds, the bases of relative addresses.
  ///   - progress: is called first with 0 and the number of images to fetch or find in the cache,
  ///     then after each of them with the number of those done.
  /// - Returns: the numbers of images, and the reasons why some could not be fetched.
  /// - Throws: `OffersError` with `storageFailed` if the cache or the feeds cannot be read;
  ///   `CancellationError`.
  public func fetchAhead(
    _ offers: [Offer], feeds: any FeedRepository,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> FetchedImages {
    let (wanted, held, leftOut) = try await choose(offers)
    let sources = try await sources(of: wanted, in: feeds)
    // Images that are cached already are marked as used before others are stored, so that they are
    // not evicted.
    try await markUsed(wanted.filter { held.contains($0.url) })
    var result = FetchedImages()
    result.leftOut = leftOut
    progress(0, wanted.count)
    try await withThrowingTaskGroup(of: (WantedImage, OffersError?).self) { group in
      for image in wanted {
        let source = sources[image.ref.feed] ?? nil
        group.addTask { (image, try await self.fetchOne(image, source)) }
      }
      var done = 0
      for try await (image, error) in group {
        done += 1
        progress(done, wanted.count)
        if let error {
          result.failures.append(.init(ref: image.ref, error: error))
        } else if held.contains(image.url) {
          result.held += 1
        } else {
          result.fetched += 1
        }
      }
    }
    try await markUsed(wanted)
    result.failures.sort { $0.ref < $1.ref }
    return result
  }

  private struct WantedImage: Sendable {
    let url: String
    /// The first offer that has this image.
    let ref: OfferRef
    /// Whether the image is cached and need not be revalidated.
    let isFresh: Bool
  }

  /// Chooses the images for which the cache has room.
  ///
  /// - Returns: the chosen images in the order of the offers, the addresses of all images of the
  ///   offers that are cached already, and the number of images without room.
  private func choose(
    _ offers: [Offer]
  ) async throws -> (wanted: [WantedImage], held: Set<String>, leftOut: Int) {
    let time = now()
    let contents = try await images.fetchImageContents(now: time)
    let cached = Dictionary(
      contents.images.map {
        (
          $0.url,
          ImageCacheLimits.isFresh(fetchedAt: $0.fetchedAt, until: $0.freshUntil, at: time)
        )
      }, uniquingKeysWith: { first, _ in first })
    var seen: Set<String> = []
    let wanted = offers.compactMap { offer -> WantedImage? in
      guard let url = offer.imageURLText, seen.insert(url).inserted,
        FeedCatalog.findPicture(at: url) == nil
      else { return nil }
      return WantedImage(url: url, ref: offer.ref, isFresh: cached[url] ?? false)
    }
    let exempt = contents.images.filter(\.isFavorite)
      .prefix(ImageCacheLimits.favoriteImages(of: contents.limit))
    let room = contents.limit - exempt.count { !seen.contains($0.url) }
    return (
      Array(wanted.prefix(room)), seen.intersection(cached.keys), max(0, wanted.count - room)
    )
  }

  private func sources(
    of images: [WantedImage], in feeds: any FeedRepository
  ) async throws -> [String: String?] {
    var sources: [String: String?] = [:]
    for feed in Set(images.map(\.ref.feed)) {
      sources[feed] = .some(try await feeds.findSource(of: feed))
    }
    return sources
  }

  /// Marks images as used, the last one first, so that the first one is the most recently used.
  private func markUsed(_ wanted: [WantedImage]) async throws {
    for image in wanted.reversed() { try await images.touchImage(image.url) }
  }

  /// Fetches an image, or revalidates a cached one that is stale. Returns the error if there is
  /// then no image; nil otherwise.
  private func fetchOne(_ wanted: WantedImage, _ source: String?) async throws -> OffersError? {
    if wanted.isFresh { return nil }
    do {
      let address = try ImageAddress(wanted.url, feedSource: source)
      _ = try await turnsAhead.run(for: HTTPOrigin(address.url)?.host ?? "") {
        try Task.checkCancellation()
        return try await self.image(at: wanted.url, feedSource: source)
      }
      return nil
    } catch let error as OffersError {
      return error
    }
  }
}
