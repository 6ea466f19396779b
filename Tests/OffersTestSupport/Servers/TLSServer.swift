import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A loopback server that speaks TLS with a self-signed certificate.
public final class TLSServer: Sendable {
  /// The server's certificate in PEM, to be trusted by clients.
  public let certificate: String
  private let channel: any Channel
  private let connections = ConnectionCount()

  /// The number of open connections.
  public var openConnections: Int { connections.count.withLock { $0 } }

  /// The port on which the server listens.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// The URL of a path on this server, with the host name of the certificate.
  public func url(_ path: String = "/offers.json") -> String {
    "https://localhost:\(port)\(path)"
  }

  /// - Parameters:
  ///   - answer: the bytes of a response, which the server sends on each connection when it has
  ///     received data.
  ///   - closes: whether it closes the connection then.
  public init(answer: String, closes: Bool = true) async throws {
    let connections = connections
    let made = try TestCertificate()
    certificate = made.certificate
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
          .map { .certificate($0) },
        privateKey: .privateKey(
          try NIOSSLPrivateKey(bytes: Array(made.key.utf8), format: .pem))))
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            NIOSSLServerHandler(context: context), Answerer(answer, closes, connections))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// Stops listening.
  public func stop() async throws { try await channel.close() }

  private final class ConnectionCount: Sendable {
    let count = Mutex(0)
  }

  /// Reads a request, sends the response, and closes the connection if it should.
  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let answer: String
    private let closes: Bool
    private let connections: ConnectionCount

    init(_ answer: String, _ closes: Bool, _ connections: ConnectionCount) {
      self.answer = answer
      self.closes = closes
      self.connections = connections
    }

    func channelActive(context: ChannelHandlerContext) {
      connections.count.withLock { $0 += 1 }
    }

    func channelInactive(context: ChannelHandlerContext) {
      connections.count.withLock { $0 -= 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = context.channel.allocator.buffer(string: answer)
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
      if closes { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
