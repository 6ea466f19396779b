import Foundation
import OffersCore
import Synchronization

/// Requests an image from its server, within limits.
struct ImageFetch: Sendable {
  let transport: any HTTPTransport
  let allowsPrivateNetwork: Bool
  let waits: HostWaits
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
    /// The time until which the server asks for no requests; nil if it does not.
    let retryAfter: Date?
    /// Whether nothing was sent, because the host had asked for no requests.
    var isPutOff = false
    /// Whether the server did not respond at all, which is a matter of the network more often than
    /// of the image.
    let isUnreached: Bool

    /// Whether another address on the same server may have the image.
    var isOfImage: Bool { !isUnreached && retryAfter == nil }
  }

  static let standardLimits = FetchLimits(
    bodyBytes: ImageCacheLimits.bytes, idleSeconds: 10, totalSeconds: 10, redirects: 3)
  /// The freshness lifetime of an image whose server declares none: a day.
  static let freshSeconds = 86_400

  /// Requests an image, or revalidates the cached one. An image whose address names its size is requested in a larger
  /// one; a server that does not have that is asked for the image as the feed names it.
  ///
  /// - Parameters:
  ///   - name: the key of the image in the cache: its address as it is in the feed.
  ///   - held: the cached image to revalidate; nil when there is none.
  /// - Throws: `Failure`; `CancellationError`.
  func pull(_ name: String, at address: ImageAddress, held: CachedImage?) async throws -> Answer {
    if let larger = SizedImageURL.larger(address.url) {
      do {
        return try await pull(name, at: larger, held: held)
      } catch let failure as Failure where failure.isOfImage {}
    }
    return try await pull(name, at: address.url, held: held)
  }

  private func pull(_ name: String, at url: String, held: CachedImage?) async throws -> Answer {
    let hasAnswered = Atomic(false)
    return try await Timeout.run(seconds: limits.totalSeconds) {
      try await request(name, url, held) {
        hasAnswered.store(true, ordering: .relaxed)
      }
    } late: {
      Failure(
        error: FetchFailure.tooSlow(url, limits), retryAfter: nil,
        isUnreached: !hasAnswered.load(ordering: .relaxed))
    }
  }

  private func request(
    _ name: String, _ url: String, _ held: CachedImage?,
    answered: @escaping @Sendable () -> Void
  ) async throws -> Answer {
    let startedAt = now()
    // The server is named by an offer, not by a user, so only `allowsPrivateNetwork` permits one in
    // a private network.
    var settings = FetchSettings(
      transport: transport, limits: limits, allowsPrivateNetwork: allowsPrivateNetwork,
      sourceMayBePrivate: false, now: now, waits: waits)
    settings.condition = FetchCondition(
      validators: Validators(etag: held?.etag, lastModified: held?.lastModified, now: startedAt),
      addressMark: AddressMark.of(url))
    settings.trace = { _ in answered() }
    let document = DocumentFetch(settings: settings, namedOrigin: nil, isImage: true, isFirst: true)
    let log = settings.log
    var bytes: [UInt8] = []
    do {
      let isNew = try await document.read(url: url) { _ in
      } _: { piece in
        try Task.checkCancellation()
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
        error: error, retryAfter: log.answer.retryAfter,
        isPutOff: log.answer.retryAfter != nil && log.answer.requestCount == 0,
        isUnreached: log.answer.isUnreached)
    }
  }

  private static func header(_ bytes: [UInt8], _ url: String) throws -> ImageHeader {
    do {
      return try ImageHeader(reading: bytes)
    } catch {
      throw OffersError(error.code, "\(url) \(error.message).")
    }
  }
}

/// Addresses of pictures that name their size, such as `…/100x100bb.jpg`: their servers make the picture in each size
/// that is asked for.
enum SizedImageURL {
  /// The width and height in pixels of the largest place of a square picture, on the page of its offer.
  private static let pixels = 600

  /// The address of a square picture in the size of the page of an offer; nil if the address names no smaller square
  /// size at the start of its last part.
  static func larger(_ url: String) -> String? {
    let parts = url.split(scalar: "/", omittingEmptySubsequences: false)
    guard parts.count > 3, let name = parts.last else { return nil }
    let digits = name.unicodeScalars.prefix { ("0"..."9").contains($0) }
    guard let size = Int(String(digits)), (1..<pixels).contains(size) else { return nil }
    let old = "\(size)x\(size)"
    guard name.hasPrefix(old), let next = name.dropFirst(old.count).unicodeScalars.first,
      !("0"..."9").contains(next)
    else { return nil }
    let start = parts.dropLast().joined(separator: "/")
    return "\(start)/\(pixels)x\(pixels)\(name.dropFirst(old.count))"
  }
}

/// The URL from which an offer's image is requested, resolved from the address in the feed.
struct ImageAddress: Hashable, Sendable {
  /// An http or https URL.
  let url: String

  /// - Parameters:
  ///   - text: the address as it is in the feed; it may be relative.
  ///   - feedSource: the source of the feed, the base of a relative address. An `http:` address is
  ///     upgraded to https if the feed itself is read from the same host by https, both on the
  ///     default port.
  /// - Throws: `OffersError` with `notFound` for an address that is empty, or relative to a feed
  ///   without a URL; `invalidRequest` for one that is not an http or https URL.
  init(_ text: String, feedSource: String?) throws(OffersError) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { throw OffersError(.notFound, "The offer has no picture.") }
    let source = feedSource.flatMap { URL(printed: $0) }.flatMap { Self.isOnWeb($0) ? $0 : nil }
    guard let url = URL(printed: text, relativeTo: source)?.absoluteURL else {
      throw OffersError(.invalidRequest, "The picture's address \(text) is not a URL.")
    }
    guard let scheme = url.scheme?.lowercased() else {
      throw OffersError(
        .notFound, "The picture's address \(text) is relative to a feed that is not on the web.")
    }
    guard Self.isOnWeb(url) else {
      throw OffersError(
        .invalidRequest, "The picture's address has the scheme \(scheme), which is not supported.")
    }
    self.url =
      Self.isUpgraded(url, source) ? "https" + url.absoluteString.dropFirst(4) : url.absoluteString
  }

  private static func isOnWeb(_ url: URL) -> Bool {
    let scheme = url.scheme?.lowercased()
    return (scheme == "http" || scheme == "https") && url.host()?.isEmpty == false
  }

  private static func isUpgraded(_ url: URL, _ source: URL?) -> Bool {
    guard let source, source.scheme?.lowercased() == "https", url.scheme?.lowercased() == "http",
      url.port == nil, source.port == nil || source.port == 443
    else { return false }
    return HTTPOrigin(url).host == HTTPOrigin(source).host
  }
}
