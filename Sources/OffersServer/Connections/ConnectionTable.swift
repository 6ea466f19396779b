import NIOCore
import Synchronization

/// All open connections. It keeps to the bounds on their number and on what they hold in memory by
/// closing those that can best be done without, so that a new connection always gets in.
///
/// First are those that wait for their client: that have no request, or one that is not whole, or an
/// answer that is not read. Of these, first those whose client has not shown the token, then those
/// that wait longest. A connection whose request is worked at is closed only where all are such.
final class ConnectionTable: Sendable {
  struct Limits: Sendable {
    /// Most connections at a time.
    var connections = 1024
    /// Most connections of one peer. Those of loopback are not counted: behind a proxy on this
    /// machine, its address is everybody's.
    var connectionsOfPeer = 64
    /// Bytes of answers that clients do not read, in all connections together.
    var unreadBytes = 64 << 20
  }

  /// Names a connection in the table.
  typealias Number = Int

  private struct Entry {
    let peer: Peer
    let close: @Sendable () -> Void
    /// When it last began to wait or to work: a count of such events.
    var since: Int
    var isWorking = false
    var isAuthenticated = false
    var unreadBytes = 0

    /// The one with the least of these is closed first.
    var worth: (Int, Int, Int) { (isWorking ? 1 : 0, isAuthenticated ? 1 : 0, since) }
  }

  private struct State {
    var entries: [Number: Entry] = [:]
    var counts: [Peer: Int] = [:]
    var unreadBytes = 0
    var lastNumber = 0
    var lastEvent = 0

    mutating func remove(_ number: Number) -> Entry? {
      guard let entry = entries.removeValue(forKey: number) else { return nil }
      unreadBytes -= entry.unreadBytes
      let count = (counts[entry.peer] ?? 1) - 1
      counts[entry.peer] = count > 0 ? count : nil
      return entry
    }

    /// Takes out the one of least worth.
    mutating func removeLeast(_ matches: (Entry) -> Bool) -> Entry? {
      let found = entries.filter { matches($0.value) }
        .min { $0.value.worth < $1.value.worth }
      return found.flatMap { remove($0.key) }
    }
  }

  private let limits: Limits
  private let state = Mutex(State())

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Takes in a connection, for which others may be closed.
  ///
  /// - Parameters:
  ///   - peer: whose it is.
  ///   - close: ends it; called on any thread.
  func add(_ peer: Peer, close: @escaping @Sendable () -> Void) -> Number {
    let (number, closed) = state.withLock { state -> (Number, [Entry]) in
      var closed: [Entry] = []
      if !peer.isLoopback, state.counts[peer] ?? 0 >= limits.connectionsOfPeer,
        let entry = state.removeLeast({ $0.peer == peer })
      {
        closed.append(entry)
      }
      if state.entries.count >= limits.connections, let entry = state.removeLeast({ _ in true }) {
        closed.append(entry)
      }
      state.lastNumber += 1
      state.lastEvent += 1
      state.entries[state.lastNumber] = Entry(peer: peer, close: close, since: state.lastEvent)
      state.counts[peer, default: 0] += 1
      return (state.lastNumber, closed)
    }
    for entry in closed { entry.close() }
    return number
  }

  /// Forgets a connection that is closed.
  func remove(_ number: Number) {
    _ = state.withLock { $0.remove(number) }
  }

  /// Tells whether the server works at a request, or waits for the client.
  func setWorking(_ number: Number, _ isWorking: Bool) {
    state.withLock { state in
      guard state.entries[number]?.isWorking == !isWorking else { return }
      state.lastEvent += 1
      state.entries[number]?.isWorking = isWorking
      state.entries[number]?.since = state.lastEvent
    }
  }

  /// Tells that the client has shown the token.
  func setAuthenticated(_ number: Number) {
    state.withLock { $0.entries[number]?.isAuthenticated = true }
  }

  /// Tells how many bytes are held for the client until it reads them.
  func setUnread(_ number: Number, _ bytes: Int) {
    let closed = state.withLock { state -> [Entry] in
      guard let entry = state.entries[number] else { return [] }
      state.unreadBytes += bytes - entry.unreadBytes
      state.entries[number]?.unreadBytes = bytes
      var closed: [Entry] = []
      while state.unreadBytes > limits.unreadBytes,
        let entry = state.removeLeast({ $0.unreadBytes > 0 })
      {
        closed.append(entry)
      }
      return closed
    }
    for entry in closed { entry.close() }
  }

  /// How many there are.
  var count: Int { state.withLock { $0.entries.count } }
}
