import NIOCore
import Synchronization

/// A table of all open connections, which limits their number and the memory of their responses.
///
/// At a limit it closes the least valuable connection, so that a new connection is always accepted.
/// Hummingbird's own limit stops accepting, and who opens that many connections locks out all others.
/// Least valuable are connections that wait for their client: without a request, with an incomplete
/// request, or with an unread response; among these, those that wait longest. A connection with a
/// request in progress is closed only if all candidates have one. At the limit of a peer the candidates
/// are its own connections, at the limit of unread bytes the connections with unread bytes.
final class ConnectionTable: Sendable {
  struct Limits: Sendable {
    /// The maximum number of connections.
    var connections = 1024
    /// The maximum number of connections from one peer. It does not apply to loopback, the address
    /// of all clients behind a proxy on this machine, nor to trusted proxies.
    var connectionsOfPeer = 64
    /// The maximum number of bytes of unread responses, in all connections together.
    var unreadBytes = 64 << 20
  }

  /// The identifier of a connection in the table.
  typealias Number = Int

  private struct Entry {
    let peer: Peer
    let close: @Sendable () -> Void
    /// The sequence number of the event since which the connection waits, or the server works on
    /// it.
    var since: Int
    var isWorking = false
    var unreadBytes = 0

    /// The value of the connection. The connection with the lowest value is closed first.
    var worth: (Int, Int) { (isWorking ? 1 : 0, since) }
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

    /// Removes and returns the least valuable of the matching connections.
    mutating func removeLeast(_ matches: (Entry) -> Bool) -> Entry? {
      let found = entries.filter { matches($0.value) }
        .min { $0.value.worth < $1.value.worth }
      return found.flatMap { remove($0.key) }
    }
  }

  private let limits: Limits
  private let proxies: TrustedProxies
  private let state = Mutex(State())

  init(_ limits: Limits = Limits(), proxies: TrustedProxies = TrustedProxies()) {
    self.limits = limits
    self.proxies = proxies
  }

  /// Adds a connection, and closes others if a limit is reached.
  ///
  /// - Parameter close: closes the connection; called on any thread.
  func add(_ peer: Peer, close: @escaping @Sendable () -> Void) -> Number {
    let isLimited = !peer.isLoopback && !proxies.contains(peer)
    let (number, closed) = state.withLock { state -> (Number, [Entry]) in
      var closed: [Entry] = []
      if isLimited, state.counts[peer] ?? 0 >= limits.connectionsOfPeer,
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

  /// Removes a connection that is closed.
  func remove(_ number: Number) {
    _ = state.withLock { $0.remove(number) }
  }

  /// Sets whether the server works on a request of the connection, or waits for the client.
  func setWorking(_ number: Number, _ isWorking: Bool) {
    state.withLock { state in
      guard state.entries[number]?.isWorking == !isWorking else { return }
      state.lastEvent += 1
      state.entries[number]?.isWorking = isWorking
      state.entries[number]?.since = state.lastEvent
    }
  }

  /// Sets the number of bytes that are buffered until the client reads them. While all connections
  /// together exceed the limit, the least valuable ones with unread bytes are closed.
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

  var count: Int { state.withLock { $0.entries.count } }
}
