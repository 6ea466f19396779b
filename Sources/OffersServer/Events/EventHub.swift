import Hummingbird
import OffersCore
import Synchronization

/// Tells all who listen what happens: that something was written, whoever wrote it, and how far a
/// sync is. It looks only while somebody listens.
///
/// Each event tells the present state, so that one that is missed is made up for by the next.
final class EventHub: Sendable {
  typealias Listener = AsyncStream<ByteBuffer>.Continuation

  private struct State {
    var listeners: [Int: Listener] = [:]
    var lastListener = 0
    /// Whether to say something soon, by which those who have left are found out.
    var asksWhoListens = false
    var watch: Task<Void, Never>?
  }

  /// What was told last.
  private struct Told {
    var version: Int64
    var revision: Int
    var ticksSinceChange = 0
    var ticksSinceAnything = 0
  }

  private let state = Mutex(State())
  private let signal: any ChangeSignal
  private let jobs: SyncJobs

  /// How often it looks.
  private static let tick = Duration.milliseconds(250)
  /// Changes are told twice a second at most.
  private static let ticksBetweenChanges = 2
  /// Something is said each 15 seconds, so that nobody between ends the connection.
  private static let ticksOfSilence = 60
  /// Most who listen at a time.
  static let listenerLimit = 100
  /// From so many on it is asked who still listens when somebody comes.
  private static let crowd = 25
  private static let silence = ByteBuffer(string: ":\n\n")
  /// Events that wait for a listener who is slow; the oldest are dropped.
  private static let waitingLimit = 16

  init(signal: any ChangeSignal, jobs: SyncJobs) {
    self.signal = signal
    self.jobs = jobs
  }

  /// What happens from now on, as `text/event-stream` has it; first what is.
  ///
  /// - Throws: `Problem` where too many listen already.
  func listen() throws -> AsyncStream<ByteBuffer> {
    let (events, listener) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(Self.waitingLimit))
    var greeting = ByteBuffer(string: "retry: 2000\n\n")
    let version = try signal.fetchDataVersion()
    let (status, revision) = jobs.revised
    greeting.writeImmutableBuffer(Self.changed(version))
    greeting.writeImmutableBuffer(Self.sync(status))
    listener.yield(greeting)
    let number = try state.withLock { state in
      guard state.listeners.count < Self.listenerLimit else {
        // Those who have left are known within a second.
        state.asksWhoListens = true
        var problem = Problem(
          .serviceUnavailable, "Too many listen already.",
          hint: "Close other windows, or ask again in a moment.", code: .limitExceeded)
        problem.headers[.retryAfter] = "1"
        throw problem
      }
      state.lastListener += 1
      if state.listeners.count >= Self.crowd { state.asksWhoListens = true }
      state.listeners[state.lastListener] = listener
      if state.watch == nil {
        state.watch = Task { await watch(Told(version: version, revision: revision)) }
      }
      return state.lastListener
    }
    listener.onTermination = { [weak self] _ in self?.end(number) }
    return events
  }

  /// How many listen.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  private func end(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return }
      state.watch?.cancel()
      state.watch = nil
    }
  }

  private func watch(_ greeting: Told) async {
    var told = greeting
    while !Task.isCancelled {
      look(&told)
      // Cancelled when nobody listens any more.
      try? await Task.sleep(for: Self.tick)
    }
  }

  private func look(_ told: inout Told) {
    told.ticksSinceChange += 1
    told.ticksSinceAnything += 1
    var news = ByteBuffer()
    if told.ticksSinceChange >= Self.ticksBetweenChanges,
      // A failure passes, or whoever asks next is told of it.
      let version = try? signal.fetchDataVersion(), version != told.version
    {
      news.writeImmutableBuffer(Self.changed(version))
      told.version = version
      told.ticksSinceChange = 0
    }
    let (status, revision) = jobs.revised
    if revision != told.revision {
      news.writeImmutableBuffer(Self.sync(status))
      told.revision = revision
    }
    let asks = state.withLock { state in
      defer { state.asksWhoListens = false }
      return state.asksWhoListens
    }
    if news.readableBytes == 0, asks || told.ticksSinceAnything >= Self.ticksOfSilence {
      news.writeImmutableBuffer(Self.silence)
    }
    guard news.readableBytes > 0 else { return }
    told.ticksSinceAnything = 0
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(news) }
  }

  private static func changed(_ version: Int64) -> ByteBuffer {
    event("changed", JSONWriter.document { $0.member("version", version) })
  }

  private static func sync(_ status: SyncStatus) -> ByteBuffer {
    var json = JSONWriter()
    json.value(status)
    return event("sync", json.text)
  }

  /// JSON has no line ends of its own, so that one line is enough.
  private static func event(_ name: String, _ data: String) -> ByteBuffer {
    ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
  }
}
