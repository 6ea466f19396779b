import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A channel handler that passes on the requests of a connection one at a time.
///
/// The next request is passed on when the response to the previous one is written, and the client
/// has read enough of it for the channel to be writable again. While requests wait here, nothing is
/// read from the socket, so that TCP's flow control stops a client that sends (pipelines) requests
/// without reading responses. A connection thus buffers one response and the requests of one read
/// at most.
final class PipelineGate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The size of one read in bytes. It bounds the waiting requests, because the decoder emits all
  /// requests of a read at once.
  static let readBytes = 4096
  /// The maximum number of waiting parts of requests. One read has fewer. But when a client closes
  /// its side, NIO reads all data that the system has buffered; beyond this limit the connection is
  /// closed.
  static let waitingLimit = 1024

  private var waiting = CircularBuffer<HTTPRequestPart>()
  /// The end of the input, to be passed on after the waiting requests.
  private var end: End?
  /// Whether the response to the request that was passed on is not complete.
  private var isAnswering = false
  /// Whether a read was requested while requests were waiting.
  private var wantsRead = false
  /// Whether the connection is being closed, so that further input is dropped.
  private var isEnding = false

  /// The event that the client has closed the connection or its sending side while requests wait here.
  /// `ChannelEvent.inputClosed` follows when they have been passed on.
  struct ClientClosed: Sendable {}

  private enum End {
    case closed
    case failed(any Error)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let options = context.channel.syncOptions
    // Setting the options fails only if the connection is already closed.
    try? options?.setOption(.maxMessagesPerRead, value: 1)
    try? options?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
    // Targets have to be compared before NIO's codec reduces them to paths. Without the codec, as in
    // tests of this handler alone, there are none.
    let pipeline = context.pipeline.syncOperations
    guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
    do {
      try pipeline.addHandler(TargetHostCheck(), position: .before(codec))
    } catch {
      context.close(promise: nil)
    }
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
    context.fireUserInboundEventTriggered(ClientClosed())
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
    // The next handlers of the pipeline may buffer what they read until this event.
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
extension PipelineGate: Sendable {}
