import HTTPTypes
import NIOCore
import NIOHTTPTypes
import OffersCore

/// A channel handler that closes connections that time out, send too much, or cannot be reused.
///
/// So no client can occupy a connection by never completing a request or never reading a response.
/// The handler comes after a `PipelineGate` in the pipeline, which passes it one request at a time.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The timeouts of a connection.
  struct Times: Sendable {
    /// The time from the connection to the end of the first request's head.
    var head = TimeAmount.seconds(10)
    /// The time from the head of a request to the end of its body.
    var body = TimeAmount.seconds(15)
    /// The time from the end of a response, once the client has read it, to the end of the next
    /// request's head.
    var idle = TimeAmount.seconds(60)
    /// The value of `idle` while a token is required and the client has not shown it, nor a session.
    var idleUnauthenticated = TimeAmount.seconds(10)
    /// The time in which the client must read enough of a response for the channel to be writable
    /// again.
    var reading = TimeAmount.seconds(30)
  }

  private let times: Times
  private let table: ConnectionTable
  /// The number of the connection in the table, while it is open.
  private var number: ConnectionTable.Number?
  /// Whether the client has shown the token or a session, or no token is required.
  private var isAuthenticated: Bool
  /// When the connection is closed, unless the next head or the rest of a body arrives before; nil
  /// while the server answers a complete request.
  private var deadline: NIODeadline?
  /// When the connection is closed, unless the client reads enough of the response before, whatever
  /// it sends; nil while the channel is writable.
  private var readingDeadline: NIODeadline?
  private var timer: Scheduled<Void>?
  private var timerAt: NIODeadline?
  /// Whether a request has begun whose response is not complete.
  private var isAnswering = false
  /// Whether the latest request was received completely.
  private var isWhole = false
  private var bodyBytes = 0
  /// Whether the connection is closed after the current response.
  private var closesAfterAnswer = false
  private var isClosing = false
  /// Whether the client has closed the connection or its sending side.
  private var isClosedByClient = false
  /// The response that the client waits for; nil if there is none that needs the client.
  private var awaited: Awaited?

  /// - Parameters:
  ///   - times: the timeouts of the connection.
  ///   - table: the table of all connections of the server, to which this one is added.
  ///   - requiresToken: whether requests must show a token.
  init(_ times: Times = Times(), table: ConnectionTable, requiresToken: Bool) {
    self.times = times
    self.table = table
    isAuthenticated = !requiresToken
  }

  /// The event by which the responder tells the connection that its client has shown the token or a
  /// session.
  struct Authenticated: Sendable {}

  /// The event by which the responder asks the connection to tell if the client is gone before the
  /// response to its request is complete. A client that closes only its sending side counts as gone,
  /// because one that closes both sides looks the same.
  struct Awaited: Sendable {
    let whenClosed: @Sendable () -> Void
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event {
    case is Authenticated:
      if !isAuthenticated {
        isAuthenticated = true
        if let number { table.setAuthenticated(number) }
      }
    case let event as Awaited:
      if isClosedByClient { event.whenClosed() } else if isAnswering { awaited = event }
    default:
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is PipelineGate.ClientClosed { return noteClosed() }
    if event as? ChannelEvent == .inputClosed { noteClosed() }
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
    wait(times.head, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    noteClosed()
    end()
    context.fireChannelInactive()
  }

  private func end() {
    timer?.cancel()
    timer = nil
    if let number { table.remove(number) }
    number = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosing { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      isAnswering = true
      isWhole = false
      bodyBytes = 0
      wait(times.body, context)
      if let field = head.headerFields[.connection], Self.has(field, "close") {
        closesAfterAnswer = true
      }
      if let field = head.headerFields[.expect], Self.has(field, "100-continue") {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      // The responder refuses a body over the limit. Up to four times the limit is received, so
      // that the client can read the refusal before the connection is closed.
      if bodyBytes > 4 * RequestValidation.bodyBytes { return close(context) }
    case .end:
      isWhole = true
      // If the response was complete before the request, the idle timeout stays in effect.
      if isAnswering { deadline = nil }
      updateWorking(context)
    }
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    if isClosing {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if head.headerFields[.connection] == "close" { closesAfterAnswer = true }
      if head.status == .badRequest, !head.headerFields.contains(.contentSecurityPolicy) {
        // NIO itself responds to malformed HTTP, without the security headers.
        var safe = head
        SecurityHeaders.complete(&safe.headerFields)
        return context.write(wrapOutboundOut(.head(safe)), promise: promise)
      }
    case .body: break
    case .end:
      isAnswering = false
      awaited = nil
      updateWorking(context)
      if closesAfterAnswer {
        return writeLast(data, promise, context)
      }
      rest(context)
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
    wait(times.reading, context)
    let sent = promise ?? context.eventLoop.makePromise()
    sent.futureResult.assumeIsolated().whenSuccess {
      context.close(mode: .output, promise: nil)
      self.wait(.seconds(1), context)
    }
    context.writeAndFlush(data, promise: sent)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      readingDeadline = nil
      if !isAnswering, !isClosing { rest(context) }
    } else {
      readingDeadline = context.eventLoop.now + times.reading
      setTimer(context)
    }
    updateWorking(context)
    if let number { table.setUnread(number, unreadBytes(context)) }
    context.fireChannelWritabilityChanged()
  }

  /// Starts the idle timeout if the client has read the previous response. If not, it starts when
  /// the channel is writable again.
  private func rest(_ context: ChannelHandlerContext) {
    guard context.channel.isWritable else {
      deadline = nil
      return
    }
    wait(isAuthenticated ? times.idle : times.idleUnauthenticated, context)
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

  private static func has(_ field: String, _ word: String) -> Bool {
    field.split(scalar: ",").contains { $0.trimmingSpaces.lowercased() == word }
  }

  private func close(_ context: ChannelHandlerContext) {
    isClosing = true
    context.close(promise: nil)
  }

  private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline = context.eventLoop.now + time
    setTimer(context)
  }

  private var nextDeadline: NIODeadline? {
    [deadline, readingDeadline].compactMap(\.self).min()
  }

  /// Schedules one timer for the next deadline. If the deadline has moved when the timer fires, it
  /// is scheduled again, which is cheaper than rescheduling it at each event.
  private func setTimer(_ context: ChannelHandlerContext) {
    guard let end = nextDeadline else { return }
    if let timerAt, timerAt <= end { return }
    timer?.cancel()
    timerAt = end
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
      self.timerAt = nil
      guard let end = self.nextDeadline else { return }
      if end <= context.eventLoop.now { self.close(context) } else { self.setTimer(context) }
    }
  }
}

@available(*, unavailable)
extension ConnectionDeadlines: Sendable {}
