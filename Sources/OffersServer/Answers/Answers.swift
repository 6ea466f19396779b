import HTTPTypes
import Hummingbird
import OffersCore

/// Sends answers to reads, those of pages and of the API alike: with a strong `ETag`, as “not
/// modified” to whom has it, and from memory as long as nothing was written.
///
/// A route does no more than `try await answers.answer(request) { .page(html) }`. What it throws is
/// sent as an error and not remembered.
struct Answers: Sendable {
  private let cache: ResponseCache
  private let signal: any ChangeSignal

  init(cache: ResponseCache = ResponseCache(), signal: any ChangeSignal) {
    self.cache = cache
    self.signal = signal
  }

  /// Makes an answer, remembers it, and sends it.
  func answer(
    _ request: Request, _ make: () async throws -> Answer
  ) async throws -> Response {
    // Before anything is read: what was written meanwhile makes the answer one of the past.
    let version = findVersion()
    let answer = try await make()
    let entry = Self.entry(answer)
    if case .never = answer.lifetime { return Self.response(entry, to: request) }
    if let version { cache.put(entry, at: request.uri.string, version: version) }
    return Self.response(entry, to: request)
  }

  /// The answer that was given to the same request before, if it still holds.
  func findAnswer(to request: Request) -> Response? {
    findEntry(for: request).map { Self.response($0, to: request) }
  }

  /// The same in its parts; no body where the asker has it.
  func findParts(of request: Request) -> (head: HTTPResponse, body: ByteBuffer?)? {
    guard let entry = findEntry(for: request) else { return nil }
    return Self.isKnown(entry, to: request)
      ? (HTTPResponse(status: .notModified, headerFields: entry.notModifiedHeaders), nil)
      : (HTTPResponse(status: .ok, headerFields: entry.headers), entry.body)
  }

  private func findEntry(for request: Request) -> ResponseCache.Entry? {
    findVersion().flatMap { cache.find(request.uri.string, version: $0) }
  }

  /// While it cannot be had, nothing is remembered and all is made anew.
  private func findVersion() -> Int64? { try? signal.fetchDataVersion() }

  private static func isKnown(_ entry: ResponseCache.Entry, to request: Request) -> Bool {
    request.headers[.ifNoneMatch].map { EntityTag.isNamed(entry.tag, in: $0) } ?? false
  }

  /// The answer to a write, which nobody keeps.
  static func result(
    status: HTTPResponse.Status = .ok, _ body: (inout JSONWriter) -> Void
  ) -> Response {
    var json = JSONWriter()
    json.object(body)
    return result(json, status: status)
  }

  /// The same, of what was written.
  static func result(_ json: JSONWriter, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
  }

  private static func response(_ entry: ResponseCache.Entry, to request: Request) -> Response {
    if isKnown(entry, to: request) {
      return Response(status: .notModified, headers: entry.notModifiedHeaders)
    }
    return Response(
      status: .ok, headers: entry.headers, body: ResponseBody(byteBuffer: entry.body))
  }

  private static func entry(_ answer: Answer) -> ResponseCache.Entry {
    let tag = EntityTag.make(of: answer.body)
    var headers = SecurityHeaders.fields(framesSites: answer.framesSites)
    headers[.eTag] = tag
    headers[.cacheControl] = answer.cacheControl
    let notModified = headers
    headers[.contentType] = answer.contentType
    headers[.contentLength] = String(answer.body.readableBytes)
    var until: ContinuousClock.Instant?
    if case .seconds(let seconds) = answer.lifetime { until = .now + .seconds(seconds) }
    return ResponseCache.Entry(
      tag: tag, headers: headers, notModifiedHeaders: notModified, body: answer.body, until: until)
  }
}
