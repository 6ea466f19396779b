import Foundation
import Logging
import OffersCore
import OffersFeeds

/// Provides images from the cache or from their servers.
///
/// - Concurrent requests for an image are coalesced. Cancelling one caller does not affect the others.
///   Two processes that share the cache may both fetch an image.
/// - An image that is no longer fresh (`Cache-Control`, `Expires`, or else one day) is revalidated
///   by a conditional request. If that fails, the stale image is returned.
/// - A failure is remembered for ten minutes, or longer if the server asks (`Retry-After`), at most
///   for a day. If the server could not be reached, it is remembered for 30 seconds. The hint of the
///   error says when the image is requested again. `forgetFailures()` serves a “try again” button.
/// - The images of the built-in samples come from the program, and take no place in the cache.
/// - An image has at most 5 MiB and 50 megapixels, and takes at most 10 seconds and 3 redirects. At
///   most 6 requests run concurrently, 2 of them to one host. Servers in private networks are
///   contacted only if `allowsPrivateNetwork` is true.
public actor ImageLoader: ImageSource {
  let images: any ImageFetchStore
  private let fetch: ImageFetch
  /// The transport to close; nil for one that the app owns.
  private let owned: (any ClosableTransport)?
  let logger: Logger
  let now: @Sendable () -> Date
  /// Makes the copies of images for lists; nil for none.
  let scaler: (any ImageScaler)?
  /// The copies that are being made, by the address of the image.
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

  /// - Parameters:
  ///   - images: the image cache.
  ///   - transport: sends the requests. It is not closed.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - scaler: makes the copies of images for lists; nil for none.
  ///   - logger: logs each image that could not be fetched.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  package init(
    images: any ImageFetchStore, transport: any HTTPTransport, allowsPrivateNetwork: Bool = false,
    scaler: (any ImageScaler)? = nil, logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      images: images, transport: .shared(transport), allowsPrivateNetwork: allowsPrivateNetwork,
      scaler: scaler, logger: logger ?? .silent, now: now)
  }

  package init(
    images: any ImageFetchStore, transport: TransportOwnership, allowsPrivateNetwork: Bool,
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
      transport: opened, allowsPrivateNetwork: allowsPrivateNetwork, now: now,
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
  ///   or read-only; `CancellationError`.
  public func forgetFailures() async throws {
    try await images.forgetFailures(until: now() + Self.failureSeconds)
  }

  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address; nil when it is
  ///     not known. With a source on https, an `http:` address on the same host becomes https.
  /// - Throws: `OffersError` when there is neither a cached image nor one from the server, such as
  ///   `notFound` for an offer without an image. `CancellationError` when the caller is cancelled;
  ///   the request continues, and its image is cached.
  public func image(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    try await image(at: offer.imageURLText ?? "", feedSource: feedSource)
  }

  /// The image of an offer from the cache, or else from its server. Neither the image nor a failure
  /// is stored, and a cached image does not count as used.
  public func previewImage(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    let url = offer.imageURLText ?? ""
    let address = try ImageAddress(url, feedSource: feedSource)
    if let image = CachedImage(ofSampleAt: url, now: now()) { return image }
    if let held = try await images.findImage(url) { return held }
    if let failure = try await images.findFailure(of: url, now: now()) {
      throw later(OffersError(failure.code, failure.reason), until: failure.until)
    }
    let fetched = try await turns.run(for: HTTPOrigin(address.url)?.host ?? "") { [fetch] in
      do {
        return try await fetch.pull(url, at: address, held: nil)
      } catch let failure as ImageFetch.Failure {
        throw failure.error
      }
    }
    guard case .image(let image) = fetched else {
      throw Self.unwantedConfirmation
    }
    return image
  }

  /// The image at an address.
  ///
  /// - Parameters:
  ///   - url: the address as it is in the feed, which is the key in the cache.
  ///   - feedSource: the source of the feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`.
  package func image(at url: String, feedSource: String? = nil) async throws -> CachedImage {
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
    throw CancellationError()
  }

  private func run(_ url: String, _ address: ImageAddress, _ held: CachedImage?) async {
    let result: Result<CachedImage, OffersError>?
    do {
      result = .success(try await pull(url, address, held))
    } catch let error as OffersError {
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
    if let failure = try await images.findFailure(of: url, now: now()) {
      throw later(OffersError(failure.code, failure.reason), until: failure.until)
    }
    return try await turns.run(for: HTTPOrigin(address.url)?.host ?? "") { [self] in
      do {
        switch try await fetch.pull(url, at: address, held: held) {
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
    if failure.error.advice == .allowPrivateNetwork { return failure.error }
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
