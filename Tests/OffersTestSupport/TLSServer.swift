import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import X509

/// A server on loopback that speaks TLS with a certificate of its own making, which nobody knows.
public final class TLSServer: Sendable {
  /// The certificate in PEM: who trusts it, trusts the server.
  public let certificate: String
  private let channel: any Channel

  /// The address of a path on this server, by the name that the certificate is for.
  public func url(_ path: String = "/offers.json") -> String {
    "https://localhost:\(channel.localAddress?.port ?? 0)\(path)"
  }

  /// - Parameter answer: what each connection is sent once it has asked for something.
  public init(answer: String) async throws {
    let key = P256.Signing.PrivateKey()
    let made = try Self.certificate(key)
    certificate = try made.serializeAsPEM().pemString
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
          .map { .certificate($0) },
        privateKey: .privateKey(
          try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))))
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            NIOSSLServerHandler(context: context), Answerer(answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// Stops to listen.
  public func stop() async throws { try await channel.close() }

  private static func certificate(_ key: P256.Signing.PrivateKey) throws -> Certificate {
    let key = Certificate.PrivateKey(key)
    let name = try DistinguishedName { CommonName("offers test") }
    return try Certificate(
      version: .v3, serialNumber: .init(), publicKey: key.publicKey,
      notValidBefore: Date() - 3600, notValidAfter: Date() + 86_400, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        SubjectAlternativeNames([.dnsName("localhost")])
      },
      issuerPrivateKey: key)
  }

  /// Sends the answer once a request has come, and closes.
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
