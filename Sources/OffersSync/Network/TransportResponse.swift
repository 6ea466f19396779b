/// The response to a ``TransportRequest``: its head, and its body as a stream.
public struct TransportResponse: Sendable {
  /// The HTTP status code, 200 or above: interim responses (1xx) are not passed on.
  public let status: Int
  /// The reason phrase after the status code, such as `Not Found`; empty if there is none.
  public let reason: String
  /// The header fields in the response's order.
  public let headers: [HeaderField]
  /// The bytes of the body, in nonempty pieces of any size. It is read once.
  public let body: any AsyncSequence<[UInt8], any Error> & Sendable

  /// Creates a response with a streamed body.
  public init(
    status: Int, reason: String = "", headers: [HeaderField] = [],
    body: any AsyncSequence<[UInt8], any Error> & Sendable
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }

  /// A response whose body is in memory.
  public init(
    status: Int, reason: String = "", headers: [HeaderField] = [], bytes: [UInt8]
  ) {
    let pieces = AsyncThrowingStream<[UInt8], any Error> { pieces in
      if !bytes.isEmpty { pieces.yield(bytes) }
      pieces.finish()
    }
    self.init(status: status, reason: reason, headers: headers, body: pieces)
  }
}
