import AsyncHTTPClient
import NIOCore

/// The body of a response in pieces, as they arrive, with the errors that `HTTPTransport` requires.
struct ResponsePieces: AsyncSequence, Sendable {
  let body: HTTPClientResponse.Body

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var buffers: HTTPClientResponse.Body.AsyncIterator

    mutating func next() async throws -> [UInt8]? {
      do {
        return try await buffers.next().map { Array($0.readableBytesView) }
      } catch {
        throw ClientFailure.translate(error)
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(buffers: body.makeAsyncIterator()) }
}
