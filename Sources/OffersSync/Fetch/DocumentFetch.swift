import Foundation
import OffersCore

/// A fetch of a document by HTTP as a stream, within limits.
///
/// Redirects are followed here, not by the transport, so that each hop is checked. It must not go
/// from https to http. Unless `allowsPrivateNetwork` is true, it must not lead into a private
/// network, except to the server that the source names if `sourceMayBePrivate` is true.
struct DocumentFetch {
  let transport: any HTTPTransport
  let limits: FetchLimits
  /// The server that the feed's source names; nil for an image, whose server an offer names.
  let namedOrigin: HTTPOrigin?
  /// Whether the server of `namedOrigin` may be in a private network.
  let sourceMayBePrivate: Bool
  /// The advice in the error if the server of `namedOrigin` is in a private network and must not
  /// be; nil for the general advice.
  var sourceAdvice: Hint?
  let allowsPrivateNetwork: Bool
  /// Whether the document is an image instead of a feed.
  var isImage = false
  /// The headers of the feed's definition, which are sent to `namedOrigin` only.
  var headers: [(name: String, value: String)] = []
  /// Whether the document is an image, or the one that the source names, not a further page.
  let isFirst: Bool
  /// Whether the document is requested from the target of permanent redirects in earlier syncs,
  /// instead of the address in the source.
  let isMoved: Bool
  var condition = FetchCondition.none
  var trace: @Sendable (String) -> Void = { _ in }
  let log: FetchLog
  let now: @Sendable () -> Date
  /// Returns the error message in the body of an error response; nil if there is none.
  var explain: (_ body: [UInt8]) -> String? = { _ in nil }

  /// The number of bytes after which the body of a response that is not the document (a redirect, a
  /// 304 or an error) is not read on.
  private static let beginningBytes = 64 << 10

  /// Fetches the document.
  ///
  /// - Parameters:
  ///   - url: the URL to request first, before any redirects.
  ///   - between: called after each part of the body.
  ///   - handle: receives each part of the body.
  /// - Returns: false if the server answers that the document has not changed (304).
  /// - Throws: `OffersError` with `notFound` for 404 and 410, `sourceFailed` for any other
  ///   unexpected status and for network errors, `limitExceeded` past a limit, `malformedFeed` or
  ///   `malformedImage` for a type or coding of the body that is not supported;
  ///   `CancellationError`; the errors of `handle` and `between`.
  func read(
    url: String, between: () async throws -> Void, _ handle: PieceHandler
  ) async throws -> Bool {
    do {
      return try await readTranslated(url: url, between, handle)
    } catch let failure as CallerFailure {
      throw Task.isCancelled ? CancellationError() : failure.cause
    } catch {
      if let reason = (error as? TransportFailure)?.reason, let contact = Contact(reason) {
        log.answer.contact = contact
      }
      throw FetchFailure.translate(error, url)
    }
  }

  private func readTranslated(
    url: String, _ between: () async throws -> Void, _ handle: PieceHandler
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + .wait(seconds: limits.totalSeconds)
    let (response, address) = try await open(url, deadline)
    if response.status == 304 { return false }
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
    let head = DocumentMetadata(
      totalBytes: coding == nil ? total : nil, charset: Self.charset(in: type), address: address,
      nextLink: isImage ? nil : Self.nextLink(in: response.headers["link"]),
      isDeflate: coding == "deflate")
    var count = 0
    for try await piece in response.body {
      count += piece.count
      if count > limits.bodyBytes { throw FetchFailure.tooLarge(url, limits) }
      if ContinuousClock.now > deadline { throw FetchFailure.tooSlow(url, limits) }
      do {
        try piece.withUnsafeBytes { try handle($0, head) }
        try await between()
      } catch {
        throw CallerFailure(cause: error)
      }
    }
    return true
  }

  /// An error of `handle` or `between`, which is no failure of the fetch.
  private struct CallerFailure: Error {
    let cause: any Error
  }

  /// The compressions among the content codings that are registered at IANA.
  /// https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
  private static let compressions: Set<String> = [
    "br", "compress", "dcb", "dcz", "deflate", "gzip", "x-compress", "x-gzip", "zstd",
  ]

  /// The content coding that compresses the body; nil if there is none. A coding that is no compression,
  /// such as `aws-chunked` or `utf-8`, is passed over: the bytes tell what they are.
  ///
  /// - Throws: `OffersError` with `malformedFeed` for several compressions and for one other than gzip
  ///   and deflate; `malformedImage` for any compression of an image.
  private func contentCoding(_ response: TransportResponse, _ url: String) throws -> String? {
    let codings = response.headers["content-encoding"].flatMap { $0.split(scalar: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      .filter(Self.compressions.contains)
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
  ) async throws -> (TransportResponse, address: String) {
    var current = url
    var visited: Set<String> = [url]
    var isPermanent = true
    for _ in 0...max(0, limits.redirects) {
      let left = (deadline - .now) / .seconds(1)
      if left <= 0 { throw FetchFailure.tooSlow(url, limits) }
      let response = try await send(to: current, seconds: min(left, Double(limits.idleSeconds)))
      log.answer.status = response.status
      trace(
        "\(current) answered \(response.status)"
          + (condition.applies(to: current) ? " to a conditional request" : ""))
      switch response.status {
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
        guard visited.insert(target).inserted else {
          throw OffersError(
            .sourceFailed, "\(url) redirects in a circle, back to \(target).",
            hint: "Nothing was changed. Check the address.")
        }
        current = target
        isPermanent = isPermanent && [301, 308].contains(response.status)
        if isPermanent, isFirst { log.answer.permanentAddress = current }
      default:
        if response.status == 511 { log.answer.contact = .portal }
        // Only the address in the source can be gone for good, not the target of a redirect.
        log.answer.isGoneForGood =
          response.status == 410 && isFirst && !isMoved && current == url
        log.answer.retryAfter =
          [429, 503].contains(response.status)
          ? RetryAfter.date(response.headers.first(name: "retry-after"), now: now()) : nil
        throw FetchFailure.refused(
          current, response, explain(try await beginning(of: response, deadline)))
      }
    }
    throw OffersError(
      .sourceFailed, "\(url) redirects more than \(max(0, limits.redirects)) times.",
      hint: "Nothing was changed. Check the address.")
  }

  private func send(to address: String, seconds: Double) async throws -> TransportResponse {
    let count = log.answer.requestCount
    log.answer.status = nil
    do {
      let request = try TransportRequest(
        url: address, headers: headers(for: address),
        mayBePrivate: mayBePrivate(address),
        headSeconds: seconds, idleSeconds: Double(limits.idleSeconds))
      log.answer.requestCount += 1
      return try await transport.send(request)
    } catch let error as OffersError where error.advice == .allowPrivateNetwork {
      // The address was refused before anything was sent.
      log.answer.requestCount = count
      log.answer.contact = .stranger
      guard let sourceAdvice, isNamed(address) else { throw error }
      throw OffersError(error.code, error.message, advice: sourceAdvice, cause: error.cause)
    }
  }

  /// Stores the validators and the freshness lifetime of a 200 or 304 in the log, unless it is that
  /// of a further page.
  private func note(_ response: TransportResponse, from address: String) {
    guard isFirst else { return }
    let headers = response.headers
    let now = now()
    log.answer.addressMark = AddressMark.of(address)
    log.answer.validators = Validators(
      etag: headers.first(name: "etag"), lastModified: headers.first(name: "last-modified"),
      sentAt: headers.first(name: "date").flatMap(HTTPDate.parse), now: now)
    log.answer.freshSeconds = CacheFreshness.seconds(
      cacheControl: headers["cache-control"], expires: headers.first(name: "expires"),
      date: headers.first(name: "date"), age: headers.first(name: "age"), receivedAt: now)
  }

  /// The beginning of the body of a redirect, a 304 or an error; usually the whole body.
  private func beginning(
    of response: TransportResponse, _ deadline: ContinuousClock.Instant
  ) async throws -> [UInt8] {
    var body: [UInt8] = []
    for try await piece in response.body {
      body.append(contentsOf: piece)
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

  /// The most bytes of a `Link` header that are read.
  private static let linkHeaderBytes = 8 << 10
}
