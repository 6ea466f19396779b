import Synchronization

/// A transport that answers the same request again with the first response, so that a document that is
/// looked at, and then synced, is loaded once.
///
/// For the time of one command only: nothing expires. Responses that were read whole are kept in memory,
/// of at most 16 MiB together; those with an error are not.
package final class CachingTransport: HTTPTransport {
  private struct Answer {
    let status: Int
    let reason: String
    let headers: [HeaderField]
    let bytes: [UInt8]
  }

  private let transport: any HTTPTransport
  private let state = Mutex(State())
  private static let limitBytes = 16 << 20

  private struct State {
    var answers: [TransportRequest: Answer] = [:]
    var bytes = 0
  }

  package init(_ transport: any HTTPTransport) { self.transport = transport }

  /// Whether a document from an address is in memory, so that no request for it is sent.
  func hasAnswer(from address: String) -> Bool {
    guard let url = HTTPAddress(address)?.url else { return false }
    return state.withLock { $0.answers.keys.contains { $0.url == url } }
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let known = state.withLock({ $0.answers[request] }) {
      return TransportResponse(
        status: known.status, reason: known.reason, headers: known.headers, bytes: known.bytes)
    }
    let response = try await transport.send(request)
    guard response.status < 400 else { return response }
    let body = CopiedBody(body: response.body, limitBytes: Self.limitBytes) { [self] bytes in
      let answer = Answer(
        status: response.status, reason: response.reason, headers: response.headers, bytes: bytes)
      state.withLock { state in
        guard state.answers[request] == nil, state.bytes + bytes.count <= Self.limitBytes else {
          return
        }
        state.answers[request] = answer
        state.bytes += bytes.count
      }
    }
    return TransportResponse(
      status: response.status, reason: response.reason, headers: response.headers, body: body)
  }
}

/// A body whose bytes are passed to a closure when it has been read whole.
private struct CopiedBody: AsyncSequence, Sendable {
  let body: any AsyncSequence<[UInt8], any Error> & Sendable
  let limitBytes: Int
  let keep: @Sendable ([UInt8]) -> Void

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: body.makeAsyncIterator(), limitBytes: limitBytes, keep: keep)
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: any AsyncIteratorProtocol<[UInt8], any Error>
    let limitBytes: Int
    let keep: @Sendable ([UInt8]) -> Void
    /// The bytes so far; nil beyond the limit and after the end.
    var copy: [UInt8]? = []

    mutating func next() async throws -> [UInt8]? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
      guard let piece = try await rest.next(isolation: actor) else {
        if let copy { keep(copy) }
        copy = nil
        return nil
      }
      if let count = copy?.count, count + piece.count <= limitBytes {
        copy?.append(contentsOf: piece)
      } else {
        copy = nil
      }
      return piece
    }
  }
}
