import OffersTestSupport

@testable import OffersServer

/// A server on a loopback port, for tests of the connection itself.
struct LiveServer: Sendable {
  let port: Int

  /// Runs a server until the body has finished, and returns its result.
  static func run<Value: Sendable>(
    _ server: OffersServer, times: ConnectionDeadlines.Times = ConnectionDeadlines.Times(),
    limits: ConnectionTable.Limits = ConnectionTable.Limits(),
    _ body: @escaping @Sendable (LiveServer) async throws -> Value
  ) async throws -> Value {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        // The only error is the cancellation that follows the end of the body.
        try? await server.run(times, limits, handlesSignals: false) { ready.yield($0) }
        return nil
      }
      group.addTask {
        for await port in ports { return try await body(LiveServer(port: port)) }
        return nil
      }
      while let value = try await group.next() {
        guard let value else { continue }
        group.cancelAll()
        return value
      }
      throw CancellationError()
    }
  }

  /// The `Host` field that names the server.
  var host: String { "Host: 127.0.0.1:\(port)\r\n" }

  /// Sends a text over a new connection, and returns everything that is received until the server
  /// closes it.
  ///
  /// - Parameter enough: whether the text that was received so far suffices.
  func exchange(
    _ text: String, until enough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    let connection = try RawConnection(port: port)
    return try await connection.exchange(text, until: enough)
  }
}
