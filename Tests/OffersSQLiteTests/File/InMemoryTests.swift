import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A database in memory", .timeLimit(.minutes(1)))
struct InMemoryTests {
  private static func open() async throws -> OffersDatabase {
    try await OffersDatabase.inMemory(definitions: nil)
  }

  private static let teas = (1...50).map { FeedOffer("\($0)", name: "Tea \($0)") }

  @Test("has the schema of a file")
  func schema() async throws {
    let schema = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)"
    let store = try await Store()
    let expected = try await store.database.read { try String.fetchOne($0, sql: schema) }
    #expect(try await Self.open().read { try String.fetchOne($0, sql: schema) } == expected)
  }

  @Test("is independent of every other one")
  func isAlone() async throws {
    let (one, other) = (try await Self.open(), try await Self.open())
    try await one.sync(Self.teas)
    try await one.setFavorites(named: ["1"], to: true)
    #expect(try await other.countEverything().offers == 0)
    try await other.withSyncLock(on: "ibotta", waitSeconds: 0) {
      try await one.withSyncLock(on: "ibotta", waitSeconds: 0) {}
    }
    let version = try await other.fetchDataVersion()
    try await one.setFavorites(named: ["2"], to: true)
    #expect(try await other.fetchDataVersion() == version)
    try await other.close()
    #expect(try await one.countEverything().favorites == 2)
  }

  @Test("a write that begins during an export waits for its end, and the export has one state")
  func waitsForExport() async throws {
    let database = try await Self.open()
    try await database.sync(Self.teas)
    let (count, write) = try await database.export(
      favoritesOnly: false, allUsers: false, withSearches: false
    ) { records in
      let write = Task { try await database.sync([Self.teas[0]], at: 2000) }
      var count = 0
      try records.forEachRecord { if case .offer = $0 { count += 1 } }
      return (count, write)
    }
    #expect(count == 50)
    #expect(try await write.value.counts.gone == 49)
  }

  @Test("refuses every call once it is closed")
  func closes() async throws {
    let database = try await Self.open()
    let ben = database.bound(to: try await database.addUser(named: "Ben", role: .member))
    try await database.close()
    try await database.close()
    for call in [
      { _ = try await ben.fetchOffers(OfferQuery()) },
      { _ = try await database.fetchDataVersion() },
      { try await database.setFavorites(named: ["1"], to: true) },
      { try await database.withSyncLock(on: "tea", waitSeconds: 0) {} },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: OffersError.self) { try await call() }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message == "The database :memory: is closed.")
    }
  }

  @Test("has no file and makes none; what is about a file is refused")
  func hasNoFile() async throws {
    let database = try await Self.open()
    try await database.sync(Self.teas)
    #expect(await database.sqlite.examine().allSatisfy { $0.level == .ok })
    try await database.checkReadiness()
    #expect(database.maintenance == nil)
    #expect(database.place == ":memory:")
    #expect(database.temporaryFolder == NSTemporaryDirectory())
    let error = await #expect(throws: OffersError.self) {
      try await SQLitePlace(path: database.place).restore(from: "/nowhere.sqlite") { _ in }
    }
    #expect(error?.code == .invalidRequest)
    #expect(
      error?.message
        == "The database is named :memory:, but only a file can be opened by its path.")
    for ending in ["", "-lock", "-wal", "-shm", "-journal"] {
      #expect(!FileManager.default.fileExists(atPath: ":memory:" + ending))
    }
  }

  @Test("a backup of it is a database file with all that it has")
  func backsUp() async throws {
    let database = try await Self.open()
    try await database.sync(Self.teas)
    try await database.setFavorites(named: ["7"], to: true)
    let folder = try TemporaryFolder()
    let path = folder.file("backup.sqlite")
    try await database.sqlite.backUp(to: path)
    let file = try await OffersDatabase.open(path: path)
    #expect(try await file.exported().text() == database.exported().text())
    #expect(await file.sqlite.examine().allSatisfy { $0.level == .ok })
  }

  @Test("free pages are removed from it")
  func compacts() async throws {
    let database = try await Self.open()
    try await database.sync((1...2000).map { FeedOffer("\($0)", name: "Tea \($0)") })
    try await database.write {
      try $0.execute(sql: "DELETE FROM change; DELETE FROM offer")
    }
    #expect(try await database.sqlite.writing { try await $0.compact(whenFreeAbove: 0.1) })
    #expect(try await database.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } == 0)
  }
}
