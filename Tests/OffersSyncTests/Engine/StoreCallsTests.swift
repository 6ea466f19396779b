import Foundation
import OffersCore
import OffersStore
import OffersSync
import Testing

@Suite("What a sync asks of the store")
struct StoreCallsTests {

  @Test("a document that is known again reads no offer and writes none, all under the lock")
  func asksLittleOfTheKnown() async throws {
    let home = try await SyncedFolder()
    let store = RecordingStore(home.database)
    #expect(try await store.sync(FeedText.feed(1...5), in: home).outcome == .updated)
    #expect(store.writes == [.lock, .transaction(.sync), .unlock])
    let first = store.calls.count
    #expect(try await store.sync(FeedText.feed(1...5), in: home).outcome == .unchanged)
    let calls = store.calls.dropFirst(first)
    #expect(store.writes.dropFirst(3) == [.lock, .transaction(.syncNote), .unlock])
    // Only the look for what is past its time reads offers, after the lock.
    #expect(!calls.prefix { $0 != .unlock }.contains(.transaction(.read)))
  }

  @Test("a feed that fails writes nothing but its run")
  func writesNoFailure() async throws {
    let home = try await SyncedFolder()
    let store = RecordingStore(home.database)
    let run = try await store.sync("{", in: home)
    #expect(store.writes == [.lock, .transaction(.syncNote), .unlock])
    let last = try #require(try await home.feed().lastRun)
    #expect(last.outcome == .failed && last.startedAt == run.startedAt)
    #expect(last.error?.message == run.error?.message)
  }

  private static let full = OffersError(.storageFailed, "The disk is full.", hint: "Make room.")

  @Test(
    "a store that fails under way is the run's error, on record as far as that goes",
    arguments: [[TransactionMode.sync], [.read], [.sync, .syncNote]])
  func tellsStoreFailures(failing: [TransactionMode]) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await home.database.fetchOffers(OfferQuery())
    let failures = Set(failing.map { RecordingStore.Call.transaction($0) })
    let store = RecordingStore(home.database) { failures.contains($0) ? Self.full : nil }
    let run = try await store.sync(FeedText.feed(2...9), in: home)
    #expect(run.outcome == .failed)
    #expect(run.error == Self.full)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    let last = try await home.feed().lastRun
    #expect(last?.outcome == (failing.contains(.syncNote) ? .updated : .failed))
    // The feed is free again, and the next sync makes up for it.
    let next = try await home.sync(FeedText.feed(2...9), lockWaitSeconds: 0)
    #expect(next.counts.all == [4, 0, 1, 0, 4, 0])
  }

  @Test("a sync that is cancelled is no failure of the feed")
  func recordsNoCancellation() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let store = RecordingStore(home.database) {
      $0 == .transaction(.sync) ? CancellationError() : nil
    }
    await #expect(throws: OffersError.cancelled) {
      try await store.sync(FeedText.feed(2...9), in: home)
    }
    #expect(!store.writes.contains(.transaction(.syncNote)))
    #expect(try await home.feed().lastRun?.outcome == .updated)
    #expect(try await home.sync(FeedText.feed(1...5), lockWaitSeconds: 0).outcome == .unchanged)
  }
}
