import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OffersCore

/// A fetch of a document by HTTP as a stream, within limits.
///
/// Redirects are followed here, not by the client, so that each hop is checked: it must not go from
/// https to http, and only the server that the source names may be in a private network.
struct HTTPDocument {
  let transport: any HTTPTransport
  let limits: FetchLimits
  /// The server that the source names; nil if no source names one.
  let namedOrigin: HTTPOrigin?
  /// Whether that server may be in a private network.
  let sourceMayBePrivate: Bool
  /// The advice of the error if that server is in a private network and must not be.
  var sourceAdvice: Advice?
  let allowsPrivateNetwork: Bool
  /// Whether the document is an image instead of a feed.
  var isImage = false
  /// The headers of the feed's definition.
  var headers: [(name: String, value: String)] = []
  /// Whether the document is the one that the source names, and not a further page.
  let isFirst: Bool
  /// Whether the document is fetched from the address that a permanent redirect named earlier.
  let isMoved: Bool
  var condition = FetchCondition.none
  var trace: @Sendable (String) -> Void = { _ in }
  let log: FetchLog
  let now: @Sendable () -> Date
  /// Finds the error message in the body of an error response.
  var explain: (_ body: [UInt8]) -> String? = { _ in nil }

  /// The maximum number of bytes that are read from the body of a response that is not the
  /// document: a redirect or an error.
  private static let beginningBytes = 64 << 10

  /// Fetches the document, and passes each part of its body to `handle`.
  ///
  /// - Parameter between: called after each part.
  /// - Returns: false if the server answers that the document has not changed (304).
  /// - Throws: `OffersError` with `sourceFailed` for network errors and for a status other than 200
  ///   and 304, `limitExceeded` past a limit; otherwise the errors of `handle`.
  func read(
    url: String, between: () async throws -> Void, _ handle: PieceHandler
  ) async throws -> Bool {
    do {
      return try await readTranslated(url: url, between, handle)
    } catch {
      throw FetchFailure.translate(error, url, limits)
    }
  }

  private func readTranslated(
    url: String, _ between: () async throws -> Void, _ handle: PieceHandler
  ) async throws -> Bool {
    guard Self.hasPossiblePort(URL(string: url)) else { throw HTTPClientError.invalidURL }
    let deadline = ContinuousClock.now + .seconds(limits.totalSeconds)
    let (response, address) = try await open(url, deadline)
    if response.status == .notModified { return false }
    let type = response.headers.first(name: "content-type")?.lowercased() ?? ""
    // A web page is recognized by its bytes, because servers send many feeds as text/html.
    if !isImage, type.hasPrefix("image/") || type.hasPrefix("video/") {
      let kind = type.prefix { $0 != ";" }
      throw OffersError(
        .malformedFeed, "\(url) sent \(kind), not a feed.",
        hint: "Nothing was changed. Open it in a browser: it may ask for a login.")
    }
    let total = response.headers.first(name: "content-length").flatMap { Int($0) }
    if let total, total > limits.bodyBytes { throw FetchFailure.tooLarge(url, limits) }
    let coding = try contentCoding(response, url)
    let head = DocumentHead(
      totalBytes: coding == nil ? total : nil, charset: Self.charset(in: type), address: address,
      nextLink: isImage ? nil : Self.nextLink(in: response.headers["link"]),
      isDeflate: coding == "deflate")
    var count = 0
    for try await buffer in response.body {
      count += buffer.readableBytes
      if count > limits.bodyBytes { throw FetchFailure.tooLarge(url, limits) }
      if ContinuousClock.now > deadline { throw FetchFailure.tooSlow(url, limits) }
      try buffer.withUnsafeReadableBytes { try handle($0, head) }
      try await between()
    }
    return true
  }

  /// The content coding of the body; nil if it is not compressed.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `malformedImage` for an unsupported coding.
  private func contentCoding(_ response: HTTPClientResponse, _ url: String) throws -> String? {
    let codings = response.headers[canonicalForm: "content-encoding"]
      .map { $0.lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
    guard let coding = codings.first else { return nil }
    guard codings.count == 1, !isImage, ["gzip", "x-gzip", "deflate"].contains(coding) else {
      throw OffersError(
        isImage ? .malformedImage : .malformedFeed,
        "\(url) has the unsupported content encoding \(codings.joined(separator: ", ")).",
        hint: "Nothing was changed. Decompress it, and sync from the file.")
    }
    return coding
  }

  private func open(
    _ url: String, _ deadline: ContinuousClock.Instant
  ) async throws -> (HTTPClientResponse, address: String) {
    var current = url
    var isPermanent = true
    for _ in 0...limits.redirects {
      let left = (deadline - .now) / .seconds(1)
      if left <= 0 { throw FetchFailure.tooSlow(url, limits) }
      log.answer.requestCount += 1
      log.answer.status = nil
      let response: HTTPClientResponse
      do {
        response = try await transport.execute(
          request(for: current),
          mayBePrivate: allowsPrivateNetwork || sourceMayBePrivate && isNamed(current),
          timeoutSeconds: min(left, Double(limits.idleSeconds)))
      } catch let error as OffersError {
        // The address was refused before a request was sent.
        log.answer.requestCount -= 1
        guard let sourceAdvice, error.remedy == .allowPrivateNetwork, isNamed(current) else {
          throw error
        }
        throw OffersError(error.code, error.message, advice: sourceAdvice, cause: error.cause)
      }
      log.answer.status = Int(response.status.code)
      trace(
        "\(current) answered \(response.status.code)"
          + (condition.applies(to: current) ? " to a conditional request" : ""))
      switch response.status.code {
      case 200:
        note(response, from: current)
        return (response, current)
      case 304 where condition.applies(to: current):
        note(response, from: current)
        log.answer.isNotModified = true
        // Reading the body to its end keeps the connection usable for the next request.
        _ = try await beginning(of: response, deadline)
        return (response, current)
      case 301, 302, 303, 307, 308:
        let target = try next(from: current, response)
        _ = try await beginning(of: response, deadline)
        current = target
        isPermanent = isPermanent && [301, 308].contains(response.status.code)
        if isPermanent, isFirst { log.answer.permanentAddress = current }
      default:
        // Only the source's own server can say that it is gone for good, not the target of a
        // redirect.
        log.answer.isGoneForGood =
          response.status == .gone && isFirst && !isMoved && current == url
        log.answer.retryAfter =
          [429, 503].contains(response.status.code)
          ? RetryAfter.date(response.headers.first(name: "retry-after"), now: now()) : nil
        throw FetchFailure.refused(
          current, response, explain(try await beginning(of: response, deadline)))
      }
    }
    throw OffersError(
      .sourceFailed, "\(url) redirects more than \(limits.redirects) times.",
      hint: "Nothing was changed. Check the address.")
  }

  /// Whether an address is on the server that the source names.
  private func isNamed(_ address: String) -> Bool {
    guard let namedOrigin else { return false }
    return HTTPOrigin(address) == namedOrigin
  }

  private func request(for address: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "user-agent", value: "offers/\(Version.current)")
    request.headers.add(
      name: "accept",
      value: isImage
        ? "image/avif, image/webp, image/png, image/jpeg, image/gif"
        : "application/json, application/xml, text/xml, */*;q=0.5")
    // The formats of images are already compressed.
    request.headers.add(name: "accept-encoding", value: isImage ? "identity" : "gzip, deflate")
    if condition.applies(to: address) {
      log.answer.isConditional = true
      for (name, value) in condition.validators.conditions {
        request.headers.add(name: name, value: value)
      }
    }
    // The definition's headers, which may hold a secret, are not sent to other hosts.
    if isNamed(address) {
      for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    }
    return request
  }

  /// Stores the validators and the freshness of a response in the log.
  private func note(_ response: HTTPClientResponse, from address: String) {
    guard isFirst else { return }
    let headers = response.headers
    let now = now()
    log.answer.addressMark = AddressMark.of(address)
    log.answer.validators = Validators(
      etag: headers.first(name: "etag"), lastModified: headers.first(name: "last-modified"),
      now: now)
    log.answer.freshSeconds = CacheFreshness.seconds(
      cacheControl: headers["cache-control"], expires: headers.first(name: "expires"),
      date: headers.first(name: "date"), age: headers.first(name: "age"), receivedAt: now)
  }

  /// Whether the port of a URL fits into 16 bits. AsyncHTTPClient traps on any other port.
  private static func hasPossiblePort(_ url: URL?) -> Bool {
    (0...Int(UInt16.max)).contains(url?.port ?? 0)
  }

  private func next(from url: String, _ response: HTTPClientResponse) throws -> String {
    guard let location = response.headers.first(name: "location"),
      let target = URL(string: location, relativeTo: URL(string: url))?.absoluteURL,
      let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https",
      Self.hasPossiblePort(target)
    else {
      throw OffersError(
        .sourceFailed, "\(url) redirects without a valid address.", hint: "Nothing was changed.")
    }
    if scheme == "http", url.lowercased().hasPrefix("https:") {
      throw OffersError(
        .sourceFailed, "\(url) redirects to the unencrypted \(target.absoluteString).",
        hint: "Nothing was changed. If that is right, sync from that address.")
    }
    return target.absoluteString
  }

  /// The beginning of the body of a redirect or an error; usually the whole body.
  private func beginning(
    of response: HTTPClientResponse, _ deadline: ContinuousClock.Instant
  ) async throws -> [UInt8] {
    var body: [UInt8] = []
    for try await buffer in response.body {
      body.append(contentsOf: buffer.readableBytesView)
      if body.count > Self.beginningBytes || ContinuousClock.now > deadline { break }
    }
    return body
  }

  /// The charset of a content type such as `text/xml; charset="utf-8"`; nil if there is none.
  private static func charset(in type: String) -> String? {
    guard let found = type.firstRange(of: "charset=") else { return nil }
    let value = type[found.upperBound...].prefix { $0 != ";" }
      .trimmingCharacters(in: CharacterSet(charactersIn: " \"'"))
    return value.isEmpty ? nil : value
  }

  /// The target of `<https://…>; rel="next"` in the values of `Link` headers (RFC 8288); nil if
  /// there is none.
  static func nextLink(in values: [String]) -> String? {
    for value in values {
      var link = LinkHeaderReader(value.utf8.prefix(linkHeaderBytes))
      while let (target, relations) = link.next() {
        if relations.contains("next") { return target }
      }
    }
    return nil
  }

  /// The part of a `Link` header that is read, in bytes.
  private static let linkHeaderBytes = 8 << 10
}
