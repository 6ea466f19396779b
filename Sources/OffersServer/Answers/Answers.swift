import Foundation
import HTTPTypes
import Hummingbird
import OffersCore

/// Responds to the reads of pages and of the API: with an `ETag`, and with 304 to a request that
/// names it (`TaggedContent`).
///
/// Responses are cached until any process commits to the database, or shorter (`Answer.Lifetime`);
/// errors are not. While the store cannot be reached, the last ones are held for an hour. A route calls
/// `try await answers.answer(request, for: context.visitor) { .page(html) }`.
struct Answers: Sendable {
  private let cache: ResponseCache
  private let signal: any CommitSignal
  private let now: @Sendable () -> Date

  /// - Parameter now: the clock of the age of held responses.
  init(
    cache: ResponseCache = ResponseCache(), signal: any CommitSignal,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.cache = cache
    self.signal = signal
    self.now = now
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
      cache.put(entry, at: Self.key(request, visitor), version: version, now: now())
    }
    return entry.content.response(to: request)
  }

  /// The cached response for the target of a request and its visitor; nil if there is none, or it is
  /// outdated.
  func findAnswer(to request: Request, for visitor: Visitor?) async -> Response? {
    await findVersion()
      .flatMap { cache.find(Self.key(request, visitor), version: $0, now: now()) }
      .map { $0.content.response(to: request) }
  }

  /// The last response to the target of a request and its visitor, for the time in which the store cannot
  /// be reached; nil if there was none within the hour. Its fields say that it may be stale, and how old
  /// it is (RFC 9111, section 5.1; RFC 7234, section 5.5.1).
  func findHeldAnswer(to request: Request, for visitor: Visitor?) -> Response? {
    guard let (entry, age) = cache.findHeld(Self.key(request, visitor), now: now()) else {
      return nil
    }
    var response = entry.content.response(to: request)
    response.headers[.age] = String(age)
    if let warning = Self.warning { response.headers[warning] = #"110 - "Response is Stale""# }
    return response
  }

  private static let warning = HTTPField.Name("Warning")

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
