import NIOCore
import NIOHTTP1

/// A channel handler that compares the host of an absolute target (`GET http://host/path`, RFC 9112,
/// section 3.2.2) with the `Host` field.
///
/// The next handler in the pipeline, NIO's, reduces such a target to its path. A proxy could have
/// routed the request by the host in the target, and this server would check the one in the field. So
/// a target with another host than the field becomes `*`, which `RequestValidation` refuses.
final class TargetHostCheck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/"),
      !Self.isConsistent(head)
    else { return context.fireChannelRead(data) }
    head.uri = "*"
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Whether a target is an http or https URL with the same authority as the `Host` field.
  private static func isConsistent(_ head: HTTPRequestHead) -> Bool {
    let target = head.uri.lowercased()
    guard let scheme = ["http://", "https://"].first(where: { target.hasPrefix($0) }) else {
      return false
    }
    let rest = target.utf8.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { !"/?#\\".utf8.contains($0) }
    return head.headers["Host"].first.map { authority.elementsEqual($0.lowercased().utf8) } ?? false
  }
}

@available(*, unavailable)
extension TargetHostCheck: Sendable {}
