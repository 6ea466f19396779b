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

  private func open(requiresToken: Bool = true, peer: SocketAddress? = nil) throws {
    let limits = ConnectionDeadlines(table: table, requiresToken: requiresToken)
    try channel.pipeline.syncOperations.addHandler(limits)
    try channel.connect(to: peer ?? SocketAddress(ipAddress: "192.0.2.1", port: 4321)).wait()
  }

  private func ask(_ fields: HTTPFields = [:]) throws {
    try channel.writeInbound(
      HTTPRequestPart.head(
        HTTPRequest(
          method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: fields)))
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

  private func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }

  @Test("10 s of idleness end it until the token is shown")
  func strangers() throws {
    defer { finish() }
    try open()
    #expect(isOpen(after: 9))
    try ask()
    // How long the answer takes is no matter of the client's.
    #expect(isOpen(after: 100))
    try answer()
    #expect(isOpen(after: 9))
    try ask()
    try answer()
    #expect(isOpen(after: 9))
    #expect(!isOpen(after: 1))
    #expect(table.count == 0)
  }

  @Test("60 s do once it is shown, or where none is needed", arguments: [true, false])
  func known(hasToken: Bool) throws {
    defer { finish() }
    try open(requiresToken: hasToken)
    try ask()
    if hasToken {
      channel.triggerUserOutboundEvent(ConnectionDeadlines.Authenticated(), promise: nil)
    }
    try answer()
    #expect(isOpen(after: 59))
    // It need not be shown again.
    try ask()
    try answer()
    #expect(isOpen(after: 59))
    #expect(!isOpen(after: 1))
  }

  @Test("10 s without a first request end it, token or not", arguments: [true, false])
  func silent(hasToken: Bool) throws {
    defer { finish() }
    try open(requiresToken: hasToken)
    #expect(table.count == 1)
    #expect(isOpen(after: 9))
    #expect(!isOpen(after: 1))
    #expect(table.count == 0)
  }

  @Test("a client that is slow to read is idle only when it has read")
  func slow() throws {
    defer { finish() }
    try open()
    try ask()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    try answer()
    #expect(isOpen(after: 29))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    #expect(isOpen(after: 9))
    #expect(!isOpen(after: 1))
  }

  @Test("30 s without reading end it")
  func unread() throws {
    defer { finish() }
    try open(requiresToken: false)
    try ask()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
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
