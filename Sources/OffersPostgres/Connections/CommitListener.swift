import OffersCore

/// Follows the commits of all programs on one connection: by polling the numbers of `commit_count`, and
/// by notices that hint at commits in between, upon which it polls at once.
///
/// Every role that may connect to the database may send notices. So their payloads are not trusted, and
/// between two polls there is a minimum interval, however many notices come.
///
/// A program sends a notice after each commit that changes the version (`CommitNotice`). Notices may get
/// lost, and behind a pooler that gives each transaction another connection there are none. So they are
/// tested with a notice to itself, and the numbers are polled anyway.
struct CommitListener: Sendable {
  /// Whether the connection leads to one process of the server, which can be told to send notices. A
  /// pooler would leave the listening process to other programs.
  private let isDirect: Bool
  /// The payload of the last test, when it was sent, and whether it has come back.
  private var test: (payload: String, time: ContinuousClock.Instant, isBack: Bool)?
  /// Whether notices come back.
  private var isHeard = false

  private static let testInterval = Duration.seconds(5)
  /// The time between two polls: longer while notices arrive, because they tell of commits sooner.
  private static let intervals = (heard: Duration.seconds(1), unheard: Duration.milliseconds(500))
  /// The least time between two polls, however many notices arrive.
  private static let leastInterval = Duration.milliseconds(20)
  /// The time between two attempts to connect.
  private static let retryInterval = Duration.milliseconds(250)

  /// Follows the commits until the task is cancelled or the watch is gone.
  static func follow(
    _ url: DatabaseURL, for watch: @escaping @Sendable () -> DataVersionMonitor?
  ) async {
    while !Task.isCancelled, watch() != nil {
      do {
        let thread = ConnectionThread()
        _ = try await thread.open(url)
        var listener = try await thread.run(within: .short) { connection in
          try CommitListener(connection)
        }.result.get()
        while !Task.isCancelled, watch() != nil {
          listener = try await thread.run(within: .short) { [listener] connection in
            var listener = listener
            try listener.poll(connection, for: watch)
            return listener
          }.result.get()
        }
      } catch {
        watch()?.fail(PostgresFailure.translate(error, url))
        // The only error is the cancellation, which ends the loop.
        try? await Task.sleep(for: retryInterval)
      }
    }
  }

  private init(_ connection: Connection) throws {
    isDirect = try connection.isDirect()
  }

  /// Polls once, and passes on the notices until the next poll.
  private mutating func poll(
    _ connection: Connection, for watch: () -> DataVersionMonitor?
  ) throws {
    try testNotices(connection)
    guard let mark = watch()?.mark() else { return }
    var numbers: [Int64: Int64] = [:]
    let rows = try connection.readOnce {
      try connection.rows("SELECT shard, number FROM commit_count")
    }
    for row in rows.map(\.self) { numbers[row.number(0)] = row.number(1) }
    watch()?.confirm(numbers, since: mark)
    let start = ContinuousClock.now
    while true {
      let end = start + (isHeard ? Self.intervals.heard : Self.intervals.unheard)
      if end <= .now { return }
      var hasHint = false
      for payload in try connection.notices(until: end) {
        if let test, payload.hasSameBytes(as: test.payload) {
          self.test?.isBack = true
          isHeard = true
        } else {
          hasHint = true
        }
      }
      if hasHint, ContinuousClock.now - start >= Self.leastInterval { return }
      if hasHint {
        // Notices that arrive before the next poll are discarded, because that poll reads all numbers.
        while ContinuousClock.now - start < Self.leastInterval {
          _ = try connection.notices(until: start + Self.leastInterval)
        }
        return
      }
    }
  }

  /// Sends a notice to itself, if it is time.
  private mutating func testNotices(_ connection: Connection) throws {
    guard isDirect else { return }
    let now = ContinuousClock.now
    if let test, now - test.time < Self.testInterval { return }
    isHeard = test?.isBack ?? false
    let payload = "test \(UInt64.random(in: 0...UInt64.max))"
    test = (payload, now, false)
    try connection.script(
      "LISTEN \(CommitNotice.channel); NOTIFY \(CommitNotice.channel), '\(payload)'")
  }
}
