import Foundation
import OffersCore
import Synchronization

/// Requests an image from its server, within limits.
struct ImageFetch: Sendable {
  let transport: any HTTPTransport
  let allowsPrivateNetwork: Bool
  let now: @Sendable () -> Date
  var limits = Self.standardLimits

  /// The result of a request.
  enum Answer: Sendable {
    case image(CachedImage)
    /// The server confirmed the cached image as current (304).
    case confirmed(etag: String?, lastModified: String?, freshUntil: Date)
  }

  /// A failed request.
  struct Failure: Error {
    let error: OffersError
    /// The time until which a `Retry-After` header asks for no requests; nil without one.
    let retryAfter: Date?
    /// Whether the server did not respond at all, which is a matter of the network more often than
    /// of the image.
    let isUnreached: Bool
  }

  static let standardLimits = FetchLimits(
    bodyBytes: ImageCacheLimits.bytes, idleSeconds: 10, totalSeconds: 10, redirects: 3)
  /// The freshness lifetime of an image whose server declares none: a day.
  static let freshSeconds = 86_400

  /// Requests an image, or revalidates the cached one.
  ///
  /// - Parameters:
  ///   - name: the key of the image in the cache: its address as it is in the feed.
  ///   - address: the address to request.
  ///   - held: the cached image to revalidate; nil when there is none.
  /// - Throws: `Failure`; `CancellationError`.
  func pull(_ name: String, at address: ImageAddress, held: CachedImage?) async throws -> Answer {
    let hasAnswered = Atomic(false)
    return try await Timeout.run(seconds: limits.totalSeconds) {
      try await request(name, address.url, held) {
        hasAnswered.store(true, ordering: .relaxed)
      }
    } late: {
      Failure(
        error: FetchFailure.tooSlow(address.url, limits), retryAfter: nil,
        isUnreached: !hasAnswered.load(ordering: .relaxed))
    }
  }

  private func request(
    _ name: String, _ url: String, _ held: CachedImage?,
    answered: @escaping @Sendable () -> Void
  ) async throws -> Answer {
    let log = FetchLog()
    let startedAt = now()
    // The server is named by an offer, not by a user, so only `allowsPrivateNetwork` permits one in
    // a private network.
    let document = DocumentFetch(
      transport: transport, limits: limits, namedOrigin: nil, sourceMayBePrivate: false,
      allowsPrivateNetwork: allowsPrivateNetwork, isImage: true, isFirst: true, isMoved: false,
      condition: FetchCondition(
        validators: Validators(
          etag: held?.etag, lastModified: held?.lastModified, now: startedAt),
        addressMark: AddressMark.of(url)),
      trace: { _ in answered() }, log: log, now: now)
    var bytes: [UInt8] = []
    do {
      let isNew = try await document.read(url: url) {
        try Task.checkCancellation()
      } _: { piece, _ in
        bytes.append(contentsOf: piece)
      }
      let validators = log.answer.validators
      let fresh = min(
        log.answer.freshSeconds ?? Self.freshSeconds, Int(ImageCacheLimits.freshSeconds))
      let freshUntil = startedAt + Double(fresh)
      if !isNew {
        return .confirmed(
          etag: validators.etag, lastModified: validators.lastModified, freshUntil: freshUntil)
      }
      return .image(
        CachedImage(
          url: name, bytes: bytes, header: try Self.header(bytes, url), etag: validators.etag,
          lastModified: validators.lastModified, fetchedAt: startedAt, freshUntil: freshUntil))
    } catch let error as OffersError {
      throw Failure(
        error: error, retryAfter: log.answer.retryAfter, isUnreached: log.answer.isUnreached)
    }
  }

  private static func header(_ bytes: [UInt8], _ url: String) throws -> ImageHeader {
    do {
      return try ImageHeader(reading: bytes)
    } catch let error as OffersError {
      throw OffersError(error.code, "\(url) \(error.message).")
    }
  }
}
