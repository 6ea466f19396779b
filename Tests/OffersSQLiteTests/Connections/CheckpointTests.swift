import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Checkpoints of the log")
struct CheckpointTests {
  /// The contents of a database's file and of its log.
  private struct Contents: Equatable {
    var file: Data?
    var log: Data?

    init(_ path: String) {
      file = FileManager.default.contents(atPath: path)
      log = FileManager.default.contents(atPath: path + "-wal")
    }
  }

  /// Creates a database whose last change is only in its log. Returns its path.
  private static func makeFileWithLog(in folder: TemporaryFolder) async throws -> String {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let path = folder.file("offers.sqlite")
    try DatabaseQueue(path: store.path).inDatabase { writer in
      try writer.execute(
        sql: "PRAGMA wal_autocheckpoint = 0; UPDATE offer SET name = 'In the log'")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: store.path + suffix, toPath: path + suffix)
      }
    }
    try #require(Contents(path).log?.isEmpty == false)
    return path
  }

  @Test(
    "opening and closing leaves the file and its log as they are",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func closesQuietly(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try await Self.makeFileWithLog(in: folder)
    let before = Contents(path)
    do {
      let database = try await OffersDatabase.open(path: path, access: access)
      #expect(try await database.fetchOffer(named: "1").name == "In the log")
    }
    #expect(Contents(path) == before)
  }

  @Test("a log that a process left behind is checkpointed by the next write")
  func adoptsLog() async throws {
    let folder = try TemporaryFolder()
    let path = try await Self.makeFileWithLog(in: folder)
    let database = try await OffersDatabase.open(path: path)
    _ = try await database.setFavorites(named: ["1"], to: true)
    #expect(Contents(path).log?.isEmpty == true)
    #expect(try Store.rows(path, "SELECT name FROM offer") == ["In the log"])
  }

  @Test(
    "while another process holds the guard, opening for writing writes nothing",
    .timeLimit(.minutes(1)))
  func opensInTurn() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    // An empty log is the usual case, and the one where GRDB writes when it opens.
    let before = Contents(store.path)
    #expect(before.log?.isEmpty == true)
    let path = store.path
    let turn = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try turn.tryLock())
    let opening = Task { try await OffersDatabase.open(path: path) }
    // The absence of a write can only be observed after a pause.
    try await Task.sleep(for: .milliseconds(300))
    #expect(Contents(store.path) == before)
    turn.unlock()
    _ = try await opening.value
  }

  @Test(
    "a read in progress delays no write, and the log is truncated after it",
    .timeLimit(.minutes(1)))
  func writesBesideReader() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: store.path, configuration: configuration)
    try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT id FROM offer") }
    for id in ["1", "2"] { _ = try await store.database.setFavorites(named: [id], to: true) }
    #expect(Contents(store.path).log?.isEmpty == false)
    let seen = try await reader.writeWithoutTransaction { database in
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM favorite")
      try database.execute(sql: "COMMIT")
      return count
    }
    #expect(seen == 0)
    _ = try await store.database.setFavorites(named: ["1"], to: false)
    #expect(Contents(store.path).log?.isEmpty == true)
  }
}
