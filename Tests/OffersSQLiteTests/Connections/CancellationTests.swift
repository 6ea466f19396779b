import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Cancelled calls of the store", .timeLimit(.minutes(1)))
struct CancellationTests {
  /// A call of a store.
  struct Call: Sendable, CustomStringConvertible {
    let description: String
    let run: @Sendable (OffersDatabase) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (OffersDatabase) async throws -> Void) {
      self.description = description
      self.run = run
    }
  }

  private static let now = Date(timeIntervalSince1970: 2000)

  static let writes = [
    Call("setFavorites") {
      try await $0.setFavorites([OfferRef(feed: "ibotta", offerID: "1")], to: true)
    },
    Call("setFavorites(named:)") { try await $0.setFavorites(named: ["1"], to: true) },
    Call("unsubscribe") { _ = try await $0.unsubscribe(from: "ibotta") },
    Call("setMark") { try await $0.setMark(ReaderMark(changeID: 1, readAt: now), of: "me") },
    Call("record") {
      let run = SyncRun(
        feed: "ibotta", source: "sample", outcome: .unchanged, bytes: 0, startedAt: now,
        durationSeconds: 0)
      try await $0.record(run, remember: nil, fetch: nil)
    },
    Call("prune") {
      _ = try await $0.prune(goneBefore: now, now: now, trustsClock: true, isTrial: false)
    },
    Call("clearImages") { try await $0.clearImages() },
  ]

  /// Everything that these writes would change.
  private static func contents(_ store: Store) throws -> [String] {
    try ["favorite", "feed", "reader", "sync_run", "offer", "image_cache"].flatMap { table in
      let columns = try store.rows("SELECT name FROM pragma_table_info('\(table)')")
      return try store.rows(
        "SELECT \(columns.filter { $0 != "bytes" }.joined(separator: ", ")) FROM \(table) ORDER BY 1"
      )
    }
  }

  private static func store() async throws -> Store {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    try await store.sync([FeedOffer("2")], at: 1500)
    let bytes = TinyImage.png()
    try await store.database.putImage(
      CachedImage(
        url: "https://x.example/1.png", bytes: bytes, header: try ImageHeader(reading: bytes),
        fetchedAt: now, freshUntil: now))
    return store
  }

  @Test("a cancelled write does not wait for the other writer", arguments: writes)
  func leavesTheQueue(call: Call) async throws {
    let store = try await Self.store()
    let before = try Self.contents(store)
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try other.tryLock())
    let task = Task { try await call.run(store.database) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    other.unlock()
    #expect(try Self.contents(store) == before)
    try await call.run(store.database)
  }

  @Test("a cancelled task does not wait for a lock that another one holds")
  func leavesTheLock() async throws {
    let folder = try TemporaryFolder()
    let other = try DatabaseLock(path: folder.file("lock"))
    #expect(try other.tryLock())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try DatabaseLock(path: folder.file("lock")).lock(waitSeconds: 30)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
