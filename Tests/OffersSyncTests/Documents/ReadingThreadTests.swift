import Foundation
import OffersCore
import OffersFeeds
import OffersSync
import OffersTestSupport
import Synchronization
import Testing

@Suite("The threads on which documents are read", .timeLimit(.minutes(1)))
struct ReadingThreadTests {
  /// More than the concurrency pool has.
  private static let count = ProcessInfo.processInfo.activeProcessorCount + 2

  @Test("as many readings as there are cores delay no other task")
  func keepsPoolFree() async throws {
    var homes: [SyncedFolder] = []
    for _ in 0..<Self.count { homes.append(try await SyncedFolder()) }
    let begun = Mutex(0)
    let hasRun = Mutex(false)
    try await withThrowingTaskGroup { group in
      for home in homes {
        group.addTask { @Sendable in
          let path = try home.folder.write(FeedText.feed(1...3), to: "feed.json")
          _ = try await SyncEngine(store: home.database, environment: { _ in nil }).sync(
            "ibotta", options: SyncOptions(source: .file(path))
          ) { _ in
            begun.withLock { $0 += 1 }
            // The thread is busy until a task of the pool has run.
            while !hasRun.withLock({ $0 }) { usleep(1000) }
          }
        }
      }
      group.addTask { @Sendable in
        while begun.withLock({ $0 }) < Self.count { try await Task.sleep(for: .milliseconds(1)) }
        hasRun.withLock { $0 = true }
      }
      try await group.waitForAll()
    }
  }

  @Test("work on a thread of its own leaves the pool free, and hears of a cancellation")
  func hearsOfCancellation() async throws {
    let begun = Mutex(0)
    let works = (0..<Self.count).map { _ in
      Task { @Sendable in
        try await OwnThread.runTask {
          begun.withLock { $0 += 1 }
          while true { try Task.checkCancellation() }
        }
      }
    }
    while begun.withLock({ $0 }) < Self.count { try await Task.sleep(for: .milliseconds(1)) }
    for work in works { work.cancel() }
    for work in works {
      await #expect(throws: CancellationError.self) { try await work.value }
    }
  }
}
