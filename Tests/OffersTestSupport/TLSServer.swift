import NIOCore
import NIOPosix
import NIOSSL

/// A loopback server that speaks TLS with a self-signed certificate.
public final class TLSServer: Sendable {
  /// The server's certificate in PEM, to be trusted by clients.
  public let certificate: String
  private let channel: any Channel

  /// The URL of a path on this server, with the host name of the certificate.
  public func url(_ path: String = "/offers.json") -> String {
    "https://localhost:\(channel.localAddress?.port ?? 0)\(path)"
  }

  /// - Parameter answer: the bytes of a response, which the server sends on each connection when it
  ///   has received data.
  public init(answer: String) async throws {
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
            NIOSSLServerHandler(context: context), Answerer(answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// Stops listening.
  public func stop() async throws { try await channel.close() }

  /// Reads a request, sends the response and closes the connection.
  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let answer: String

    init(_ answer: String) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = context.channel.allocator.buffer(string: answer)
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
      context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
