import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("Databases from somebody else")
struct SchemaObjectTests {
  private static let trigger = """
    CREATE TRIGGER forget_stars AFTER INSERT ON favorite BEGIN DELETE FROM favorite; END
    """

  @Test("no connection trusts the schema if SQLite allows it, and no statement may damage the file")
  func connections() async throws {
    let store = try await Store()
    let trusts: @Sendable (Database) throws -> Int? = {
      try Int.fetchOne($0, sql: "PRAGMA trusted_schema")
    }
    // In SQLite 3.40.1 a schema that is not trusted cannot use JSON functions.
    let expected = SQLiteLibrary.canDistrustSchema ? 0 : 1
    #expect(SQLiteLibrary.number != 3_040_001 || expected == 1)
    #expect(try await store.database.read(trusts) == expected)
    #expect(try await store.database.write { try trusts($0) } == expected)
    for sql in [
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'offer_by_gone'",
      "UPDATE offer_search_config SET v = 9", "DROP TABLE offer_search_data",
    ] {
      let error = await #expect(throws: OffersError.self) {
        try await store.database.write { try $0.execute(sql: sql) }
      }
      #expect(error?.code == .storageFailed, "\(sql)")
    }
    #expect(
      try store.rows("SELECT name FROM sqlite_schema WHERE name = 'offer_by_gone'").count == 1)
  }

  @Test("with a harmless trigger of the user, favorites are set and removed as ever")
  func toleratesTriggers() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let first = try await Store(at: path, in: folder)
    try await first.sync(["1", "2"].map { FeedOffer($0) })
    try await first.database.close()
    try Store.execute(
      path,
      """
      CREATE TABLE seen (id TEXT);
      CREATE TRIGGER note AFTER INSERT ON favorite BEGIN INSERT INTO seen VALUES (new.id); END
      """)
    let store = try await Store(at: path, in: folder)
    try await store.database.setFavorites(named: ["1", "2"], to: true)
    try await store.database.setFavorites(named: ["1"], to: false)
    #expect(try store.rows("SELECT id FROM favorite") == ["2"])
    #expect(try store.rows("SELECT id FROM seen ORDER BY id") == ["1", "2"])
  }

  @Test(
    "a trigger with a name of this program's, and a changed table of favorites, are found",
    arguments: [
      "CREATE TRIGGER offer_is_removed AFTER DELETE ON favorite BEGIN DELETE FROM favorite; END",
      """
      DROP TRIGGER image_cache_is_bounded;
      CREATE TRIGGER image_cache_is_bounded AFTER DELETE ON favorite BEGIN DELETE FROM favorite; END
      """,
      """
      CREATE TRIGGER hidden AFTER DELETE ON favorite BEGIN DELETE FROM favorite; END;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET type = 'TRIGGER' WHERE name = 'hidden'
      """,
      """
      CREATE TABLE other (
        user_key INTEGER NOT NULL, feed TEXT NOT NULL, id TEXT NOT NULL,
        created_at INTEGER NOT NULL, group_id TEXT REFERENCES favorite_group ON DELETE CASCADE,
        PRIMARY KEY (user_key, feed, id));
      CREATE TABLE favorite_group (id TEXT PRIMARY KEY);
      CREATE TRIGGER hidden AFTER DELETE ON other BEGIN DELETE FROM other; END;
      INSERT INTO other (user_key, feed, id, created_at)
      SELECT user_key, feed, id, created_at FROM favorite;
      DROP TABLE favorite; ALTER TABLE other RENAME TO favorite
      """,
    ])
  func disguisedSchema(sql: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let first = try await Store(at: path, in: folder)
    try await first.sync(["1", "2", "3"].map { FeedOffer($0) })
    try await first.database.setFavorites(named: ["1", "2", "3"], to: true)
    try await first.database.close()
    try Store.execute(path, sql)
    let store = try await Store(at: path, in: folder)
    #expect(store.database.sqlite.foreignSchema.count >= 1)
    let findings = await store.database.sqlite.examine()
    #expect(findings.contains { ["schema", "triggers"].contains($0.subject) && $0.level != .ok })
  }

  @Test("a favorite that an added index refuses is not acknowledged")
  func addedIndex() async throws {
    let store = try await Store()
    try await store.sync(["1", "2"].map { FeedOffer($0) })
    try store.execute("CREATE UNIQUE INDEX one ON favorite (feed)")
    try await store.database.setFavorites(named: ["1"], to: true)
    await #expect(throws: OffersError.self) {
      try await store.database.setFavorites(named: ["2"], to: true)
    }
    #expect(
      try await OffersDatabase.open(path: store.path).sqlite.foreignSchema == ["the index one"])
  }

  @Test(
    "a trigger, an index, a constraint and a reference that no migration creates are found",
    arguments: [
      (trigger, "the trigger forget_stars"),
      ("CREATE UNIQUE INDEX one ON session ((1))", "the index one"),
      ("CREATE INDEX mine ON feed (title)", "the index mine"),
      ("CREATE UNIQUE INDEX term ON offer_search_docsize ((1))", "the index term"),
      ("CREATE TABLE mine (id INTEGER REFERENCES offer)", "the table mine"),
      (
        """
        DROP TABLE server_key; CREATE TABLE server_key (purpose TEXT UNIQUE, bytes BLOB UNIQUE)
        """, "the table server_key"
      ),
      ("CREATE TABLE mine (id TEXT); CREATE INDEX mine_by_id ON mine (id)", nil),
    ])
  func foreignParts(sql: String, part: String?) async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    try Store.execute(path, sql)
    let database = try await OffersDatabase.open(path: path)
    #expect(database.sqlite.foreignSchema == [part].compactMap(\.self))
    let findings = await database.sqlite.examine()
    let isTold = findings.contains { $0.level != .ok && $0.message.hasPrefix(part ?? "-") }
    #expect(isTold == (part != nil))
    // Reading runs no trigger.
    #expect(try await OffersDatabase.open(path: path, access: .readOnly).sqlite.foreignSchema == [])
  }

  @Test("a new database has no foreign part, nor has one after each migration")
  func ownSchema() throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      for migration in SQLiteMigrations.all {
        try database.execute(sql: migration.sql)
        #expect(try SchemaObject.foreign(in: database).map(\.name) == [], "\(migration.name)")
      }
    }
  }

  @Test("an examination names added triggers and views, and a changed trigger of this program")
  func examination() async throws {
    let store = try await Store()
    func findings(_ subject: String) async -> [Finding] {
      await store.database.sqlite.examine().filter { $0.subject == subject }
    }
    #expect(await findings("triggers").map(\.level) == [.ok])
    try store.execute("\(Self.trigger); CREATE VIEW mine AS SELECT id FROM offer")
    let found = await findings("triggers")
    #expect(found.map(\.level) == [.warning])
    #expect(found.first?.message.hasPrefix("the trigger forget_stars was not created") == true)
    #expect(await findings("schema").map(\.level) == [.ok])
    try store.execute(
      """
      DROP TRIGGER image_cache_is_bounded;
      CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache
      BEGIN DELETE FROM favorite; END
      """)
    #expect(
      await findings("schema").first?.message
        == "the trigger image_cache_is_bounded is not as this program creates it")
  }

  @Test("a lock file that is a symbolic link is refused, and its target stays as it is")
  func plantedLock() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    for target in [folder.file("missing"), try folder.write("mine", to: "diary.txt")] {
      try FileManager.default.createSymbolicLink(
        atPath: path + "-lock", withDestinationPath: target)
      let error = await #expect(throws: OffersError.self) {
        try await OffersDatabase.open(path: path)
      }
      #expect(error?.code == .storageFailed)
      #expect(
        error?.message == "The lock file \(path)-lock is a symbolic link, which is not followed.")
      try FileManager.default.removeItem(atPath: path + "-lock")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["diary.txt"])
    _ = try await OffersDatabase.open(path: path)
  }
}
