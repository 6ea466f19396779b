import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Several processes on one database")
struct WriterTurnsTests {
  /// A flag that tells whether an operation has ended.
  private actor Done {
    private(set) var isSet = false
    func set() { isSet = true }
  }

  @Test("a write waits while another process writes")
  func writersTakeTurns() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try other.tryLock())
    let done = Done()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let changes = try await store.database.setFavorites(named: ["1"], to: true)
        await done.set()
        #expect(changes.map(\.didChange) == [true])
      }
      // The absence of an event can only be observed after a pause.
      try await Task.sleep(for: .milliseconds(300))
      #expect(await !done.isSet)
      // A reader does not wait.
      #expect(try await !store.database.fetchOffer(named: "1").isFavorite)
      other.unlock()
      try await group.waitForAll()
    }
    #expect(await done.isSet)
    #expect(try await store.database.fetchOffer(named: "1").isFavorite)
  }

  @Test("a write cancelled at any moment fails or succeeds, and the next one proceeds")
  func staysUsableWhenCancelled() async throws {
    let store = try await Store()
    try await store.sync((1...2000).map { FeedOffer("\($0)") })
    let run = SyncRun(
      feed: "ibotta", source: "sample", outcome: .unchanged, bytes: 0,
      startedAt: Date(timeIntervalSince1970: 1000), durationSeconds: 0)
    var cancelledCount = 0
    for _ in 0..<150 {
      let tasks = [
        Task { _ = try await store.database.fetchKnownOffers(of: "ibotta") },
        Task { _ = try await store.database.findSyncState(of: "ibotta") },
        Task { try await store.database.record(run, remember: nil, fetch: nil) },
      ]
      try await Task.sleep(for: .microseconds(.random(in: 0...1500)))
      for task in tasks { task.cancel() }
      for task in tasks {
        do {
          try await task.value
        } catch {
          guard error.isCancellation else { throw error }
          cancelledCount += 1
        }
      }
    }
    #expect(cancelledCount > 0)
    #expect(try await store.database.fetchKnownOffers(of: "ibotta").count == 2000)
    #expect(try await store.database.setFavorites(named: ["1"], to: true).count == 1)
  }

  @Test("the guard is released after a successful and after a failed write")
  func givesTheGuardBack() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try other.tryLock())
    other.unlock()
    await #expect(throws: OffersError.self) {
      try await store.database.setFavorites(named: ["9"], to: true)
    }
    #expect(try other.tryLock())
  }

  @Test("a reader opens and reads at once while another process is in the middle of a write")
  func readsDuringWrite() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let writer = try DatabaseQueue(path: store.path, configuration: configuration)
    try await writer.writeWithoutTransaction {
      try $0.execute(
        sql: "BEGIN IMMEDIATE; UPDATE offer SET name = 'Half done'; DELETE FROM change")
    }
    let begun = ContinuousClock.now
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    #expect(try await reader.fetchOffer(named: "1").name == "Milk")
    #expect(try await store.database.fetchOffer(named: "1").name == "Milk")
    #expect(ContinuousClock.now - begun < .seconds(5))
    try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  @Test("after a write the log is empty and the file complete")
  func emptiesTheLog() async throws {
    let store = try await Store()
    try await store.sync((1...50).map { FeedOffer("\($0)") })
    #expect(FileManager.default.contents(atPath: store.path + "-wal") == Data())
    let copy = try TemporaryFolder()
    let file = try #require(FileManager.default.contents(atPath: store.path))
    let path = try copy.write(file, to: "offers.sqlite")
    #expect(try Store.rows(path, "SELECT count(*) FROM offer") == ["50"])
  }
}
