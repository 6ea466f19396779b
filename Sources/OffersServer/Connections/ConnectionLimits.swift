import HTTPTypes
import NIOCore
import NIOHTTPTypes
import OffersCore

/// Ends connections that take too long, send too much, or must not be used further: those of
/// clients that hold a place and never finish what they say, or never read what they are told.
///
/// It stands behind a `RequestGate`, which hands it one request at a time.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Times: Sendable {
    /// How long a new connection may take to send its first head.
    var head = TimeAmount.seconds(10)
    /// How long a request may take to send its body.
    var body = TimeAmount.seconds(15)
    /// How long a connection is kept that says nothing more.
    var idle = TimeAmount.seconds(60)
    /// The same where a token is needed and the client has not shown it.
    var idleUnauthenticated = TimeAmount.seconds(10)
    /// How long a client may take to read what was sent, without reading any of it.
    var reading = TimeAmount.seconds(30)
  }

  private let times: Times
  private let table: ConnectionTable
  private let token: AccessToken?
  /// The connection's place in the table, while it is open.
  private var number: ConnectionTable.Number?
  /// Whether the client has shown the token, or needs none.
  private var isAuthenticated: Bool
  /// When the connection ends unless something happens.
  private var deadline: NIODeadline?
  /// When it ends unless the client reads something, whatever else it sends; nil while it does read.
  private var readingDeadline: NIODeadline?
  private var timer: Scheduled<Void>?
  private var timerAt: NIODeadline?
  /// Whether a request has begun whose answer is not written to its end.
  private var isAnswering = false
  /// Whether all of that request has come.
  private var isWhole = false
  private var bodyBytes = 0
  /// Whether the answer that is being written is the last one.
  private var closesAfterAnswer = false
  private var isClosing = false

  /// - Parameter token: what requests must show; nil where they need not.
  init(_ times: Times = Times(), table: ConnectionTable, token: AccessToken?) {
    self.times = times
    self.table = table
    self.token = token
    isAuthenticated = token == nil
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    // A connection that is broken already has no address.
    guard let peer = context.remoteAddress.flatMap(Peer.init) else { return close(context) }
    let channel = context.channel
    number = table.add(peer) { channel.close(promise: nil) }
    wait(times.head, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
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
      authenticate(head)
      if let field = head.headerFields[.connection], Self.has(field, "close") {
        closesAfterAnswer = true
      }
      if let field = head.headerFields[.expect], Self.has(field, "100-continue") {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      // Whoever answers has refused it by now; what still comes is thrown away for a while, so that
      // the refusal is read.
      if bodyBytes > 4 * RequestShape.bodyBytes { return close(context) }
    case .end:
      isWhole = true
      // Where it is answered already, what comes next is waited for.
      if isAnswering { deadline = nil }
      tellWhetherItWorks(context)
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
        // The library's own answer to what is no HTTP.
        var safe = head
        SecurityHeaders.complete(&safe.headerFields)
        return context.write(wrapOutboundOut(.head(safe)), promise: promise)
      }
    case .body: break
    case .end:
      isAnswering = false
      tellWhetherItWorks(context)
      if closesAfterAnswer {
        return writeLast(data, promise, context)
      }
      rest(context)
    }
    context.write(data, promise: promise)
  }

  /// Writes the end of the last answer. Once it is sent, the client has a moment to read it, while
  /// what it still sends is thrown away.
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
    tellWhetherItWorks(context)
    if let number { table.setUnread(number, unreadBytes(context)) }
    context.fireChannelWritabilityChanged()
  }

  /// Waits for the next request, from when the client has read the answer to the last.
  private func rest(_ context: ChannelHandlerContext) {
    guard context.channel.isWritable else {
      deadline = nil
      return
    }
    wait(isAuthenticated ? times.idle : times.idleUnauthenticated, context)
  }

  private func authenticate(_ head: HTTPRequest) {
    guard !isAuthenticated, let token, token.isShown(by: head.headerFields) else { return }
    isAuthenticated = true
    if let number { table.setAuthenticated(number) }
  }

  private func tellWhetherItWorks(_ context: ChannelHandlerContext) {
    guard let number else { return }
    table.setWorking(number, isAnswering && isWhole && context.channel.isWritable)
  }

  /// Bytes that are held until the client reads; 0 where it keeps up.
  private func unreadBytes(_ context: ChannelHandlerContext) -> Int {
    if context.channel.isWritable { return 0 }
    // It cannot be asked once the connection is closed, when nothing is held any more.
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

  /// One timer at a time: it looks again where the end has moved on meanwhile.
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
extension ConnectionLimits: Sendable {}
