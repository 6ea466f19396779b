import OffersCore
import OffersStore
import Synchronization

/// The version of the data in memory, as the commits of all programs change it.
///
/// A connection of its own reads the commits of others four times a second, from the first question on;
/// those of this program are known at once. The version is the sum of the numbers of `commit_count`.
/// They are kept one by one, so that a commit that is known is not forgotten because of a poll that
/// began before it.
final class DataVersionMonitor: Sendable {
  /// The start of a poll: its time, and the number of commits noted before it.
  struct Mark: Sendable {
    fileprivate let time: ContinuousClock.Instant
    fileprivate let noteCount: Int
  }

  private struct State {
    /// The known numbers of `commit_count`, each by its `shard`.
    var numbers: [Int64: Int64] = [:]
    /// How many commits were noted.
    var noteCount = 0
    /// When the last successful poll began.
    var confirmedAt: ContinuousClock.Instant?
    /// Why the last poll failed; nil if it succeeded.
    var failure: (any Error)?
    var isClosed = false
    var task: Task<Void, Never>?
    /// The calls that wait for the next poll, by the order in which they came.
    var waiters: [Int: CheckedContinuation<Int64, any Error>] = [:]
    var lastWaiter = 0
    /// The observer of the last stream, which may have ended.
    var stream: AsyncStream<DataCommit>.Continuation?

    var version: Int64 { numbers.values.reduce(0, &+) }

    /// Changes the numbers, and tells the stream if that changes the version.
    ///
    /// - Parameter changes: what has changed, as `DataCommit` has it.
    mutating func change(
      _ changes: DataChanges? = nil, _ body: (inout [Int64: Int64]) -> Void
    ) {
      let last = version
      body(&numbers)
      if version != last { tell(changes) }
    }

    /// Tells the stream the version, once it is known.
    func tell(_ changes: DataChanges? = nil) {
      guard confirmedAt != nil else { return }
      stream?.tell(DataCommit(version: version, changes: changes))
    }
  }

  /// How long a version counts as the current one after the last successful poll.
  private static let trust = Duration.seconds(2)

  private let url: DatabaseURL
  private let state = Mutex(State())

  init(_ url: DatabaseURL) { self.url = url }

  deinit { close() }

  /// Ends the connection, the stream and the questions that wait.
  func close() {
    let (task, waiters, stream) = state.withLock { state in
      state.isClosed = true
      defer { (state.task, state.waiters) = (nil, [:]) }
      return (state.task, state.waiters, state.stream)
    }
    task?.cancel()
    for waiter in waiters.values { waiter.resume(throwing: ConnectionPool.closed) }
    stream?.finish()
  }

  /// The version of the data, from memory. The first question, and one after this program was stopped,
  /// wait for a poll.
  ///
  /// - Throws: `OffersError`: `storeUnreachable` if the database could not be reached for two seconds,
  ///   `invalidRequest` if it is closed.
  func version() async throws -> Int64 {
    try Task.checkCancellation()
    start()
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await wait(number)
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func wait(_ number: Int) async throws -> Int64 {
    try await withCheckedThrowingContinuation { continuation in
      let answer = state.withLock { state -> Result<Int64, any Error>? in
        if state.isClosed { return .failure(ConnectionPool.closed) }
        // A cancellation before this call found no waiter to remove.
        if Task.isCancelled { return .failure(CancellationError()) }
        if let time = state.confirmedAt, .now - time <= Self.trust {
          return .success(state.version)
        }
        if let failure = state.failure { return .failure(failure) }
        state.waiters[number] = continuation
        return nil
      }
      if let answer { continuation.resume(with: answer) }
    }
  }

  /// The present version, then each new one, for one reader at a time.
  func versions() -> AsyncStream<DataCommit> {
    start()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      state.withLock { state in
        if state.isClosed { return reader.finish() }
        if state.confirmedAt != nil { reader.yield(DataCommit(version: state.version)) }
        state.stream = reader
      }
    }
  }

  /// Notes a commit of this program.
  ///
  /// - Parameter changes: what it has changed, as `DataCommit` has it.
  func note(_ commit: CountedCommit, _ changes: DataChanges?) {
    state.withLock { state in
      state.noteCount += 1
      let known = state.numbers[commit.shard]
      // If the number is not the one before the commit, the version also changes by commits of others.
      let isNext = known == commit.number &- commit.step
      state.change(isNext ? changes : nil) {
        $0[commit.shard] = max(commit.number, known ?? commit.number)
      }
    }
  }

  /// Begins a poll; nil if the watch is closed.
  func mark() -> Mark? {
    state.withLock { state in
      state.isClosed ? nil : Mark(time: .now, noteCount: state.noteCount)
    }
  }

  /// Takes over the numbers that a poll has read.
  func confirm(_ numbers: [Int64: Int64], since mark: Mark) {
    let (version, waiters) = state.withLock { state in
      let isFirst = state.confirmedAt == nil
      state.failure = nil
      let isLatest = state.noteCount == mark.noteCount
      state.change { known in
        // A server that has taken over may lack the last commits: then the numbers become smaller.
        known = isLatest ? numbers : known.merging(numbers) { max($0, $1) }
      }
      // Once the version is known: so the first poll does not tell it twice.
      state.confirmedAt = mark.time
      if isFirst { state.tell() }
      defer { state.waiters = [:] }
      return (state.version, state.waiters)
    }
    for waiter in waiters.values { waiter.resume(returning: version) }
  }

  /// Notes that the database could not be reached.
  func fail(_ error: any Error) {
    let waiters = state.withLock { state in
      state.failure = error
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume(throwing: error) }
  }

  private func start() {
    state.withLock { state in
      if state.task != nil || state.isClosed { return }
      let monitor: @Sendable () -> DataVersionMonitor? = { [weak self] in self }
      state.task = Task { [url] in await Self.follow(url, for: monitor) }
    }
  }

  /// The time between two polls, and between two attempts to connect.
  private static let interval = Duration.milliseconds(250)

  /// Polls until the task is cancelled or the monitor is gone.
  private static func follow(
    _ url: DatabaseURL, for monitor: @Sendable () -> DataVersionMonitor?
  ) async {
    while !Task.isCancelled, monitor() != nil {
      do {
        let thread = ConnectionThread()
        _ = try await thread.open(url)
        while !Task.isCancelled, let mark = monitor()?.mark() {
          let numbers = try await thread.run(within: .short) { connection in
            try connection.readOnce {
              try connection.rows("SELECT shard, number FROM commit_count")
                .map { ($0.number(0), $0.number(1)) }
            }
          }.result.get()
          monitor()?.confirm(Dictionary(numbers) { max($0, $1) }, since: mark)
          try await Task.sleep(for: interval)
        }
      } catch {
        monitor()?.fail(PostgresFailure.translate(error, url))
        // The only error is the cancellation, which ends the loop.
        try? await Task.sleep(for: interval)
      }
    }
  }
}

/// A commit of this program: the number that it has given to a shard of `commit_count`.
struct CountedCommit: Equatable {
  let shard: Int64
  /// It grows with each commit.
  let number: Int64
  /// How much smaller the number of the shard was before the commit.
  let step: Int64
}
