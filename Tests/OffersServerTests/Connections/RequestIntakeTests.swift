import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import OffersServer

@Suite("Requests when they arrive")
struct RequestIntakeTests {
  /// Notes what the pipeline handler passes on.
  private final class Log: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    var parts: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(let head) = unwrapInboundIn(data) { parts.append(head.uri) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event as? ChannelEvent == .inputClosed { parts.append("closed") }
      if event is RequestIntake.ClientClosed { parts.append("client closed") }
    }
  }

  private let channel = EmbeddedChannel()
  private let log = Log()

  init() throws {
    try channel.pipeline.syncOperations.addHandlers(
      [RequestIntake(), HTTPServerPipelineHandler(), log])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
  }

  private func ask(_ targets: String...) throws {
    for target in targets {
      try channel.writeInbound(
        HTTPServerRequestPart.head(
          HTTPRequestHead(version: .http1_1, method: .GET, uri: target)))
      try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }
  }

  private func answer() throws {
    try channel.writeOutbound(
      HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
  }

  private func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }

  @Test("that the client has closed is told at once, before the requests that wait")
  func closedInput() throws {
    defer { finish() }
    try ask("/a", "/b")
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(log.parts == ["/a", "client closed"])
    try answer()
    #expect(log.parts == ["/a", "client closed", "/b", "closed"])
  }

  @Test("a flood of requests that nobody answers closes the connection, and nothing of it goes on")
  func flood() throws {
    defer { finish() }
    for _ in 1...RequestIntake.waitingLimit { try ask("/a") }
    #expect(channel.isActive)
    try answer()
    try ask("/a")
    #expect(channel.isActive)
    try ask("/a")
    #expect(!channel.isActive)
    try ask("/b")
    #expect(log.parts == ["/a", "/a"])
  }

  @Test("a target that is no path is passed on as one that is refused")
  func targets() throws {
    defer { finish() }
    for target in ["/a?b", "http://localhost/a", "localhost:80", "*", ""] {
      try ask(target)
      try answer()
    }
    #expect(log.parts == ["/a?b", "*", "*", "*", "*"])
  }
}
