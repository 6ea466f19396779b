import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

/// Delivers notices while a server runs: after its syncs, and whenever a delivery is due between them.
struct ServedNotices: Sendable {
  let database: OffersDatabase
  let log: Log
  let now: @Sendable () -> Date

  /// The longest wait between two looks, in seconds. Offers enter watches as time passes, and other programs write
  /// notices, without a time that the database knows.
  private static let longestWait = 300.0
  /// The shortest wait, in seconds. A delivery that cannot be tried, because this machine lacks a secret, stays due.
  private static let shortestWait = 30.0

  /// Writes the notices that are due as time passes, and delivers what waits. Failures are logged, and tried again.
  func deliver() async {
    do {
      try await database.lookAtWatches(now: now(), FilterTextParser())
      if try await database.fetchDueChannels(at: now()).isEmpty { return }
      let summary = try await NoticeServices.delivery(for: database, now: now).run()
      for failure in summary.failures {
        log.accessLogger.error(
          "a notice could not be delivered",
          metadata: ["channel": "\(failure.channel)", "reason": "\(failure.reason)"])
      }
    } catch {
      if error.isCancellation { return }
      log.accessLogger.error(
        "notices could not be delivered", metadata: ["reason": "\(OffersError(error).message)"])
    }
  }

  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(database: OffersDatabase, log: Log, now: @escaping @Sendable () -> Date = { Date() }) {
    self.database = database
    self.log = log
    self.now = now
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends the wait of `run`, as after a sync.
  func wake() { waker.yield() }

  /// Delivers what is due until the task is cancelled. It is called once.
  func run() async {
    var wakes = wakes.makeAsyncIterator()
    while !Task.isCancelled {
      await deliver()
      let seconds = await waitSeconds()
      let timer = Task { [waker] in
        try await Task.sleep(for: .seconds(seconds))
        waker.yield()
      }
      defer { timer.cancel() }
      if await wakes.next() == nil { return }
    }
  }

  /// The time until the next look, in seconds.
  func waitSeconds() async -> Double {
    let now = now()
    do {
      let next = try await database.fetchNextDueTime(after: now)
      let wait = next.map { $0.timeIntervalSince(now) } ?? Self.longestWait
      return min(max(wait, Self.shortestWait), Self.longestWait)
    } catch {
      // The next look logs what is wrong with the database.
      return Self.longestWait
    }
  }
}
