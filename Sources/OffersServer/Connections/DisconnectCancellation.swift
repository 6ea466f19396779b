import Hummingbird

/// Work for a request that ends with its connection.
enum DisconnectCancellation {
  /// Runs a closure that may take long, and cancels it when the client closes the connection. The
  /// connection is closed after the response.
  ///
  /// - Parameters:
  ///   - request: the request, whose body has not been read.
  ///   - hasConnection: whether the request came over a network connection.
  ///   - work: makes the response from the request that it is passed.
  static func run(
    _ request: Request, hasConnection: Bool,
    _ work: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    guard hasConnection else { return try await work(request) }
    return try await request.body.consumeWithCancellationOnInboundClose { body in
      try await work(Request(head: request.head, body: body))
    }
  }
}
