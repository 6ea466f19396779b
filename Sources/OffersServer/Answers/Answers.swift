import Hummingbird
import OffersCore
import OffersStore
import Synchronization
import ZLib

/// Responds to the reads of pages and of the API: with an `ETag`, and with 304 to a request that
/// names it (`TaggedContent`).
///
/// Responses are cached until any process commits to the database, or shorter (`Answer.Lifetime`);
/// errors are not. A route calls
/// `try await answers.answer(request, for: context.visitor) { .page(html) }`.
struct Answers: Sendable {
  private let cache: ResponseCache
  private let store: OffersDatabase

  init(cache: ResponseCache = ResponseCache(), store: OffersDatabase) {
    self.cache = cache
    self.store = store
  }

  /// Makes the content of a response, caches it as its lifetime allows, and responds.
  ///
  /// - Parameter visitor: the visitor for whom the content is made. The cached response is used only for the same
  ///   user with the same right; with nil, for every request without a visitor.
  func answer(
    _ request: Request, for visitor: Visitor?, _ make: () async throws -> Answer
  ) async throws -> Response {
    // The version is read before the content. After a commit in between, new content is cached for
    // an old version, and never found; the reverse order could cache old content for a new version.
    let version = await findVersion()
    let answer = try await make()
    if case .never = answer.lifetime { return Self.response(answer, to: request) }
    let entry = Self.entry(answer)
    if let version {
      cache.put(entry, at: Self.key(request, visitor), version: version)
    }
    return entry.content.response(to: request)
  }

  /// The cached response for the target of a request and its visitor; nil if there is none, or it is
  /// outdated.
  func findAnswer(to request: Request, for visitor: Visitor?) async -> Response? {
    await findVersion()
      .flatMap { cache.find(Self.key(request, visitor), version: $0) }
      .map { $0.content.response(to: request) }
  }

  /// The response with content that needs no store and is not cached.
  static func response(_ answer: Answer, to request: Request) -> Response {
    content(answer).response(to: request)
  }

  /// The key of a response in the cache: the target, and the user with their right. The images of
  /// offers are the same for all.
  private static func key(_ request: Request, _ visitor: Visitor?) -> String {
    let target = request.uri.string
    guard let visitor, !target.hasPrefix("/api/v1/images/") else { return target }
    return "\(visitor.user.id) \(visitor.right.rawValue) \(target)"
  }

  /// The version of the database; nil if it cannot be read. Then no response is cached or taken
  /// from the cache.
  private func findVersion() async -> Int64? { try? await store.fetchDataVersion() }

  /// The response to a write, which must not be cached: a JSON object, whose members `body` writes.
  static func result(
    status: HTTPResponse.Status = .ok, _ body: (inout JSONWriter) -> Void
  ) -> Response {
    var json = JSONWriter()
    json.object(body)
    return result(json, status: status)
  }

  /// The response to a write: a JSON document.
  static func result(_ json: JSONWriter, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
  }

  private static func entry(_ answer: Answer) -> ResponseCache.Entry {
    var until: ContinuousClock.Instant?
    if case .seconds(let seconds) = answer.lifetime { until = .now + .seconds(seconds) }
    return ResponseCache.Entry(content: content(answer), until: until)
  }

  private static func content(_ answer: Answer) -> TaggedContent {
    TaggedContent(
      answer.contentType, answer.body, cacheControl: answer.cacheControl,
      fields: SecurityHeaders.fields(answer.reach))
  }
}

/// The content of a response to a read: a page, a JSON document or an image. `Answers` makes a
/// successful response of it, `Problem` one with an error.
struct Answer: Sendable {
  /// How long the server may reuse the content for requests with the same target.
  enum Lifetime: Sendable {
    /// The content may be reused until any process commits to the database.
    case untilWrite
    /// The content may be reused like `untilWrite`, but at most for this number of seconds.
    case seconds(Double)
    /// The content is made anew for each request.
    case never

    /// The lifetime of content that depends on which offers have expired.
    static let whileNoneExpires = Lifetime.seconds(60)
  }

  /// The maximum size of the texts in an answer, in bytes. A page ends before the offer that would
  /// exceed it, but has at least one offer.
  static let pageBytes = 4 << 20

  /// The value of `Cache-Control` for content that browsers may store and must revalidate.
  static let revalidated = "private, no-cache"

  let contentType: String
  var body: ByteBuffer
  var cacheControl = Self.revalidated
  var lifetime = Lifetime.untilWrite
  /// The content of other servers that a page may load.
  var reach = ContentSecurityPolicy.ownContent

  init(contentType: String, body: ByteBuffer) {
    self.contentType = contentType
    self.body = body
  }

  static func page(_ html: String) -> Answer {
    Answer(contentType: "text/html; charset=utf-8", body: ByteBuffer(string: html))
  }

  /// A JSON object, whose members `body` writes.
  static func json(_ body: (inout JSONWriter) throws -> Void) rethrows -> Answer {
    var json = JSONWriter()
    try json.object(body)
    return .json(json)
  }

  /// A JSON document.
  static func json(_ json: JSONWriter) -> Answer {
    Answer(contentType: "application/json", body: ByteBuffer(bytes: json.bytes))
  }
}

/// A cache of responses by target, with a limit of bytes.
///
/// All entries were made from one version of the database; the first of another version empties the cache,
/// as does one for which there is no room.
final class ResponseCache: Sendable {
  struct Entry: Sendable {
    let content: TaggedContent
    /// The time of expiry; nil if only a write invalidates the entry.
    let until: ContinuousClock.Instant?
  }

  private struct State {
    var version = Int64.min
    /// The entries by target.
    var entries: [String: Entry] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())
  private let limitBytes: Int
  /// The estimated size of an entry besides its content and its target, in bytes.
  private static let overheadBytes = 1024

  init(limitBytes: Int = 32 << 20) {
    self.limitBytes = limitBytes
  }

  /// The response to a target, if it was made from this version of the database and has not expired.
  func find(_ target: String, version: Int64) -> Entry? {
    state.withLock { state in
      guard state.version == version, let entry = state.entries[target] else { return nil }
      if let until = entry.until, until <= .now { return nil }
      return entry
    }
  }

  /// Adds a response, unless it is larger than an eighth of the cache. It replaces the response to
  /// the same target.
  ///
  /// - Parameter version: the version of the database from before the response was made.
  func put(_ entry: Entry, at target: String, version: Int64) {
    let bytes = Self.bytes(of: entry, at: target)
    if bytes > limitBytes / 8 { return }
    state.withLock { state in
      if let old = state.entries.removeValue(forKey: target) {
        state.bytes -= Self.bytes(of: old, at: target)
      }
      if state.version != version || state.bytes + bytes > limitBytes {
        state = State(version: version)
      }
      state.entries[target] = entry
      state.bytes += bytes
    }
  }

  private static func bytes(of entry: Entry, at target: String) -> Int {
    entry.content.body.readableBytes + 2 * target.utf8.count + overheadBytes
  }

  /// The number and the total size of the entries, for tests.
  var contents: (count: Int, bytes: Int) { state.withLock { ($0.entries.count, $0.bytes) } }
}

/// A representation of a resource (RFC 9110, section 3.2): a body with its header fields and its entity
/// tag, a hash of the body (section 8.8.3), for clients that accept it also in gzip.
///
/// The tag is strong. A client that accepts gzip gets the same tag as a weak one, because the compressed
/// body is the same content in different bytes (section 8.8.1).
struct TaggedContent: Sendable {
  let tag: String
  let body: ByteBuffer
  private let contentType: String
  private let fields: HTTPFields
  private let isCompressible: Bool

  init(
    _ contentType: String, _ body: ByteBuffer, cacheControl: String, fields: HTTPFields = [:]
  ) {
    var hash = DocumentHash()
    body.withUnsafeReadableBytes { hash.update($0) }
    tag = "\"\(hash.finish().hexadecimal)\""
    isCompressible = GzipCoding.isWorthIt(contentType, body)
    var fields = fields
    fields[.cacheControl] = cacheControl
    if GzipCoding.isText(contentType) { fields[.vary] = "Accept-Encoding" }
    self.body = body
    self.contentType = contentType
    self.fields = fields
  }

  /// Responds to a request: 304 if it names the tag.
  func response(to request: Request) -> Response {
    let isCompressed = isCompressible && GzipCoding.isAccepted(by: request)
    var headers = fields
    headers[.eTag] = isCompressed ? "W/" + tag : tag
    if let field = request.headers[.ifNoneMatch], Self.isNamed(tag, in: field) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = contentType
    var body = body
    if isCompressed, let smaller = GzipCoding.compress(body) {
      body = smaller
      headers[.contentEncoding] = "gzip"
    }
    headers[.contentLength] = String(body.readableBytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// Whether the value of `If-None-Match` names a tag, or is `*`, which names any tag. The field
  /// requires weak comparison (RFC 9110, section 13.1.2).
  private static func isNamed(_ tag: String, in field: String) -> Bool {
    // The tags of this server contain no comma; a foreign tag with one cannot match.
    field.split(scalar: ",").contains { part in
      let named = part.trimmingSpaces
      return named == "*" || named == tag || named == "W/" + tag
    }
  }
}

/// The content coding `gzip` of responses (RFC 9110, section 8.4.1.3).
enum GzipCoding {
  /// The smallest body that is worth it, in bytes: about one packet.
  private static let smallestBytes = 1000

  /// Whether a body becomes smaller: a text that is not small does.
  static func isWorthIt(_ contentType: String, _ body: ByteBuffer) -> Bool {
    isText(contentType) && body.readableBytes >= smallestBytes
  }

  /// Whether bodies of a media type are texts, and pictures made of text.
  static func isText(_ contentType: String) -> Bool {
    contentType.hasPrefix("text/") || contentType.hasPrefix("application/")
      || contentType.hasPrefix("image/svg+xml")
  }

  /// Whether a client accepts the coding, by its `Accept-Encoding` (RFC 9110, section 12.5.3).
  static func isAccepted(by request: Request) -> Bool {
    guard let field = request.headers[.acceptEncoding] else { return false }
    var isAnyAccepted = false
    for part in field.split(scalar: ",") {
      let words = part.lowercased().filter { $0 != " " && $0 != "\t" }.split(scalar: ";")
      guard let coding = words.first else { continue }
      let isRefused = words.dropFirst().contains { word in
        word.hasPrefix("q=") && word.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
      }
      if coding == "gzip" || coding == "x-gzip" { return !isRefused }
      if coding == "*" { isAnyAccepted = !isRefused }
    }
    return isAnyAccepted
  }

  /// The body in gzip; nil if it would not become smaller.
  static func compress(_ body: ByteBuffer) -> ByteBuffer? {
    let count = body.readableBytes
    guard let size = UInt32(exactly: count) else { return nil }
    var stream = z_stream()
    // Adding 16 to the window's bits asks for the header and trailer of gzip.
    let isOpen = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard isOpen == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var compressed = ByteBuffer()
    var isDone = false
    compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { output in
      body.withUnsafeReadableBytes { input in
        // zlib's type has no const; it does not write to its input.
        stream.next_in = UnsafeMutablePointer(
          mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = size
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = size
        isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
        return count - Int(stream.avail_out)
      }
    }
    return isDone ? compressed : nil
  }
}

extension Response {
  /// A page that the browser does not store.
  static func page(
    _ html: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = "text/html; charset=utf-8"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// A redirection by 303, after which the browser sends GET.
  static func seeOther(_ path: String, cookies: [String] = []) -> Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[values: .setCookie] = cookies
    return Response(status: .seeOther, headers: headers)
  }
}
