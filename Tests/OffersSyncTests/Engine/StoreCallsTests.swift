import Foundation
import OffersCore
import OffersSync
import Testing

@Suite("What a sync asks of the store")
struct StoreCallsTests {
  @Test("a feed in another order, written in another way, hands nothing over to be written")
  func handsNothingOver() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...50))
    let store = RecordingStore(home.database)
    let records = (1...50).reversed().map { id in
      #"{ "current_value" : "\u0024\u0031.00 Cash Back", "name":"\u0054ea \#(id)", "id" : "\#(id)" }"#
    }
    let run = try await store.sync(FeedText.list(records), in: home)
    #expect(run.counts.all == [0, 0, 0, 0, 50, 0])
    let path = home.folder.file("feed.json")
    #expect(
      store.written
        == .init(hasDocument: true, rememberedSource: ChosenSource(path, origin: .machine)))
  }

  @Test("only what is new or differs is handed over, in the feed's order")
  func handsDifferencesOver() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...50))
    let store = RecordingStore(home.database)
    var records = (3...50).map { FeedText.record($0) }
    records[7] = FeedText.record(10, name: "Mate")
    records.insert(FeedText.record(70), at: 20)
    records.insert(FeedText.record(60), at: 0)
    _ = try await store.sync(FeedText.list(records), in: home)
    #expect(store.written?.new == ["60", "70"])
    #expect(store.written?.known == ["10"])
    #expect(store.written?.vanishedCount == 2)
  }

  @Test("what is held back is not handed over, but what knows the document again")
  func handsNoRemovalsOver() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...50))
    let store = RecordingStore(home.database)
    _ = try await store.sync(FeedText.feed(40...51), in: home)
    #expect(store.written?.new == ["51"] && store.written?.hasDocument == true)
    #expect(store.written?.known == [] && store.written?.vanishedCount == 0)
  }

  @Test("a document that is known again asks for no offer and writes none, all under the lock")
  func asksLittleOfTheKnown() async throws {
    let home = try await SyncedFolder()
    let store = RecordingStore(home.database)
    #expect(try await store.sync(FeedText.feed(1...5), in: home).outcome == .updated)
    #expect(store.calls == [.lock, .state, .known, .apply, .unlock, .clear])
    #expect(try await store.sync(FeedText.feed(1...5), in: home).outcome == .unchanged)
    #expect(store.calls.dropFirst(6) == [.lock, .state, .record, .unlock, .clear])
  }

  @Test("a feed that fails writes nothing but its run")
  func writesNoFailure() async throws {
    let home = try await SyncedFolder()
    let store = RecordingStore(home.database)
    let run = try await store.sync("{", in: home)
    #expect(store.calls == [.lock, .state, .known, .record, .unlock, .clear])
    #expect(store.recorded == run)
    #expect(store.written == nil)
  }

  private static let full = OffersError(.storageFailed, "The disk is full.", hint: "Make room.")

  @Test(
    "a store that fails under way is the run's error, on record as far as that goes",
    arguments: [[RecordingStore.Call.apply], [.known], [.apply, .record]])
  func tellsStoreFailures(failing: [RecordingStore.Call]) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await home.database.fetchOffers(OfferQuery())
    let failures = Dictionary(uniqueKeysWithValues: failing.map { ($0, Self.full) })
    let run = try await RecordingStore(home.database, failures: failures).sync(
      FeedText.feed(2...9), in: home)
    #expect(run.outcome == .failed)
    #expect(run.error == Self.full)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    let last = try await home.feed().lastRun
    #expect(last?.outcome == (failing.contains(.record) ? .updated : .failed))
    // The feed is free again, and the next sync makes up for it.
    let next = try await home.sync(FeedText.feed(2...9), lockWaitSeconds: 0)
    #expect(next.counts.all == [4, 0, 1, 0, 4, 0])
  }

  @Test("a sync that is cancelled is no failure of the feed")
  func recordsNoCancellation() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let store = RecordingStore(home.database, failures: [.apply: CancellationError()])
    await #expect(throws: CancellationError.self) {
      try await store.sync(FeedText.feed(2...9), in: home)
    }
    #expect(store.recorded == nil)
    #expect(try await home.feed().lastRun?.outcome == .updated)
    #expect(try await home.sync(FeedText.feed(1...5), lockWaitSeconds: 0).outcome == .unchanged)
  }
}
