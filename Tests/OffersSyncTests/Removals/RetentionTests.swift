import Foundation
import OffersCore
import OffersSQLite
import OffersSync
import Synchronization
import Testing

@Suite("What the engine removes after a sync")
struct RetentionTests {
  private static let daySeconds = 86_400.0

  @Test("vanished offers are kept 30 days, favorites for ever, and the history stays bounded")
  func clearsAway() async throws {
    let home = try await SyncedFolder()
    let day = Mutex(0.0)
    let engine = SyncEngine(
      store: home.database,
      now: { Date(timeIntervalSince1970: 1_000_000 + day.withLock { $0 } * Self.daySeconds) })
    func sync(_ ids: ClosedRange<Int>) async throws {
      let path = try home.folder.write(FeedText.feed(ids), to: "feed.json")
      _ = try await engine.sync("ibotta", options: SyncOptions(source: .file(path)))
    }
    func offer(_ id: String) async throws -> UserOffer? {
      try await home.database.findOffer(OfferRef(feed: "ibotta", offerID: id))
    }
    try await sync(1...20)
    _ = try await home.database.setFavorites(named: ["3"], to: true)
    day.withLock { $0 = 1 }
    try await sync(4...20)
    for number in 2...460 {
      day.withLock { $0 = Double(number) }
      try await sync(4...20)
      let isKept = number <= 30
      if [29, 30, 32, 460].contains(number) {
        #expect((try await offer("1") != nil) == isKept, "day \(number)")
        #expect((try await offer("2") != nil) == isKept, "day \(number)")
        #expect(try await offer("3")?.isGone == true, "day \(number)")
        #expect(try await offer("3")?.isFavorite == true, "day \(number)")
      }
    }
    #expect(try await home.ids() == (4...20).map(String.init))
    // Runs without changes are kept for 30 days, and looked for a day later; two changed offers.
    #expect(try await home.database.countEverything().runs <= 30 + 1 + 1 + 2)
  }

  @Test("a store that cannot clear away does not fail the sync that was written")
  func reportsTheSync() async throws {
    let home = try await SyncedFolder()
    let full = OffersError(.storageFailed, "The disk is full.", hint: "Make room.")
    let isWritten = Mutex(false)
    let store = RecordingStore(home.database) { call in
      isWritten.withLock { isWritten in
        if call == .unlock { isWritten = true }
        return isWritten && call == .transaction(.read) ? full : nil
      }
    }
    #expect(try await store.sync(FeedText.feed(1...5), in: home).counts.new == 5)
    #expect(store.calls.last == .transaction(.read))
  }

  @Test("a preview removes nothing")
  func previewsOnly() async throws {
    let home = try await SyncedFolder()
    let store = RecordingStore(home.database)
    let path = try home.folder.write(FeedText.feed(1...5), to: "feed.json")
    let (run, changes) = try await SyncEngine(store: store.database).preview(
      "ibotta", options: SyncOptions(source: .file(path)))
    #expect(run.counts.new == 5)
    #expect(changes.map(\.kind) == [.first] && changes.first?.offerCount == 5)
    #expect(store.writes == [.lock, .transaction(.trial), .unlock])
    #expect(try await home.database.countEverything().runs == 0)
  }
}
