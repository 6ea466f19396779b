import Hummingbird
import OffersCore
import Synchronization

/// Broadcasts server-sent events: commits to the database, by this or another process, and the
/// progress of a sync. The hub polls the database and the sync only while it has a listener.
///
/// Each event carries the current state and not a difference, so that a listener that missed an
/// event is up to date after the next one.
final class EventHub: Sendable {
  typealias Listener = AsyncStream<ByteBuffer>.Continuation

  private struct State {
    var listeners: [Int: Listener] = [:]
    var lastListener = 0
    /// Whether the next poll sends a comment, whose failed write reveals closed connections.
    var isProbeDue = false
    var watch: Task<Void, Never>?
  }

  /// The state that was sent last, and the numbers of ticks since the last `changed` event and
  /// since anything was sent.
  private struct LastSent {
    var version: Int64
    var revision: Int
    var ticksSinceChange = 0
    var ticksSinceAnything = 0
  }

  private let state = Mutex(State())
  private let signal: any ChangeSignal
  private let jobs: SyncJobs

  /// The interval at which the database and the sync are polled.
  private static let tick = Duration.milliseconds(250)
  /// The minimum number of ticks between two `changed` events: at most two are sent a second.
  private static let ticksBetweenChanges = 2
  /// The number of ticks without an event after which a keep-alive comment is sent: 15 seconds, so
  /// that proxies do not close an idle connection.
  private static let ticksUntilKeepAlive = 60
  /// The maximum number of listeners at a time.
  static let listenerLimit = 100
  /// From this number of listeners on, a new one triggers a probe for closed connections.
  private static let probeThreshold = 25
  /// A comment of the event stream, which clients ignore.
  private static let keepAlive = ByteBuffer(string: ":\n\n")
  /// The maximum number of writes that are buffered for a slow listener; the oldest are dropped.
  private static let bufferLimit = 16

  init(signal: any ChangeSignal, jobs: SyncJobs) {
    self.signal = signal
    self.jobs = jobs
  }

  /// Adds a listener.
  ///
  /// - Returns: a stream in the format of `text/event-stream`, which begins with the current data
  ///   version and the current sync. Its end removes the listener.
  /// - Throws: `Problem` with status 503 at the limit of listeners; `OffersError` if the database
  ///   cannot be read.
  func listen() throws -> AsyncStream<ByteBuffer> {
    let (events, listener) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(Self.bufferLimit))
    var greeting = ByteBuffer(string: "retry: 2000\n\n")
    let version = try signal.fetchDataVersion()
    let (status, revision) = jobs.revised
    greeting.writeImmutableBuffer(Self.changed(version))
    greeting.writeImmutableBuffer(Self.sync(status))
    listener.yield(greeting)
    let number = try state.withLock { state in
      guard state.listeners.count < Self.listenerLimit else {
        // The probe removes closed connections within a second.
        state.isProbeDue = true
        var problem = Problem(
          .serviceUnavailable, "Too many event streams are open.",
          hint: "Close other windows, or try again in a moment.", code: .limitExceeded)
        problem.headers[.retryAfter] = "1"
        throw problem
      }
      state.lastListener += 1
      if state.listeners.count >= Self.probeThreshold { state.isProbeDue = true }
      state.listeners[state.lastListener] = listener
      if state.watch == nil {
        state.watch = Task { await watch(from: LastSent(version: version, revision: revision)) }
      }
      return state.lastListener
    }
    listener.onTermination = { [weak self] _ in self?.end(number) }
    return events
  }

  /// The current number of listeners.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  private func end(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return }
      state.watch?.cancel()
      state.watch = nil
    }
  }

  private func watch(from start: LastSent) async {
    var last = start
    while !Task.isCancelled {
      poll(&last)
      // The only error is the cancellation after the last listener has left, which ends the loop.
      try? await Task.sleep(for: Self.tick)
    }
  }

  private func poll(_ last: inout LastSent) {
    last.ticksSinceChange += 1
    last.ticksSinceAnything += 1
    var events = ByteBuffer()
    if last.ticksSinceChange >= Self.ticksBetweenChanges,
      // After a failure the next poll tries again. A permanent failure is reported by the requests
      // that read the database.
      let version = try? signal.fetchDataVersion(), version != last.version
    {
      events.writeImmutableBuffer(Self.changed(version))
      last.version = version
      last.ticksSinceChange = 0
    }
    let (status, revision) = jobs.revised
    if revision != last.revision {
      events.writeImmutableBuffer(Self.sync(status))
      last.revision = revision
    }
    let isProbeDue = state.withLock { state in
      defer { state.isProbeDue = false }
      return state.isProbeDue
    }
    if events.readableBytes == 0,
      isProbeDue || last.ticksSinceAnything >= Self.ticksUntilKeepAlive
    {
      events.writeImmutableBuffer(Self.keepAlive)
    }
    guard events.readableBytes > 0 else { return }
    last.ticksSinceAnything = 0
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(events) }
  }

  private static func changed(_ version: Int64) -> ByteBuffer {
    event("changed", JSONWriter.document { $0.member("version", version) })
  }

  private static func sync(_ status: SyncStatus) -> ByteBuffer {
    var json = JSONWriter()
    json.value(status)
    return event("sync", json.text)
  }

  /// Formats an event. The JSON is written without line feeds, so that one `data` line holds it.
  private static func event(_ name: String, _ data: String) -> ByteBuffer {
    ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
  }
}
