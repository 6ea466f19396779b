import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Hands a connection's requests on one at a time: the next one once the answer to the last is
/// written and the client has read so much of it that the channel is writable again.
///
/// While anything waits here, nothing more is read. A client that sends without reading is thereby
/// held up by TCP, and its connection holds one answer and the requests of one read, no more.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Bytes of one read. The decoder makes requests of all of them before any can be held back.
  static let readBytes = 4096
  /// Most parts of requests that wait. One read has fewer. A client that closes its side has all that
  /// the system holds of it read at once, whatever was asked for; it is cut off beyond this.
  static let waitingLimit = 1024

  private var waiting = CircularBuffer<HTTPRequestPart>()
  /// How the input ended, to be told behind the requests that wait.
  private var end: End?
  /// Whether the answer to the request that was handed on is not written to its end.
  private var isAnswering = false
  /// Whether reading was asked for meanwhile.
  private var wantsRead = false
  /// Whether the connection is closed behind the present answer, so that all that still comes is
  /// thrown away.
  private var isEnding = false

  private enum End {
    case closed
    case failed(any Error)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let options = context.channel.syncOptions
    // They fail only where the connection is closed already.
    try? options?.setOption(.maxMessagesPerRead, value: 1)
    try? options?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isEnding { return }
    waiting.append(unwrapInboundIn(data))
    handOn(context)
    guard waiting.count > Self.waitingLimit else { return }
    drop()
    context.close(promise: nil)
  }

  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty { context.read() } else { wantsRead = true }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event as? ChannelEvent == .inputClosed, !waiting.isEmpty else {
      return context.fireUserInboundEventTriggered(event)
    }
    end = .closed
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if waiting.isEmpty { context.fireErrorCaught(error) } else { end = .failed(error) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    drop()
    context.fireChannelInactive()
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    context.write(data, promise: promise)
    guard case .end = unwrapOutboundIn(data) else { return }
    isAnswering = false
    resume(context)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input { drop() }
    context.close(mode: mode, promise: promise)
    if wantsRead {
      wantsRead = false
      context.read()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    context.fireChannelWritabilityChanged()
    if context.channel.isWritable { resume(context) }
  }

  private func drop() {
    isEnding = true
    waiting.removeAll()
    end = nil
  }

  private func resume(_ context: ChannelHandlerContext) {
    if waiting.isEmpty { return }
    handOn(context)
    // Those behind deliver what they were given only then.
    context.fireChannelReadComplete()
    if waiting.isEmpty, wantsRead {
      wantsRead = false
      context.read()
    }
  }

  private func handOn(_ context: ChannelHandlerContext) {
    while let part = waiting.first {
      if case .head = part {
        guard !isAnswering, context.channel.isWritable else { return }
        isAnswering = true
      }
      waiting.removeFirst()
      context.fireChannelRead(wrapInboundOut(part))
    }
    guard let end else { return }
    self.end = nil
    switch end {
    case .closed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .failed(let error): context.fireErrorCaught(error)
    }
  }
}

@available(*, unavailable)
extension RequestGate: Sendable {}
