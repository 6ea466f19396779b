import Foundation
import OffersCore
import OffersFeeds

/// A fetch of a document by HTTP as a stream, within limits.
///
/// Redirects are followed here, not by the transport, so that each hop is checked. It must not go
/// from https to http. Into a private network it must lead as far as the settings allow only.
struct DocumentFetch {
  let settings: FetchSettings
  /// The server that the feed's source names; nil for an image, whose server an offer names.
  let namedOrigin: HTTPOrigin?
  /// Whether the document is an image instead of a feed.
  var isImage = false
  /// The headers of the feed's definition, which are sent to `namedOrigin` only.
  var headers: [(name: String, value: String)] = []
  /// Whether the document is an image, or the one that the source names, not a further page.
  let isFirst: Bool
  /// Returns the error message in the body of an error response; nil if there is none.
  var explain: (_ body: [UInt8]) -> String? = { _ in nil }

  private var limits: FetchLimits { settings.limits }
  private var log: FetchLog { settings.log }

  /// The number of bytes after which the body of a response that is not the document (a redirect, a
  /// 304 or an error) is not read on.
  private static let beginningBytes = 64 << 10

  /// Fetches the document.
  ///
  /// - Parameters:
  ///   - url: the URL to request first, before any redirects.
  ///   - begin: called when the document begins, before its first byte.
  /// - Returns: false if the server answers that the document has not changed (304).
  /// - Throws: `OffersError` with `notFound` for 404 and 410, `sourceFailed` for any other
  ///   unexpected status and for network errors, `limitExceeded` past a limit, `malformedFeed` or
  ///   `malformedImage` for a type or coding of the body that is not supported;
  ///   `CancellationError`; the errors of `begin` and `handle`.
  func read(
    url: String, _ begin: (DocumentMetadata) async throws -> Void, _ handle: PieceHandler
  ) async throws -> Bool {
    do {
      return try await readTranslated(url: url, begin, handle)
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
    url: String, _ begin: (DocumentMetadata) async throws -> Void, _ handle: PieceHandler
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
      fields: response.headers, isDeflate: coding == "deflate")
    do {
      try await begin(head)
    } catch {
      throw CallerFailure(cause: error)
    }
    var count = 0
    for try await piece in response.body {
      count += piece.count
      if count > limits.bodyBytes { throw FetchFailure.tooLarge(url, limits) }
      if ContinuousClock.now > deadline { throw FetchFailure.tooSlow(url, limits) }
      do {
        try piece.withUnsafeBytes(handle)
      } catch {
        throw CallerFailure(cause: error)
      }
    }
    return true
  }

  /// An error of `begin` or `handle`, which is no failure of the fetch.
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
    var cookies = RedirectCookies()
    var isPermanent = true
    for _ in 0...max(0, limits.redirects) {
      let left = (deadline - .now) / .seconds(1)
      if left <= 0 { throw FetchFailure.tooSlow(url, limits) }
      if let until = try await settings.waits.find(current) {
        log.answer.retryAfter = until
        throw HostWaits.refusal(current, until: until)
      }
      let response = try await send(
        to: current, cookies, seconds: min(left, Double(limits.idleSeconds)))
      log.answer.retryAfter = await settings.waits.note(response, from: current)
      log.answer.status = response.status
      settings.trace(
        "\(current) answered \(response.status)"
          + (isConditional(current) ? " to a conditional request" : ""))
      switch response.status {
      case 200:
        note(response, from: current)
        return (response, current)
      case 304 where isConditional(current):
        note(response, from: current)
        log.answer.isNotModified = true
        // Reading the body to its end keeps the connection usable for the next request.
        _ = try await beginning(of: response, deadline)
        return (response, current)
      case 301, 302, 303, 307, 308:
        let target = try next(from: current, response)
        _ = try await beginning(of: response, deadline)
        let known = cookies.header(for: target)
        cookies.take(response, from: current, now: settings.now())
        // Some servers set a cookie by a redirect back to the same address.
        if cookies.header(for: target) != known { visited.removeAll() }
        guard visited.insert(target).inserted else {
          throw OffersError(
            .sourceFailed, "\(url) redirects in a circle, back to \(target).",
            hint: "Nothing was changed. Check the address.")
        }
        current = target
        isPermanent = isPermanent && cookies.isEmpty && [301, 308].contains(response.status)
        if isPermanent, isFirst { log.answer.permanentAddress = current }
      default:
        if response.status == 511 { log.answer.contact = .portal }
        // Only the address in the source can be gone for good, not the target of a redirect.
        log.answer.isGoneForGood =
          response.status == 410 && isFirst && settings.newAddress == nil && current == url
        let body = try await beginning(of: response, deadline)
        log.answer.isBehindLastPage =
          response.status == 400
          && body.withUnsafeBytes { $0.firstRange(of: "rest_post_invalid_page_number".utf8) != nil }
        throw FetchFailure.refused(current, response, explain(body))
      }
    }
    throw OffersError(
      .sourceFailed, "\(url) redirects more than \(max(0, limits.redirects)) times.",
      hint: "Nothing was changed. Check the address.")
  }

  private func send(
    to address: String, _ cookies: RedirectCookies, seconds: Double
  ) async throws -> TransportResponse {
    let count = log.answer.requestCount
    log.answer.status = nil
    log.answer.isBehindLastPage = false
    do {
      let request = try TransportRequest(
        url: address, headers: headers(for: address, cookies),
        mayBePrivate: mayBePrivate(address),
        headSeconds: seconds, idleSeconds: Double(limits.idleSeconds))
      log.answer.requestCount += 1
      return try await settings.transport.send(request)
    } catch let error as OffersError where error.hint == .allowPrivateNetwork {
      // The address was refused before anything was sent.
      log.answer.requestCount = count
      log.answer.contact = .stranger
      guard let sourceHint = settings.sourceHint, isNamed(address) else { throw error }
      throw OffersError(error.code, error.message, hint: sourceHint, cause: error.cause)
    }
  }

  /// Stores the validators and the freshness lifetime of a 200 or 304 in the log, unless it is that
  /// of a further page.
  private func note(_ response: TransportResponse, from address: String) {
    guard isFirst else { return }
    let headers = response.headers
    let now = settings.now()
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

  /// The links in the values of `Link` headers (RFC 8288), such as `<https://…>; rel="next"`.
  static func links(in values: [String]) -> [PageLink] {
    values.flatMap { value in
      var reader = LinkHeaderReader(value.utf8.prefix(linkHeaderBytes))
      return IteratorSequence(AnyIterator { reader.next() })
    }
  }

  /// The most bytes of a `Link` header that are read.
  private static let linkHeaderBytes = 8 << 10
}

/// The rules for the addresses of a document's requests: the source's own and those of redirects.
extension DocumentFetch {
  /// Whether the server of an address may be in a private network: if the options allow it, or if
  /// the user of this machine named that server.
  func mayBePrivate(_ address: String) -> Bool {
    settings.allowsPrivateNetwork || settings.sourceMayBePrivate && isNamed(address)
  }

  /// Whether an address is on the server that the source names.
  func isNamed(_ address: String) -> Bool {
    guard let namedOrigin else { return false }
    return HTTPOrigin(address) == namedOrigin
  }

  /// The target of a redirect.
  ///
  /// - Throws: `OffersError` with `sourceFailed` without a valid target, or for one from https to
  ///   http.
  func next(from url: String, _ response: TransportResponse) throws -> String {
    guard let location = response.headers.first(name: "location"),
      let target = URL(printed: location, relativeTo: URL(printed: url))?.absoluteURL,
      let scheme = target.scheme?.lowercased(), HTTPAddress(target.absoluteString) != nil
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
}

extension DocumentFetch {
  /// The types of feeds first, then those that other documents have, too: a server may offer a feed beside
  /// an index of its API (RFC 9110, section 12.5.1).
  private static let feedTypes = [
    "application/feed+json", "application/rss+xml", "application/atom+xml",
    "application/json;q=0.9",
    "application/xml;q=0.9", "text/xml;q=0.9", "*/*;q=0.5",
  ].joined(separator: ", ")

  /// Whether a request to an address is conditional; only that for the first page is.
  private func isConditional(_ address: String) -> Bool {
    isFirst && settings.condition.applies(to: address)
  }

  /// The header fields of a request.
  private func headers(for address: String, _ cookies: RedirectCookies) -> [HeaderField] {
    var fields = [
      .userAgent,
      HeaderField(
        "accept",
        isImage
          ? "image/avif, image/webp, image/png, image/jpeg, image/gif"
          : Self.feedTypes),
      // The formats of images are already compressed.
      HeaderField("accept-encoding", isImage ? "identity" : "gzip, deflate"),
    ]
    if isConditional(address) {
      log.answer.isConditional = true
      fields += settings.condition.validators.conditions.map { HeaderField($0.name, $0.value) }
    }
    // The definition's headers, which may hold a secret, are not sent to other origins.
    if isNamed(address) {
      for (name, value) in headers { fields.replace(name, with: value) }
    }
    if let cookie = cookies.header(for: address) {
      let own = fields.first(name: "cookie")
      fields.replace("cookie", with: own.map { "\($0); \(cookie)" } ?? cookie)
    }
    return fields
  }
}

/// The settings of a fetch of a feed besides its address, and the log of its responses.
struct FetchSettings {
  let transport: any HTTPTransport
  let limits: FetchLimits
  var allowsPrivateNetwork = false
  /// Whether the server that the source names may be in a private network. Servers of redirects and
  /// next pages may be there only with `allowsPrivateNetwork`, unless they are the same one.
  let sourceMayBePrivate: Bool
  /// The advice in the error if the source leads to a private network and must not; nil for the
  /// general advice.
  var sourceHint: Hint?
  /// The condition of the request for the first document.
  var condition = FetchCondition.none
  /// The URL that the source has permanently moved to, which is requested instead; nil if it has
  /// not moved.
  var newAddress: String?
  let now: @Sendable () -> Date
  var waits: HostWaits
  /// Called with a line about each response. The receiver must remove the values of variables from
  /// the line before it is logged.
  var trace: @Sendable (String) -> Void = { _ in }
  let log = FetchLog()
}

/// The condition of a request: the server sends the document only if it differs from the stored
/// one, and otherwise answers 304 (RFC 9110, section 13).
struct FetchCondition: Sendable {
  /// The validators of the stored document.
  let validators: Validators
  /// The `AddressMark` of the URL that the validators came from; they are sent to no other URL.
  let addressMark: String?

  /// No condition: an unconditional request.
  static let none = FetchCondition(validators: .none, addressMark: nil)

  /// Whether a request to a URL carries the condition.
  func applies(to address: String) -> Bool {
    !validators.isEmpty && AddressMark.of(address) == addressMark
  }
}

/// The facts about a document that are known before its first byte.
struct DocumentMetadata: Sendable {
  /// The size of the document in bytes, compressed if it is a compressed file; nil when it is
  /// unknown, as for a pipe or a response with a `Content-Encoding`.
  var totalBytes: Int?
  /// The character encoding that the server declares; nil if it declares none.
  var charset: String?
  /// The final URL after redirects, the base of relative links in the document; nil if the document
  /// does not come from a server.
  var address: String?
  /// The header fields of the response.
  var fields: [HeaderField] = []
  /// Whether the server declared `Content-Encoding: deflate`. Servers send zlib or raw deflate data
  /// under that name.
  var isDeflate = false
}

extension DocumentMetadata {
  /// The links of the `Link` headers (RFC 8288), whose targets may be relative.
  var links: [PageLink] { DocumentFetch.links(in: fields["link"]) }
  /// The next page's address from the `Link` header, which may be relative; nil if there is none.
  var nextLink: String? { links.first { $0.relations.contains("next") }?.target }
}

/// Receives a document's bytes in chunks that are valid only during the call.
typealias PieceHandler = (UnsafeRawBufferPointer) throws -> Void

/// A hash of a document's URL. It is stored instead of the URL, which may contain secrets: the
/// values of environment variables.
enum AddressMark {
  /// The hash of a URL as 32 hexadecimal digits.
  static func of(_ address: String) -> String {
    var hash = DocumentHash()
    var address = address
    address.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    return hash.finish().hexadecimal
  }
}
