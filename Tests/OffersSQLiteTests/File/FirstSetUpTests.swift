import Foundation
import GRDB
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@Suite("An interrupted or concurrent creation of a database")
struct FirstSetUpTests {
  @Test("a blank SQLite file is no database for reading, and becomes one for writing")
  func fillsBlankFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    try Store.execute(path, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
    let before = try #require(FileManager.default.contents(atPath: path))
    #expect(before.starts(with: Data("SQLite format 3".utf8)))
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: .readOnly)
    }
    #expect(error?.code == .notFound)
    #expect(FileManager.default.contents(atPath: path) == before)
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
  }

  /// Copies the files of a database as a process leaves them that was killed during a large import,
  /// with uncommitted pages in the file. Returns the copy's path.
  private static func killedImport(in folder: TemporaryFolder) async throws -> String {
    let whole = try TemporaryFolder()
    let original = try await Store.makeFile(in: whole)
    let path = folder.file("offers.sqlite")
    try DatabaseQueue(path: original).inDatabase { writer in
      // This cache cannot hold the transaction, so SQLite spills pages to the file early.
      try writer.execute(
        sql: """
          PRAGMA journal_mode = DELETE;
          INSERT INTO offer (
            feed_key, id, content_hash, first_seen_at, changed_at, name, name_key, reward_up_to
          ) VALUES (1, '1', 0, 0, 0, 'Milk', x'', 0);
          PRAGMA cache_size = 5;
          BEGIN IMMEDIATE;
          UPDATE offer SET name = 'Never committed';
          WITH RECURSIVE number (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number LIMIT 5000)
          INSERT INTO offer (
            feed_key, id, content_hash, first_seen_at, changed_at, name, name_key, reward_up_to
          ) SELECT 1, n, 0, 0, 0, 'Half', x'', 0 FROM number;
          """)
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: original + suffix, toPath: path + suffix)
      }
      try writer.execute(sql: "ROLLBACK")
    }
    let size = try #require(FileManager.default.contents(atPath: path)).count
    try #require(size > 150_000, "the copy holds what was never committed")
    return path
  }

  @Test(
    "after a killed import, the next process finds the state before it",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func undoesKilledImport(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try await Self.killedImport(in: folder)
    let database = try await OffersDatabase.open(path: path, access: access)
    #expect(try await database.fetchOffers(OfferQuery()).map(\.name) == ["Milk"])
    #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    #expect(try Store.rows(path, "PRAGMA journal_mode") == ["wal"])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
  }

  @Test("processes that concurrently open a missing file share one database")
  func startsTogether() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new/offers.sqlite")
    let opened = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<12 {
        group.addTask {
          try await OffersDatabase.open(path: path).fetchFeeds().map(\.name)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(opened == Array(repeating: ["ibotta"], count: 12))
    #expect(try Store.rows(path, "SELECT feed_key, name FROM feed") == ["1|ibotta"])
  }

  @Test("two concurrent writers lose nothing and get no error")
  func writesTogether() async throws {
    let store = try await Store()
    let ids = (1...60).map(String.init)
    try await store.sync(ids.map { FeedOffer($0) })
    let other = try await OffersDatabase.open(path: store.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (database, remainder) in [(store.database, 0), (other, 1)] {
        group.addTask {
          for (place, id) in ids.enumerated() where place % 2 == remainder {
            let changes = try await database.setFavorites(named: [id], to: true)
            #expect(changes.map(\.didChange) == [true])
          }
        }
      }
      try await group.waitForAll()
    }
    for database in [store.database, other] {
      #expect(try await database.countOffers(OfferQuery(favoritesOnly: true)) == 60)
    }
  }
}
