import Logging
import NIOCore
import NIOPosix
import NIOSSL
import OffersCore
import ServiceLifecycle

/// How often a server requests its own health check, and the report of each success.
package struct SelfCheckSchedule: Sendable {
  /// The interval, and the maximum time that the server may take to answer, in seconds.
  let seconds: Double
  let passed: @Sendable () -> Void

  /// - Parameters:
  ///   - seconds: the interval, and the maximum time that the server may take to answer.
  ///   - passed: called after each check that the server has answered.
  package init(seconds: Double, passed: @escaping @Sendable () -> Void) {
    self.seconds = seconds
    self.passed = passed
  }
}

/// Requests the health check of this server at an interval, over a connection like those of its
/// clients, and reports each success. If the server no longer accepts connections or answers, the
/// reports stop, and a service manager restarts it.
struct SelfCheck: Service {
  let schedule: SelfCheckSchedule
  /// The address of the server, once it listens.
  let addresses: AsyncStream<SocketAddress>
  /// The context of TLS; nil for a server that speaks plain HTTP.
  let context: NIOSSLContext?
  let logger: Logger

  /// Makes a context that accepts any certificate: the check asks whether the server answers, sends no
  /// secret, and knows the server by its address.
  static func makeContext() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    return try NIOSSLContext(configuration: configuration)
  }

  func run() async throws {
    for await address in addresses.cancelOnGracefulShutdown() {
      while !Task.isShuttingDownGracefully, !Task.isCancelled {
        // The only error is a cancellation: by the shutdown, or by another service that has failed.
        // Either ends the loop.
        try? await cancelWhenGracefulShutdown {
          if await Self.isAnswered(at: address, context, seconds: schedule.seconds) {
            schedule.passed()
          } else {
            logger.error("the server does not answer its own health check")
          }
          try await Task.sleep(for: .seconds(schedule.seconds))
        }
      }
    }
  }

  /// Whether a server answers the health check with 200.
  ///
  /// - Parameter seconds: the maximum time for the connection and the answer.
  static func isAnswered(
    at address: SocketAddress, _ context: NIOSSLContext? = nil, seconds: Double
  ) async -> Bool {
    // A refused connection, and one that is closed early, are failed checks.
    let isAnswered = try? await Timeout.run(seconds: seconds) {
      try await ask(address, context)
    } late: {
      CancellationError()
    }
    return isAnswered ?? false
  }

  private static let expected = "HTTP/1.1 200 "

  private static func ask(
    _ address: SocketAddress, _ context: NIOSSLContext?
  ) async throws -> Bool {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: nil))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    // The server accepts this name on any address that it listens on.
    let request = """
      GET /api/v1/health HTTP/1.1\r
      Host: localhost:\(address.port ?? 80)\r
      Connection: close\r
      \r

      """
    return try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: request))
      var answer = ""
      for try await part in inbound {
        answer += String(buffer: part)
        if answer.utf8.count >= expected.utf8.count { break }
      }
      return answer.hasPrefix(expected)
    }
  }
}
