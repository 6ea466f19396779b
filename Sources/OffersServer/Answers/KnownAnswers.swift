import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Gives answers that are remembered where their requests come in, on the connection's own thread:
/// handing them to a task and back takes longer than all else that there is to do.
///
/// It keeps to the order of requests: while one is on its way elsewhere, those behind it go there,
/// too.
final class KnownAnswers: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let responder: ServedResponder
  /// Requests that went on and are not answered to their end.
  private var openRequests = 0
  /// Whether what comes belongs to a request that is answered.
  private var isAnswered = false
  private var hasWritten = false
  /// The time as answers tell it, and its second.
  private var date = (second: time_t(0), text: "")

  init(_ responder: ServedResponder) { self.responder = responder }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      if openRequests == 0, let (answer, body) = responder.findKnown(head) {
        isAnswered = true
        return write(answer, body, context)
      }
      openRequests += 1
    case .body:
      if isAnswered { return }
    case .end:
      if isAnswered {
        isAnswered = false
        return
      }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasWritten { context.flush() }
    hasWritten = false
    context.fireChannelReadComplete()
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    if case .end = unwrapOutboundIn(data) { openRequests -= 1 }
    context.write(data, promise: promise)
  }

  private func write(
    _ answer: HTTPResponse, _ body: ByteBuffer?, _ context: ChannelHandlerContext
  ) {
    var answer = answer
    answer.headerFields[.date] = dateText
    context.write(wrapOutboundOut(.head(answer)), promise: nil)
    if let body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
    hasWritten = true
  }

  private var dateText: String {
    var second = time(nil)
    if second != date.second {
      var parts = tm()
      gmtime_r(&second, &parts)
      var bytes = [CChar](repeating: 0, count: 32)
      // The program never leaves the locale that it starts with, whose names are these.
      let count = strftime(&bytes, bytes.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      date = (second, String(decoding: bytes.prefix(count).map(UInt8.init), as: UTF8.self))
    }
    return date.text
  }
}

@available(*, unavailable)
extension KnownAnswers: Sendable {}
