import HTTPTypes
import Hummingbird
import OffersCore

/// Responds to the reads of pages and of the API: with an `ETag`, and with 304 to a request that
/// names it (`TaggedContent`).
///
/// Responses are cached until any process commits to the database, or shorter (`Answer.Lifetime`);
/// errors are not. A route calls
/// `try await answers.answer(request, for: context.visitor) { .page(html) }`.
struct Answers: Sendable {
  private let cache: ResponseCache
  private let signal: any CommitSignal

  init(cache: ResponseCache = ResponseCache(), signal: any CommitSignal) {
    self.cache = cache
    self.signal = signal
  }

  /// Makes the content of a response, caches it as its lifetime allows, and responds.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - visitor: the visitor for whom the content is made. The cached response is used only for the same
  ///     user with the same right; with nil, for every request without a visitor.
  ///   - make: makes the content.
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
  private func findVersion() async -> Int64? { try? await signal.fetchDataVersion() }

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
