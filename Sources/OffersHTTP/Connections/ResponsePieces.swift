/// The body of a response in pieces, as they arrive, with the errors that `HTTPTransport` requires.
///
/// The transfer ends when nobody can read it any more, and when the task that reads it is cancelled.
struct ResponsePieces: AsyncSequence, Sendable {
  fileprivate let reading: Reading

  init(_ transfer: ResponseStream, of connections: HTTPConnections) {
    reading = Reading(transfer, connections)
  }

  /// The right to read a transfer: its end is the end of the transfer. It keeps the connections open.
  fileprivate final class Reading: Sendable {
    let transfer: ResponseStream
    let connections: HTTPConnections

    init(_ transfer: ResponseStream, _ connections: HTTPConnections) {
      self.transfer = transfer
      self.connections = connections
    }

    deinit { connections.loop.cancel(transfer) }
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let reading: Reading

    mutating func next() async throws -> [UInt8]? {
      let (transfer, loop) = (reading.transfer, reading.connections.loop)
      return try await withTaskCancellationHandler {
        try await transfer.nextPiece { loop.resume(transfer) }
      } onCancel: {
        loop.cancel(transfer)
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }
}
