import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import OffersServer

@Suite("Requests of a connection, one at a time")
struct PipelineGateTests {
  /// Notes what goes through, both ways.
  private final class Log: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = Any
    var parts: [String] = []
    var reads = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): parts.append(head.path ?? "")
      case .body: parts.append("body")
      case .end: parts.append("end")
      }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event as? ChannelEvent == .inputClosed { parts.append("closed") }
      if event is PipelineGate.ClientClosed { parts.append("client closed") }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { parts.append("error") }
  }

  /// Counts the reads that reach the socket.
  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = Any
    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  private struct Broken: Error {}

  private let channel = EmbeddedChannel()
  private let reads = Reads()
  private let log = Log()

  init() throws {
    try channel.pipeline.syncOperations.addHandlers([reads, PipelineGate(), log])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
  }

  private func ask(_ paths: String...) throws {
    for path in paths {
      try channel.writeInbound(
        HTTPRequestPart.head(
          HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)))
      try channel.writeInbound(HTTPRequestPart.end(nil))
    }
  }

  private func answer() throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  private func setWritable(_ isWritable: Bool) {
    channel.isWritable = isWritable
    channel.pipeline.fireChannelWritabilityChanged()
  }

  private func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }

  @Test("the next one is handed on once the last is answered")
  func order() throws {
    defer { finish() }
    try ask("/a", "/b", "/c")
    #expect(log.parts == ["/a", "end"])
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .continue)))
    #expect(log.parts == ["/a", "end"])
    try answer()
    #expect(log.parts == ["/a", "end", "/b", "end"])
    try answer()
    #expect(log.parts == ["/a", "end", "/b", "end", "/c", "end"])
  }

  @Test("the next one waits until the client has read the last answer")
  func writability() throws {
    defer { finish() }
    try ask("/a")
    setWritable(false)
    try answer()
    try ask("/b")
    #expect(log.parts == ["/a", "end"])
    setWritable(true)
    #expect(log.parts == ["/a", "end", "/b", "end"])
  }

  @Test("the rest of a request goes on, also once it is answered or while nothing is read")
  func bodies() throws {
    defer { finish() }
    try channel.writeInbound(
      HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/a")))
    setWritable(false)
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    try answer()
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    try channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(log.parts == ["/a", "body", "body", "end"])
  }

  @Test("while one waits, nothing more is read")
  func readsNothing() throws {
    defer { finish() }
    let before = reads.count
    try ask("/a")
    channel.read()
    #expect(reads.count == before + 1)
    try ask("/b")
    channel.read()
    channel.read()
    #expect(reads.count == before + 1)
    try answer()
    #expect(reads.count == before + 2)
    channel.read()
    #expect(reads.count == before + 3)
  }

  @Test(
    "the end of the input is told behind the requests that came before it; that the client has closed, at once"
  )
  func closedInput() throws {
    defer { finish() }
    try ask("/a", "/b")
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(log.parts == ["/a", "end", "client closed"])
    try answer()
    #expect(log.parts == ["/a", "end", "client closed", "/b", "end", "closed"])
  }

  @Test("what is no HTTP is told behind the requests that came before it")
  func broken() throws {
    defer { finish() }
    try ask("/a", "/b")
    channel.pipeline.fireErrorCaught(Broken())
    #expect(log.parts == ["/a", "end"])
    try answer()
    #expect(log.parts == ["/a", "end", "/b", "end", "error"])
    channel.pipeline.fireErrorCaught(Broken())
    #expect(log.parts.last == "error")
  }

  @Test("more than a read's worth that nobody asked for ends the connection")
  func flood() throws {
    defer { finish() }
    for _ in 0...PipelineGate.waitingLimit / 2 { try ask("/a") }
    #expect(channel.isActive)
    try ask("/a")
    #expect(!channel.isActive)
    #expect(log.parts == ["/a", "end"])
  }

  @Test("behind the last answer, what still comes is thrown away, and read all the same")
  func last() throws {
    defer { finish() }
    try ask("/a", "/b")
    channel.read()
    let before = reads.count
    channel.close(mode: .output, promise: nil)
    #expect(reads.count == before + 1)
    try answer()
    try ask("/c")
    channel.read()
    #expect(log.parts == ["/a", "end"])
    #expect(reads.count == before + 2)
  }
}
