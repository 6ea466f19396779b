import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import OffersServer

/// A response that a test has received whole.
struct APIAnswer: Sendable {
  let status: Int
  let headers: HTTPFields
  let body: ByteBuffer

  var text: String { String(buffer: body) }

  /// The body as a JSON object.
  var object: [String: Any] {
    get throws {
      let value = try JSONSerialization.jsonObject(with: Data(body.readableBytesView))
      return try #require(value as? [String: Any])
    }
  }

  /// A member that is an array of objects.
  func objects(_ name: String) throws -> [[String: Any]] {
    try #require(try object[name] as? [[String: Any]])
  }

  var detail: String { (try? object["detail"] as? String) ?? "" }

  /// The `Cookie` field of the first cookie that the response sets; nil if it sets none.
  var cookie: String? { headers[.setCookie].map { String($0.prefix { $0 != ";" }) } }
}

/// Sends requests to the responder of a server, without a network connection.
struct TestClient: Sendable {
  private let responder: ServedResponder
  /// The home of the server, whose files have to stay.
  private let home: ServedHome?
  /// The host that requests name.
  var host = "localhost"
  /// The fields of each request that are not given with it.
  private var fields: HTTPFields = [:]

  init(_ responder: ServedResponder, of home: ServedHome? = nil) {
    self.responder = responder
    self.home = home
  }

  /// The same client with a field in each request; nil takes it away.
  func with(_ name: HTTPField.Name, _ value: String?) -> TestClient {
    var client = self
    client.fields[name] = value
    return client
  }

  func with(_ name: String, _ value: String?) throws -> TestClient {
    with(try #require(HTTPField.Name(name)), value)
  }

  /// The same client with a `Cookie` field.
  func by(_ cookie: String?) -> TestClient { with(.cookie, cookie) }

  /// The same client with a bearer token.
  func bearing(_ token: String) -> TestClient { with(.authorization, "Bearer \(token)") }

  /// Requests a page, or an answer of the API.
  func get(_ path: String, headers: HTTPFields = [:]) async throws -> APIAnswer {
    try await send(.get, path, headers: headers)
  }

  /// Requests all pages of a list of the API, as its cursors continue it.
  ///
  /// - Parameter goesOn: whether a page has a next one.
  func pages(
    _ path: String, while goesOn: ([String: Any]) -> Bool = { $0["next_cursor"] is String }
  ) async throws -> [APIAnswer] {
    var pages = [try await get(path)]
    while let last = try pages.last?.object, goesOn(last) {
      let cursor = try #require(last["next_cursor"] as? String)
      pages.append(try await get("\(path)\(path.contains("?") ? "&" : "?")cursor=\(cursor)"))
    }
    for page in pages { #expect(page.status == 200, "\(page.text)") }
    return pages
  }

  /// Requests a page as a browser does.
  func page(_ path: String) async throws -> APIAnswer {
    try await get(path, headers: [.accept: "text/html"])
  }

  /// Sends a request to the API that changes something.
  func write(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
    headers: HTTPFields = [.contentType: "application/json"]
  ) async throws -> APIAnswer {
    try await send(method, path, headers: headers, body: body)
  }

  /// Sends a form as a page of the server does, or one of another origin.
  func form(
    _ path: String, _ body: String = "", origin: String? = "http://localhost"
  ) async throws -> APIAnswer {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.origin] = origin
    return try await send(.post, path, headers: headers, body: body)
  }

  /// Sends a request, whose body arrives in pieces as from a connection, and returns the response.
  ///
  /// - Parameters:
  ///   - path: the path, or its part behind `/api/v1/`.
  ///   - late: is called when the server waits for the body, before its first piece arrives.
  /// - Throws: the error that ends the body of the response.
  func send(
    _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String? = nil,
    late: (@Sendable () async -> Void)? = nil
  ) async throws -> APIAnswer {
    let body = body.map { ByteBuffer(string: $0) }
    // A field may stand several times, as `Cookie` does.
    var headers: HTTPFields = fields.filter { !headers.contains($0.name) } + headers
    if let body { headers[.contentLength] = "\(body.readableBytes)" }
    let request = Request(
      head: HTTPRequest(
        method: method, scheme: "http", authority: host,
        path: path.hasPrefix("/") ? path : "/api/v1/\(path)", headerFields: headers),
      body: late.map { Self.body(body, after: $0) }
        ?? RequestBody(asyncSequence: Self.pieces(of: body)))
    let context = ServedContext(
      source: ApplicationRequestContextSource(
        channel: NIOAsyncTestingChannel(),
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    let response = try await responder.respond(to: request, context: context)
    let received = ReceivedBody()
    try await response.body.write(received)
    return APIAnswer(
      status: response.status.code, headers: response.headers,
      body: received.bytes.withLock { $0 })
  }

  private static func body(
    _ whole: ByteBuffer?, after late: @escaping @Sendable () async -> Void
  ) -> RequestBody {
    let isSent = Mutex(false)
    return RequestBody(
      asyncSequence: AsyncStream(unfolding: {
        guard
          isSent.withLock({ sent in
            defer { sent = true }
            return !sent
          })
        else { return nil }
        await late()
        return whole ?? ByteBuffer()
      }))
  }

  private static func pieces(of body: ByteBuffer?) -> AsyncStream<ByteBuffer> {
    AsyncStream { stream in
      var rest = body ?? ByteBuffer()
      while let piece = rest.readSlice(length: min(32 << 10, rest.readableBytes)),
        piece.readableBytes > 0
      {
        stream.yield(piece)
      }
      stream.finish()
    }
  }
}

/// Collects the body of a response.
private final class ReceivedBody: ResponseBodyWriter {
  let bytes = Mutex(ByteBuffer())

  func write(_ buffer: ByteBuffer) {
    _ = bytes.withLock { $0.writeImmutableBuffer(buffer) }
  }

  func finish(_ trailingHeaders: HTTPFields?) {}
}
