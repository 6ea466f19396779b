import HTTPTypes
import NIOCore
import NIOHTTPTypes
import OffersCore

/// Ends connections that take too long, send too much, or must not be used further: those of
/// clients that hold a place and never finish what they say, or never read what they are told.
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
    /// How long a client may take to read what was sent, without reading any of it.
    var reading = TimeAmount.seconds(30)
  }

  private let times: Times
  /// When the connection ends unless something happens.
  private var deadline: NIODeadline?
  /// When it ends unless the client reads something, whatever else it sends; nil while it does read.
  private var readingDeadline: NIODeadline?
  private var timer: Scheduled<Void>?
  private var timerAt: NIODeadline?
  /// Requests whose answer is not written to its end.
  private var openRequests = 0
  private var bodyBytes = 0
  /// Whether the answer that is being written is the last one.
  private var closesAfterAnswer = false
  /// Whether the client wants no more than what it has asked for.
  private var closesWhenDone = false
  private var isClosing = false

  init(_ times: Times = Times()) { self.times = times }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { wait(times.head, context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    wait(times.head, context)
    context.fireChannelActive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosing { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      openRequests += 1
      bodyBytes = 0
      wait(times.body, context)
      if let field = head.headerFields[.connection], Self.has(field, "close") {
        closesWhenDone = true
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
      // Where it is answered already, what comes next is waited for.
      if openRequests > 0 { deadline = nil }
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
      openRequests -= 1
      if closesAfterAnswer || closesWhenDone && openRequests == 0 {
        isClosing = true
        context.writeAndFlush(data, promise: promise)
        context.close(mode: .output, promise: nil)
        // The client has a moment to read the answer while what it still sends is thrown away.
        return wait(.seconds(1), context)
      }
      if openRequests == 0 { wait(times.idle, context) }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      readingDeadline = nil
    } else {
      readingDeadline = .now() + times.reading
      setTimer(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private static func has(_ field: String, _ word: String) -> Bool {
    field.split(scalar: ",").contains { $0.trimmingSpaces.lowercased() == word }
  }

  private func close(_ context: ChannelHandlerContext) {
    isClosing = true
    context.close(promise: nil)
  }

  private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline = .now() + time
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
      if end <= .now() { self.close(context) } else { self.setTimer(context) }
    }
  }
}

@available(*, unavailable)
extension ConnectionLimits: Sendable {}
