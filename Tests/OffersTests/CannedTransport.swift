import Foundation
import Offers
import Synchronization

/// A transport as an app may write one, with the public interface alone: it answers from memory.
final class CannedTransport: HTTPTransport {
  /// The responses by URL, and the requests so far.
  private let state: Mutex<(answers: [String: Answer], requests: [TransportRequest])>

  enum Answer: Sendable {
    case response(Int, [HeaderField] = [], String = "")
    case bytes([UInt8], [HeaderField])
    /// The body ends with an error after this text.
    case cut(String, any Error)
    case failure(any Error)
    /// The host's name resolves to this address, which is checked before a 200.
    case resolved(String)
  }

  init(_ answers: [String: Answer]) { state = Mutex((answers, [])) }

  func answer(_ url: String, _ answer: Answer) { state.withLock { $0.answers[url] = answer } }

  /// The URLs of all requests so far, in order.
  var asked: [String] { state.withLock { $0.requests.map(\.url.absoluteString) } }

  /// The value of a header field of the last request, given in lower case.
  func sent(_ name: String) -> String? {
    state.withLock { $0.requests.last?.headers.first { $0.name.lowercased() == name }?.value }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let answer = state.withLock {
      $0.requests.append(request)
      return $0.answers[request.url.absoluteString]
    }
    switch answer {
    case .response(let status, let headers, let text):
      return TransportResponse(status: status, headers: headers, bytes: Array(text.utf8))
    case .bytes(let bytes, let headers):
      return TransportResponse(status: 200, headers: headers, bytes: bytes)
    case .cut(let text, let error):
      let pieces = AsyncThrowingStream<[UInt8], any Error> {
        $0.yield(Array(text.utf8))
        $0.finish(throwing: error)
      }
      return TransportResponse(status: 200, body: pieces)
    case .failure(let error): throw error
    case .resolved(let address):
      try request.check(address: address)
      return TransportResponse(status: 200, bytes: Array("[]".utf8))
    case nil: return TransportResponse(status: 404, reason: "Not Found", bytes: [])
    }
  }
}
