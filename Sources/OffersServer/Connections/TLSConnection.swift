import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// The set-up of a connection over TLS: the handshake, then HTTP as over a plain connection.
///
/// A client that speaks plain HTTP fails the handshake, and its connection is closed.
struct TLSConnection: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  let base: HTTP1Channel
  let certificate: ServerCertificate

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let context = certificate.context(now: Date(), logger: logger)
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}
