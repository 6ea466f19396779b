import NIOCore
import Synchronization
import Testing

@testable import OffersServer

@Suite("The connections that are open")
struct ConnectionTableTests {
  /// Says which connections were closed, in their order.
  private final class Closed: Sendable {
    private let list = Mutex<[String]>([])

    func mark(_ name: String) -> @Sendable () -> Void {
      { self.list.withLock { $0.append(name) } }
    }

    var names: [String] { list.withLock(\.self) }
  }

  private static func peer(_ address: String) throws -> Peer {
    try #require(Peer(SocketAddress(ipAddress: address, port: 4321)))
  }

  private static func limits(_ connections: Int, ofPeer: Int = 64) -> ConnectionTable.Limits {
    var limits = ConnectionTable.Limits()
    limits.connections = connections
    limits.connectionsOfPeer = ofPeer
    return limits
  }

  @Test("it has the bounds that the README states")
  func bounds() {
    let limits = ConnectionTable.Limits()
    #expect(limits.connections == 1024)
    #expect(limits.connectionsOfPeer == 64)
    #expect(limits.unreadBytes == 64 << 20)
  }

  @Test("where it is full, a new connection takes the place of the one that was idle longest")
  func full() throws {
    let (table, closed) = (ConnectionTable(Self.limits(3)), Closed())
    let peer = try Self.peer("127.0.0.1")
    let numbers = ["a", "b", "c"].map { table.add(peer, close: closed.mark($0)) }
    // A connection with a request in progress is kept; its idle time starts when the response ends.
    table.setWorking(numbers[0], true)
    _ = table.add(peer, close: closed.mark("d"))
    #expect(closed.names == ["b"])
    table.setWorking(numbers[0], false)
    _ = table.add(peer, close: closed.mark("e"))
    _ = table.add(peer, close: closed.mark("f"))
    _ = table.add(peer, close: closed.mark("g"))
    #expect(closed.names == ["b", "c", "d", "a"])
    #expect(table.count == 3)
  }

  @Test("one that repeats what it does gains nothing by it")
  func repeats() throws {
    let (table, closed) = (ConnectionTable(Self.limits(2)), Closed())
    let peer = try Self.peer("127.0.0.1")
    let first = table.add(peer, close: closed.mark("a"))
    _ = table.add(peer, close: closed.mark("b"))
    table.setWorking(first, false)
    _ = table.add(peer, close: closed.mark("c"))
    #expect(closed.names == ["a"])
  }

  @Test("where all are working, the one that does so longest makes room")
  func busy() throws {
    let (table, closed) = (ConnectionTable(Self.limits(2)), Closed())
    let peer = try Self.peer("::1")
    for name in ["a", "b", "c"] {
      table.setWorking(table.add(peer, close: closed.mark(name)), true)
    }
    #expect(closed.names == ["a"])
  }

  @Test(
    "a peer has its bound, and makes room for itself",
    arguments: ["192.0.2.1", "2001:db8::1", "128.0.0.1", "::ffff:192.0.2.1", "::2"])
  func peers(address: String) throws {
    let (table, closed) = (ConnectionTable(Self.limits(100, ofPeer: 3)), Closed())
    let (peer, other) = (try Self.peer(address), try Self.peer("192.0.2.77"))
    _ = table.add(other, close: closed.mark("other"))
    let first = table.add(peer, close: closed.mark("0"))
    for number in 1..<5 { _ = table.add(peer, close: closed.mark("\(number)")) }
    #expect(closed.names == ["0", "1"])
    // Removing a connection a second time does not change the count.
    table.remove(first)
    table.remove(first)
    let last = table.add(peer, close: closed.mark("5"))
    #expect(closed.names == ["0", "1", "2"])
    table.remove(last)
    _ = table.add(peer, close: closed.mark("6"))
    #expect(closed.names == ["0", "1", "2"])
  }

  @Test(
    "loopback, where a proxy may stand, has no bound of its own",
    arguments: ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
  func loopback(address: String) throws {
    let (table, closed) = (ConnectionTable(), Closed())
    for _ in 0..<1024 { _ = table.add(try Self.peer(address), close: closed.mark("one")) }
    #expect(closed.names.isEmpty)
    for _ in 0..<3 { _ = table.add(try Self.peer(address), close: closed.mark("one")) }
    #expect(closed.names.count == 3)
    #expect(table.count == 1024)
  }

  @Test("an address of version 4 is the same peer where it comes as one of version 6")
  func mapped() throws {
    #expect(try Self.peer("::ffff:192.0.2.1") == Self.peer("192.0.2.1"))
    #expect(try Self.peer("192.0.2.1") != Self.peer("192.0.2.2"))
    #expect(Peer(try SocketAddress(unixDomainSocketPath: "/tmp/a")) == nil)
  }

  @Test("where too much is unread, those that read nothing for longest are closed")
  func unread() throws {
    var limits = Self.limits(100)
    limits.unreadBytes = 100
    let (table, closed) = (ConnectionTable(limits), Closed())
    let peer = try Self.peer("127.0.0.1")
    let numbers = ["a", "b", "c", "d"].map { table.add(peer, close: closed.mark($0)) }
    for number in numbers.dropFirst() { table.setUnread(number, 33) }
    table.setUnread(numbers[1], 0)
    table.setUnread(numbers[0], 34)
    #expect(closed.names.isEmpty)
    table.setUnread(numbers[1], 1)
    #expect(closed.names == ["a"])
    // Closed connections hold no unread bytes.
    table.remove(numbers[2])
    table.setUnread(numbers[3], 99)
    #expect(closed.names == ["a"])
    table.setUnread(numbers[3], 1000)
    #expect(closed.names == ["a", "b", "d"])
  }
}
