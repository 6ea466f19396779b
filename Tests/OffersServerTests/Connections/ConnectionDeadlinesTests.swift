import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("How long a connection is kept")
struct ConnectionDeadlinesTests {
  private let channel = EmbeddedChannel()
  private let table = ConnectionTable()

  private func open(peer: SocketAddress? = nil) throws {
    try channel.pipeline.syncOperations.addHandler(ConnectionDeadlines(table: table))
    try channel.connect(to: peer ?? SocketAddress(ipAddress: "192.0.2.1", port: 4321)).wait()
  }

  private func begin(_ fields: HTTPFields = [:]) throws {
    try channel.writeInbound(
      HTTPRequestPart.head(
        HTTPRequest(
          method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: fields)))
  }

  private func ask(_ fields: HTTPFields = [:]) throws {
    try begin(fields)
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  private func answer() throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  /// Lets time pass; tells whether the connection is open then.
  private func isOpen(after seconds: Int64) -> Bool {
    channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    return channel.isActive
  }

  private func setWritable(_ isWritable: Bool) {
    channel.isWritable = isWritable
    channel.pipeline.fireChannelWritabilityChanged()
  }

  private func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }

  @Test(
    "15 s for a body end it, however many pieces of it arrive; those for an answer do not count")
  func body() throws {
    defer { finish() }
    try open()
    #expect(table.count == 1)
    try ask()
    #expect(isOpen(after: 100))
    try answer()
    try begin()
    #expect(isOpen(after: 14))
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    #expect(!isOpen(after: 1))
    #expect(table.count == 0)
  }

  @Test("30 s without reading end it, also once the answer is written")
  func unread() throws {
    defer { finish() }
    try open()
    try ask()
    setWritable(false)
    #expect(isOpen(after: 29))
    setWritable(true)
    #expect(isOpen(after: 100))
    setWritable(false)
    try answer()
    #expect(isOpen(after: 29))
    #expect(!isOpen(after: 1))
  }

  @Test("the answer to a client that wants no more ends it, once it had a moment to read")
  func last() throws {
    defer { finish() }
    try open()
    try ask([.connection: "keep-alive, Close"])
    try answer()
    #expect(!isOpen(after: 1))
  }

  @Test("a peer without an address of the internet is not served")
  func unknown() throws {
    defer { finish() }
    try open(peer: SocketAddress(unixDomainSocketPath: "/tmp/offers"))
    #expect(!channel.isActive)
    #expect(table.count == 0)
  }

  @Test("the sixty-fifth of a peer ends the one that was idle longest")
  func peers() throws {
    defer { finish() }
    try open()
    let peer = try #require(Peer(try SocketAddress(ipAddress: "192.0.2.1", port: 1)))
    for _ in 0..<63 { _ = table.add(peer, close: {}) }
    #expect(channel.isActive)
    try ask()
    _ = table.add(peer, close: {})
    // It was not idle.
    #expect(channel.isActive)
    try answer()
    for _ in 0..<63 { _ = table.add(peer, close: {}) }
    #expect(channel.isActive)
    _ = table.add(peer, close: {})
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }
}
