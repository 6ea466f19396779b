import NIOCore
import NIOHTTP1

/// A channel handler before NIO's `HTTPServerPipelineHandler`, which passes on the requests of a connection
/// one at a time. This one sees them when they arrive.
final class RequestIntake: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The maximum number of requests without a response; a further one closes the connection. One read has
  /// fewer. But when a client closes its side, NIO reads all data that the system has buffered.
  static let waitingLimit = 512

  private var waitingCount = 0
  private var isClosed = false

  /// The event that the client has closed the connection or its sending side. The pipeline handler passes
  /// on `ChannelEvent.inputClosed` only behind the requests that wait in it.
  struct ClientClosed: Sendable {}

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosed { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    waitingCount += 1
    if waitingCount > Self.waitingLimit {
      isClosed = true
      return context.close(promise: nil)
    }
    // Hummingbird's codec reduces a URL as target to its path. A proxy could have routed the request by the
    // host in that URL, while this server checks the one in the `Host` field. Only proxies are sent URLs,
    // and `RequestValidation` refuses this target.
    if head.uri.utf8.first != UInt8(ascii: "/") { head.uri = "*" }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    if case .end = unwrapOutboundIn(data) { waitingCount -= 1 }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      context.fireUserInboundEventTriggered(ClientClosed())
    }
    context.fireUserInboundEventTriggered(event)
  }
}

@available(*, unavailable)
extension RequestIntake: Sendable {}
