import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Opening a database")
struct OpeningTests {
  /// Holds the write guard of a database as another process does, whether or not the file exists.
  private static func holdGuard(of path: String) throws -> DatabaseLock {
    let lock = try DatabaseLock(path: DatabaseFile(path: path).lockPath)
    try #require(try lock.tryLock())
    return lock
  }

  private static func contents(of folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("waits for another process's write without blocking a thread of the concurrency pool")
  func suspends() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let other = try Self.holdGuard(of: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // More than the pool has threads: if each blocked one, nobody could release the guard.
      for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount + 2 {
        group.addTask { _ = try await OffersDatabase.open(path: path) }
      }
      for _ in 0..<20 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(!SQLitePlace(unchecked: path).exists)
      other.unlock()
      try await group.waitForAll()
    }
    #expect(try Store.rows(path, "SELECT name FROM feed") == ["ibotta"])
  }

  @Test("cancelled while it waits, it throws CancellationError and leaves nothing behind")
  func isCancelled() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let other = try Self.holdGuard(of: path)
    let before = try Self.contents(of: folder)
    for pauseMilliseconds in [0, 1, 5, 30] {
      let opening = Task { try await OffersDatabase.open(path: path) }
      try await Task.sleep(for: .milliseconds(pauseMilliseconds))
      opening.cancel()
      await #expect(throws: CancellationError.self) { try await opening.value }
      #expect(try Self.contents(of: folder) == before)
    }
    other.unlock()
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
  }

  @Test("cancelled while a database waits for its migration, it leaves the older schema")
  func leavesOlderSchema() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    let version = try Store.rows(path, "PRAGMA user_version")
    let other = try Self.holdGuard(of: path)
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      let opening = Task { try await OffersDatabase.open(path: path, access: access) }
      try await Task.sleep(for: .milliseconds(20))
      opening.cancel()
      await #expect(throws: CancellationError.self) { try await opening.value }
    }
    #expect(try Store.rows(path, "PRAGMA user_version") == version)
    other.unlock()
    let database = try await OffersDatabase.open(path: path, access: .readOnly)
    #expect(try await database.countOffers(OfferQuery()) == 9)
  }

  @Test("a cancelled task opens nothing and creates no folder")
  func isCancelledBefore() async throws {
    let folder = try TemporaryFolder()
    let opening = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await OffersDatabase.open(path: folder.file("new/offers.sqlite"))
    }
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(try Self.contents(of: folder) == [])
  }

  @Test("a command that reads one thing after another opens one connection")
  func opensOneReader() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    let before = OpenFiles.count(of: store.path)
    for _ in 0..<5 { _ = try await reader.fetchOffers(OfferQuery()) }
    #expect(OpenFiles.count(of: store.path) == before)
  }

  @Test(
    "behind a long read a list is answered; with a single reader it waits", arguments: [4, 1])
  func readsBesideLongRead(readerCount: Int) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let database =
      readerCount == 4
      ? try await OffersDatabase.open(path: store.path)
      : try await OffersDatabase.open(path: store.path, readerCount: readerCount)
    let events = Events()
    let hold = Hold()
    let long = Task {
      try await database.read { _ in
        hold.begin()
        events.add("long read")
      }
    }
    await hold.begun()
    let list = Task {
      _ = try await database.fetchOffers(OfferQuery(limit: 1))
      events.add("list")
    }
    if readerCount > 1 { try await list.value }
    hold.end()
    try await long.value
    try await list.value
    #expect(events.all == (readerCount > 1 ? ["list", "long read"] : ["long read", "list"]))
  }
}
