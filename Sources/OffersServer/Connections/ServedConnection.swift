import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// The set-up of a connection: with a certificate the handshake of TLS, then the channel handlers of HTTP.
///
/// A client that speaks plain HTTP on a connection with TLS fails the handshake, and its connection is
/// closed.
struct ServedConnection: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  let base: HTTP1Channel
  /// The certificate; nil for plain HTTP.
  let certificate: ServerCertificate?

  /// The size of one read in bytes. It bounds the requests that wait in `HTTPServerPipelineHandler`, which
  /// reads nothing more while one is answered, because the decoder emits all requests of a read at once.
  private static let readBytes = 4096

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      try channel.syncOptions?.setOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
      guard let certificate else { return }
      let context = certificate.context(now: Date(), logger: logger)
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap {
      base.setup(channel: channel, logger: logger)
    }.flatMapThrowing { value in
      // Both work on NIO's own parts of requests, and so have to come before Hummingbird's codec.
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandlers(
        [RequestIntake(), HTTPServerPipelineHandler()],
        position: .before(pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}
