import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import OffersServer

/// A response that a test has received whole.
struct TestResponse: Sendable {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: ByteBuffer
}

/// Sends requests to the responder of a server, without a network connection.
struct TestClient: Sendable {
  private let responder: ServedResponder
  /// The host that requests name.
  var host = "localhost"

  init(_ responder: ServedResponder) { self.responder = responder }

  /// Sends a request, whose body arrives in pieces as from a connection, and returns the response.
  ///
  /// - Parameter late: is called when the server waits for the body, before its first piece arrives.
  /// - Throws: the error that ends the body of the response.
  @discardableResult
  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil,
    late: (@Sendable () async -> Void)? = nil
  ) async throws -> TestResponse {
    var headers = headers
    if let body { headers[.contentLength] = "\(body.readableBytes)" }
    let request = Request(
      head: HTTPRequest(
        method: method, scheme: "http", authority: host, path: uri, headerFields: headers),
      body: late.map { Self.body(body, after: $0) }
        ?? RequestBody(asyncSequence: Self.pieces(of: body)))
    let context = ServedContext(
      source: ApplicationRequestContextSource(
        channel: NIOAsyncTestingChannel(),
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    let response = try await responder.respond(to: request, context: context)
    let received = ReceivedBody()
    try await response.body.write(received)
    return TestResponse(
      status: response.status, headers: response.headers, body: received.bytes.withLock { $0 })
  }

  /// Sends a request, and calls `read` with the response.
  @discardableResult
  func execute<Value>(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil,
    late: (@Sendable () async -> Void)? = nil, read: (TestResponse) async throws -> Value
  ) async throws -> Value {
    try await read(execute(uri: uri, method: method, headers: headers, body: body, late: late))
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
