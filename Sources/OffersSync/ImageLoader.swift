import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersStore

/// Provides images from the cache or from their servers.
///
/// - Concurrent requests for an image are coalesced. Cancelling one caller does not affect the others.
///   Two processes that share the cache may both fetch an image.
/// - An image that is no longer fresh (`Cache-Control`, `Expires`, or else one day) is revalidated
///   by a conditional request. If that fails, the stale image is returned.
/// - A failure is remembered for ten minutes, or longer if the server asks (`Retry-After`), at most
///   for a day. A host that asked for no requests is not asked for other images either. If the server could not be reached, it is remembered for 30 seconds. The hint of the
///   error says when the image is requested again. `forgetFailures()` serves a “try again” button.
/// - The images of the built-in samples come from the program, and take no place in the cache.
/// - An image has at most 5 MiB and 50 megapixels, and takes at most 10 seconds and 3 redirects. At
///   most 6 requests run concurrently, 2 of them to one host. Servers in private networks are
///   contacted only if `allowsPrivateNetwork` is true.
public actor ImageLoader: ImageSource {
  let images: OffersDatabase
  private let fetch: ImageFetch
  /// The transport to close; nil for one that the app owns.
  private let owned: (any ClosableTransport)?
  let logger: Logger
  let now: @Sendable () -> Date
  /// Makes the copies of images for lists; nil for none.
  let scaler: (any ImageScaler)?
  /// The copies that are being made, by the width and the address of the image.
  var scalings: [String: Task<CachedImage, any Error>] = [:]
  /// At most two copies are made concurrently, and one of the images of a feed, so that the large images of
  /// one feed do not keep back those of others, on however many hosts they are.
  nonisolated let scalingTurns = FairTurns<String>(limit: 2, keyLimit: 1)
  /// The turns of requests, by host.
  private let turns = FairTurns<String>(limit: 6, keyLimit: 2)
  /// A further limit for the images that are fetched ahead, which also take part in `turns`.
  let turnsAhead = FairTurns<String>(limit: 4, keyLimit: 1)

  private typealias Asker = AsyncStream<Result<CachedImage, OffersError>>.Continuation
  private var askers: [String: [Asker]] = [:]
  private var fetches: [String: Task<Void, Never>] = [:]

  /// How long a failure is remembered by default.
  static let failureSeconds = 600.0
  /// How long a failure is remembered if the server could not be reached, as in a device that is
  /// offline.
  private static let unreachedSeconds = 30.0

  /// A loader over a transport of the caller's own.
  ///
  /// - Parameters:
  ///   - images: the database of the image cache, opened for writing.
  ///   - transport: sends the requests. It is not closed.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - logger: logs each image that could not be fetched; nil for none.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  public init(
    images: OffersDatabase, transport: any HTTPTransport, allowsPrivateNetwork: Bool = false,
    logger: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      images: images, transport: .shared(transport), allowsPrivateNetwork: allowsPrivateNetwork,
      logger: logger ?? .silent, now: now)
  }

  /// - Parameter scaler: makes the copies of images for lists; nil for none.
  package init(
    images: OffersDatabase, transport: TransportOwnership, allowsPrivateNetwork: Bool,
    scaler: (any ImageScaler)? = nil, logger: Logger, now: @escaping @Sendable () -> Date,
    limits: FetchLimits? = nil
  ) {
    let opened: any HTTPTransport
    switch transport {
    case .shared(let shared):
      opened = shared
      owned = nil
    case .owned(let open):
      let transport = open()
      opened = transport
      owned = transport
    }
    self.images = images
    self.scaler = scaler
    self.logger = logger
    self.now = now
    fetch = ImageFetch(
      transport: opened, allowsPrivateNetwork: allowsPrivateNetwork,
      waits: HostWaits(store: images, now: now), now: now,
      limits: limits ?? ImageFetch.standardLimits)
  }

  /// Cancels running requests, writes the uses of images that are gathered in memory, and closes
  /// the transport unless an app passed it in.
  public func close() async {
    for task in fetches.values { task.cancel() }
    for task in fetches.values { await task.value }
    for task in scalings.values { task.cancel() }
    // Their callers are told the errors.
    for task in scalings.values { _ = await task.result }
    // On failure the cache only loses the most recent uses, by which images are evicted.
    try? await images.flushImageUses()
    await owned?.close()
  }

  /// Forgets the failures to fetch images, in all processes that share the cache, so that the next
  /// call requests these images at once. A server's own request to wait longer than ten minutes
  /// (`Retry-After`) is kept.
  ///
  /// - Throws: `OffersError` with `storageFailed`, or with `invalidRequest` if the database is closed
  ///   or read-only.
  public func forgetFailures() async throws(OffersError) {
    try await images.forgetFailures(until: now() + Self.failureSeconds)
  }

  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address; nil when it is
  ///     not known. With a source on https, an `http:` address on the same host becomes https.
  /// - Throws: `OffersError` when there is neither a cached image nor one from the server, such as
  ///   `notFound` for an offer without an image, and `cancelled` when the caller is cancelled;
  ///   the request continues, and its image is cached.
  public func image(
    of offer: Offer, feedSource: String? = nil
  ) async throws(OffersError) -> CachedImage {
    try await image(at: offer.imageURLText ?? "", feedSource: feedSource)
  }

  /// The image of a stored offer. A relative address is resolved against the source of its feed.
  ///
  /// - Throws: as `image(of:feedSource:)`.
  public func image(of offer: UserOffer) async throws(OffersError) -> CachedImage {
    let source = try await images.findSource(of: offer.ref.feed)
    return try await image(of: offer.offer, feedSource: source)
  }

  /// The image of an offer from the cache, or else from its server. Neither the image nor a failure
  /// is stored, and a cached image does not count as used.
  public func previewImage(
    of offer: Offer, feedSource: String?
  ) async throws(OffersError) -> CachedImage {
    let url = offer.imageURLText ?? ""
    let address = try ImageAddress(url, feedSource: feedSource)
    if let image = CachedImage(ofSampleAt: url, now: now()) { return image }
    if let held = try await images.findImage(url) { return held }
    return try await OffersError.translating {
      do {
        guard case .image(let image) = try await request(url, address, nil) else {
          throw Self.unwantedConfirmation
        }
        return image
      } catch let failure as ImageFetch.Failure {
        throw failure.error
      }
    }
  }

  /// The image at an address.
  ///
  /// - Parameters:
  ///   - url: the address as it is in the feed, which is the key in the cache.
  ///   - feedSource: the source of the feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`.
  package func image(
    at url: String, feedSource: String? = nil
  ) async throws(OffersError) -> CachedImage {
    let address = try ImageAddress(url, feedSource: feedSource)
    if let image = CachedImage(ofSampleAt: url, now: now()) { return image }
    let held = try await images.findImage(url)
    if let held, isFresh(held) { return held }
    let (results, asker) = AsyncStream.makeStream(of: Result<CachedImage, OffersError>.self)
    askers[url, default: []].append(asker)
    if fetches[url] == nil {
      fetches[url] = Task { await run(url, address, held) }
    }
    for await result in results { return try result.get() }
    throw .cancelled
  }

  private func run(_ url: String, _ address: ImageAddress, _ held: CachedImage?) async {
    let result: Result<CachedImage, OffersError>?
    do {
      result = .success(try await pull(url, address, held))
    } catch let error as OffersError where error.code != .cancelled {
      result = held.map { .success($0) } ?? .failure(error)
      logger.info(
        "no image", metadata: ["url": "\(url)", "error": "\(error.message)"])
    } catch {
      result = nil
    }
    for asker in askers.removeValue(forKey: url) ?? [] {
      if let result { asker.yield(result) }
      asker.finish()
    }
    fetches[url] = nil
  }

  private func pull(
    _ url: String, _ address: ImageAddress, _ held: CachedImage?
  ) async throws -> CachedImage {
    // A call that ended just before may have stored the image.
    if try await images.touchImage(url), let found = try await images.findImage(url),
      isFresh(found)
    {
      return found
    }
    do {
      switch try await request(url, address, held) {
      case .image(let image):
        try await images.putImage(image)
        return image
      case .confirmed(let etag, let lastModified, let freshUntil):
        try await images.confirmImage(
          url, etag: etag, lastModified: lastModified, fetchedAt: now(), freshUntil: freshUntil)
        guard let held else { throw Self.unwantedConfirmation }
        return held
      }
    } catch let failure as ImageFetch.Failure {
      throw try await remember(failure, of: url)
    }
  }

  /// Requests an image in its turn, unless a failure is remembered.
  private func request(
    _ url: String, _ address: ImageAddress, _ held: CachedImage?
  ) async throws -> ImageFetch.Answer {
    if let failure = try await images.findFailure(of: url, now: now()) {
      throw later(OffersError(failure.code, failure.reason), until: failure.until)
    }
    return try await turns.run(for: HTTPOrigin(address.url)?.host ?? "") { [fetch] in
      try await fetch.pull(url, at: address, held: held)
    }
  }

  private func isFresh(_ image: CachedImage) -> Bool {
    ImageCacheLimits.isFresh(fetchedAt: image.fetchedAt, until: image.freshUntil, at: now())
  }

  /// Stores a failure, and returns its error with a hint that says when the image is requested
  /// again.
  private func remember(
    _ failure: ImageFetch.Failure, of url: String
  ) async throws -> OffersError {
    // An address in a private network was refused without a request. The failure is not remembered,
    // because allowing private networks permits the request at once.
    if failure.error.hint == .allowPrivateNetwork { return failure.error }
    if failure.isPutOff, let until = failure.retryAfter {
      return later(failure.error, until: until)
    }
    let wanted = failure.retryAfter?.timeIntervalSince(now()) ?? 0
    let least = failure.isUnreached ? Self.unreachedSeconds : Self.failureSeconds
    let until = now() + min(max(wanted, least), ImageCacheLimits.failureSeconds)
    try await images.putFailure(
      ImageFailure(
        url: url, code: failure.error.code, reason: failure.error.message, until: until))
    return later(failure.error, until: until)
  }

  private static let unwantedConfirmation = OffersError(
    .sourceFailed, "The server confirmed an image that was not asked for.")

  /// An error with a hint that says when the image is requested again.
  private func later(_ error: OffersError, until: Date) -> OffersError {
    let wait = Units.wait(until.timeIntervalSince(now()))
    return OffersError(
      error.code, error.message, hint: "It is asked for again in \(wait).", cause: error.cause)
  }
}

extension CachedImage {
  /// The image at an address of a built-in sample; nil for any other address.
  package init?(ofSampleAt url: String, now: Date) {
    guard let bytes = FeedCatalog.findPicture(at: url),
      // The images are those of the program, which are read.
      let header = try? ImageHeader(reading: bytes)
    else { return nil }
    self.init(
      url: url, bytes: bytes, header: header, fetchedAt: now,
      freshUntil: now + Double(ImageFetch.freshSeconds))
  }
}

extension ImageLoader {
  /// Fetches the images of offers ahead, for offline use.
  ///
  /// - The order of the offers is their importance: the images of the first ones are preferred where
  ///   the cache has no room for all, and are evicted last.
  /// - At most 4 requests run concurrently, one to a host. That leaves a connection to each host for
  ///   an image on the screen.
  /// - No image is fetched only to be evicted by the next one: at most as many are fetched as the
  ///   cache holds besides those images of other favorites that are exempt from eviction; see
  ///   `OffersDatabase`.
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
  ///   `cancelled`.
  public func fetchAhead(
    _ offers: [Offer], feeds: OffersDatabase,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws(OffersError) -> FetchedImages {
    let (wanted, held, leftOut) = try await choose(offers)
    let sources = try await sources(of: wanted, in: feeds)
    // Images that are cached already are marked as used before others are stored, so that they are
    // not evicted.
    try await markUsed(wanted.filter { held.contains($0.url) })
    var result = FetchedImages()
    result.leftOut = leftOut
    progress(0, wanted.count)
    try await OffersError.translating {
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
  ) async throws(OffersError) -> (wanted: [WantedImage], held: Set<String>, leftOut: Int) {
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
    of images: [WantedImage], in feeds: OffersDatabase
  ) async throws(OffersError) -> [String: String?] {
    var sources: [String: String?] = [:]
    for feed in Set(images.map(\.ref.feed)) {
      sources[feed] = .some(try await feeds.findSource(of: feed))
    }
    return sources
  }

  /// Marks images as used, the last one first, so that the first one is the most recently used.
  private func markUsed(_ wanted: [WantedImage]) async throws(OffersError) {
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
    } catch let error as OffersError where error.code != .cancelled {
      return error
    }
  }
}

extension ImageLoader {
  /// The image of an offer for a list.
  ///
  /// - An image that is no wider than asked and has at most 64 KiB is returned as it is. Of any other a copy is
  ///   made, once for all callers, and stored in the row of the image. A wider copy takes the place of a narrower
  ///   one, and serves smaller places, too.
  /// - If no copy can be made, because the image is damaged or takes too much time or memory, or if the copy
  ///   has no fewer bytes than the image, the image is returned if it has at most 256 KiB. The reason is
  ///   stored, so that the same image is not tried again before its server confirms it after a day without
  ///   a request.
  /// - Without a scaler, or one for the image's format, every image is returned as it is.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  ///   - width: one of `ImageCacheLimits.thumbnailWidths`.
  /// - Throws: as `image(of:feedSource:)`; `OffersError` with `limitExceeded` for a larger image of which
  ///   no copy can be made.
  package func thumbnail(
    of offer: Offer, feedSource: String?, width: Int
  ) async throws(OffersError) -> CachedImage {
    let url = offer.imageURLText ?? ""
    if scaler == nil { return try await image(at: url, feedSource: feedSource) }
    // The image itself is read only if there is no copy yet.
    if let stored = try await images.findThumbnail(of: url),
      ImageCacheLimits.isFresh(fetchedAt: stored.fetchedAt, until: stored.freshUntil, at: now()),
      Self.isWide(stored, enoughFor: width), let found = try Self.image(stored, url)
    {
      return found
    }
    let image = try await image(at: url, feedSource: feedSource)
    return Self.isCopied(image, width)
      ? try await makeThumbnail(of: image, width, in: offer.ref.feed) : image
  }

  private static func isCopied(_ image: CachedImage, _ width: Int) -> Bool {
    image.header.width > width || image.bytes.count > ImageCacheLimits.copiedBytes
  }

  /// Whether a stored copy was not made for a narrower place. A copy of another width than these is that of an image
  /// which is narrower itself, once it is upright, or high.
  private static func isWide(_ stored: StoredThumbnail, enoughFor width: Int) -> Bool {
    guard case .copy(let bytes) = stored.content, let copy = try? ImageHeader(reading: bytes),
      ImageCacheLimits.thumbnailWidths.contains(copy.width)
    else { return true }
    return copy.width >= min(width, stored.imageWidth)
  }

  /// The stored copy; nil if the image itself is to be returned.
  ///
  /// - Throws: `OffersError` with `limitExceeded` if the image has no copy and is too large for a list.
  private static func image(
    _ stored: StoredThumbnail, _ url: String
  ) throws(OffersError) -> CachedImage? {
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
    of image: CachedImage, _ width: Int, in feed: String
  ) async throws(OffersError) -> CachedImage {
    try await OffersError.translating {
      let key = "\(width) \(image.url)"
      if let running = scalings[key] { return try await running.value }
      let task = Task { try await storeThumbnail(of: image, width, in: feed) }
      scalings[key] = task
      defer { scalings[key] = nil }
      return try await task.value
    }
  }

  private func storeThumbnail(
    of image: CachedImage, _ width: Int, in feed: String
  ) async throws -> CachedImage {
    guard let scaler else { return image }
    // Another caller may have made it just before.
    if let stored = try await images.findThumbnail(of: image.url),
      Self.isWide(stored, enoughFor: width)
    {
      return try Self.image(stored, image.url) ?? image
    }
    let content: StoredThumbnail.Content
    var colors: PictureColors?
    do {
      let copy = try await scalingTurns.run(for: feed) {
        try await scaler.copy(of: image, width: width)
      }
      guard let copy else { return image }
      colors = copy.colors
      content = try Self.content(copy.bytes, image)
    } catch let error as OffersError where error.code != .cancelled {
      logger.info(
        "no thumbnail", metadata: ["url": "\(image.url)", "error": "\(error.message)"])
      content = .problem(error.message)
    }
    try await images.putThumbnail(content, colors: colors, of: image)
    let stored = StoredThumbnail(
      content: content, imageBytes: image.bytes.count, imageWidth: image.header.width,
      fetchedAt: image.fetchedAt, freshUntil: image.freshUntil)
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

/// The result of fetching images ahead. Each image is counted once.
public struct FetchedImages: Hashable, Sendable {
  /// An image that could not be fetched.
  package struct Failure: Hashable, Sendable {
    /// The first offer that has this image.
    package let ref: OfferRef
    /// Why the image could not be fetched.
    package let error: OffersError

    package init(ref: OfferRef, error: OffersError) {
      self.ref = ref
      self.error = error
    }
  }

  /// How many images were fetched that were not cached before.
  public var fetched = 0
  /// How many images were cached already, including those that were then revalidated.
  public var held = 0
  /// How many images were left out, because the cache has no room for them.
  public var leftOut = 0
  /// The images that could not be fetched, ordered by `ref`.
  package var failures: [Failure] = []

  /// Creates a result without images.
  public init() {}
}

/// Makes the copies of images for lists.
package protocol ImageScaler: Sendable {
  /// A copy of an image that is at most as wide as one of `ImageCacheLimits.thumbnailWidths`, as a whole image file:
  /// the first image of an animation, upright.
  ///
  /// - Returns: nil if this system cannot decode images of the format.
  /// - Throws: `OffersError` with `malformedImage` if this image cannot be copied.
  func copy(of image: CachedImage, width: Int) async throws -> ScaledImage?
}

/// A copy of an image, with the colors of the image.
package struct ScaledImage: Hashable, Sendable {
  package let bytes: [UInt8]
  package let colors: PictureColors

  package init(bytes: [UInt8], colors: PictureColors) {
    self.bytes = bytes
    self.colors = colors
  }
}
