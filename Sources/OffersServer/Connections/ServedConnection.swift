import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL
import OffersCore

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

/// A channel handler that ends connections whose clients are slow, and those that must not be reused.
///
/// Hummingbird closes connections on which no request arrives (`Times.idle`). It waits for a body as long
/// as any byte of it arrives, and for a client that does not read without an end, which this handler
/// bounds. It comes behind NIO's `HTTPServerPipelineHandler`, which passes it one request at a time.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The timeouts of a connection.
  struct Times: Sendable {
    /// The time without a request, an incomplete head included. It is that of nginx for the connections
    /// that it keeps to a server.
    var idle = TimeAmount.seconds(60)
    /// The time from the head of a request to the end of its body.
    var body = TimeAmount.seconds(15)
    /// The time in which the client must read enough of a response for the channel to be writable
    /// again.
    var reading = TimeAmount.seconds(30)
  }

  private let times: Times
  private let table: ConnectionTable
  /// The number of the connection in the table, while it is open.
  private var number: ConnectionTable.Number?
  /// Closes the connection unless the rest of a body arrives before.
  private var bodyTimer: Scheduled<Void>?
  /// Closes the connection unless the client reads enough of the response before.
  private var readingTimer: Scheduled<Void>?
  private var isAnswering = false
  /// Whether the latest request was received completely.
  private var isWhole = true
  /// Whether the connection is closed after the current response.
  private var closesAfterAnswer = false
  private var isClosing = false
  /// Whether the client has closed the connection or its sending side.
  private var isClosedByClient = false
  /// The response that the client waits for; nil if there is none that needs the client.
  private var awaited: Awaited?

  init(_ times: Times = Times(), table: ConnectionTable) {
    self.times = times
    self.table = table
  }

  /// The event by which the responder asks the connection to tell if the client is gone before the
  /// response to its request is complete. A client that closes only its sending side counts as gone,
  /// because one that closes both sides looks the same.
  struct Awaited: Sendable {
    let whenClosed: @Sendable () -> Void
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let event = event as? Awaited else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    if isClosedByClient { event.whenClosed() } else if isAnswering { awaited = event }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is RequestIntake.ClientClosed { return noteClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  private func noteClosed() {
    isClosedByClient = true
    awaited?.whenClosed()
    awaited = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    // A connection that was reset before it was accepted has no address.
    guard let peer = context.remoteAddress.flatMap(Peer.init) else { return close(context) }
    let channel = context.channel
    number = table.add(peer) { channel.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    noteClosed()
    bodyTimer?.cancel()
    readingTimer?.cancel()
    if let number { table.remove(number) }
    number = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosing { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      isAnswering = true
      isWhole = false
      bodyTimer = close(context, after: times.body)
      let words = head.headerFields[.connection]?.split(scalar: ",") ?? []
      if words.contains(where: { $0.trimmingSpaces.lowercased() == "close" }) {
        closesAfterAnswer = true
      }
    case .body: break
    case .end:
      isWhole = true
      bodyTimer?.cancel()
      updateWorking(context)
    }
    context.fireChannelRead(data)
  }

  /// Ends the connection with the response to a request whose body is malformed. Hummingbird would answer with
  /// 400 behind that response as well, if it was made without the body.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError, !isWhole {
      guard isAnswering else { return close(context) }
      closesAfterAnswer = true
    }
    context.fireErrorCaught(error)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    // A response may be complete after the connection was closed.
    if isClosing || !context.channel.isActive {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if head.headerFields[.connection] == "close" { closesAfterAnswer = true }
      // Hummingbird itself responds to malformed HTTP, without the security headers.
      SecurityHeaders.complete(&head.headerFields)
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: break
    case .end:
      isAnswering = false
      awaited = nil
      updateWorking(context)
      if closesAfterAnswer { return writeLast(data, promise, context) }
    }
    context.write(data, promise: promise)
  }

  /// Writes the end of the last response, shuts down the output, and closes the connection a second
  /// later. Data that the client sends in between is dropped (a lingering close), because closing
  /// at once would reset the connection before the client has read the response.
  private func writeLast(
    _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    isClosing = true
    let sent = promise ?? context.eventLoop.makePromise()
    sent.futureResult.assumeIsolated().whenSuccess {
      context.close(mode: .output, promise: nil)
      _ = self.close(context, after: .seconds(1))
    }
    context.writeAndFlush(data, promise: sent)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    readingTimer?.cancel()
    if !context.channel.isWritable { readingTimer = close(context, after: times.reading) }
    updateWorking(context)
    if let number { table.setUnread(number, unreadBytes(context)) }
    context.fireChannelWritabilityChanged()
  }

  /// Updates the table: the server works on a complete request, unless it waits for the client to
  /// read.
  private func updateWorking(_ context: ChannelHandlerContext) {
    guard let number else { return }
    table.setWorking(number, isAnswering && isWhole && context.channel.isWritable)
  }

  /// The number of bytes that are buffered until the client reads them; 0 while the channel is
  /// writable.
  private func unreadBytes(_ context: ChannelHandlerContext) -> Int {
    if context.channel.isWritable { return 0 }
    // The option fails only on a closed channel, which buffers nothing.
    return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func close(_ context: ChannelHandlerContext) {
    isClosing = true
    context.close(promise: nil)
  }

  private func close(
    _ context: ChannelHandlerContext, after time: TimeAmount
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.close(context) }
  }
}

@available(*, unavailable)
extension ConnectionDeadlines: Sendable {}

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
