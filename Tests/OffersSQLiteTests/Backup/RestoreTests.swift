import Foundation
import GRDB
import OffersCore
import OffersPlatform
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

/// The database has the favorite `ibotta:2`, only in its log; its backup has none.
@Suite("Restoring a backup")
struct RestoreTests {
  private let folder: TemporaryFolder
  private let path: String
  private let backup: String

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.file("offers.sqlite")
    backup = folder.file("backup.sqlite")
    let store = try await Store()
    try await store.sync((0..<300).map { FeedOffer("\($0)", description: "Some more text") })
    try await store.database.sqlite.backUp(to: backup)
    // The connection stays open while the files are copied, so that the log stays.
    let writer = try DatabaseQueue(path: store.path)
    try await writer.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA wal_autocheckpoint = 0;
          INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', '2', 1500)
          """)
    }
    for ending in ["", "-wal", "-lock"] {
      try FileManager.default.copyItem(atPath: store.path + ending, toPath: path + ending)
    }
    try writer.close()
  }

  private var replacement: FileReplacement {
    FileReplacement(file: DatabaseFile(path: path))
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  private static func stars(in path: String) async throws -> [String] {
    let database = try await OffersDatabase.open(path: path, access: .readOnly)
    let offers = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    try await database.close()
    return offers.map(\.ref.offerID)
  }

  /// Expects a refusal that leaves every file as it was.
  private func expectRefusal(of source: String) async throws -> OffersError {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let left = try names()
    let error = await #expect(throws: OffersError.self) {
      try await SQLitePlace(path: path).restore(from: source)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try names().subtracting(left) == [])
    return try #require(error)
  }

  /// The user and group `nobody`, which need not exist.
  private static let nobody: UInt32 = 65_534

  @Test(
    "keeps the owner, group and mode of the old file, or those of its folder",
    .enabled(if: geteuid() == 0, "Only root can give files to other users."))
  func keepsOwner() async throws {
    func status(_ path: String) throws -> [UInt32] {
      let status = try #require(try FileStatus.find(path))
      return [status.ownerID, status.groupID, UInt32(status.permissions)]
    }
    #expect(chown(path, Self.nobody, Self.nobody) == 0 && chmod(path, 0o640) == 0)
    let restored = try await SQLitePlace(path: path).restore(from: backup)
    #expect(try status(path) == [Self.nobody, Self.nobody, 0o640])
    #expect(try status(#require(restored.aside)) == [Self.nobody, Self.nobody, 0o640])
    for (mode, expected) in [(mode_t(0o755), UInt32(0o600)), (0o770, 0o660)] {
      let home = folder.file("home\(mode)")
      #expect(mkdir(home, mode) == 0 && chmod(home, mode) == 0)
      #expect(chown(home, Self.nobody, Self.nobody) == 0)
      let new = home + "/offers.sqlite"
      _ = try await SQLitePlace(path: new).restore(from: backup)
      for name in [new, new + "-lock"] {
        #expect(try status(name) == [Self.nobody, Self.nobody, expected])
      }
      // A database that root creates is the service's as well.
      let made = home + "/made.sqlite"
      try await OffersDatabase.open(path: made).close()
      #expect(try status(made) == [Self.nobody, Self.nobody, expected])
    }
  }

  @Test(
    "puts the old database aside with its log, and applies no old log or journal to the new one")
  func replaces() async throws {
    try folder.write(Data(repeating: 7, count: 5000), to: "offers.sqlite-journal")
    let copy = try Data(contentsOf: URL(fileURLWithPath: backup))
    let restored = try await SQLitePlace(path: path).restore(from: backup)
    let aside = try #require(restored.aside)
    #expect(aside.wholeMatch(of: /.*\/offers\.sqlite\.before-\d{8}-\d{6}/) != nil, "\(aside)")
    #expect(restored.path == path && restored.bytes == copy.count)
    #expect(
      !(try names()).contains { $0.hasPrefix("offers.sqlite-") && $0 != "offers.sqlite-lock" })
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try await Self.stars(in: path) == [])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
    #expect(FileManager.default.fileExists(atPath: aside + "-journal"))
    try FileManager.default.removeItem(atPath: aside + "-journal")
    #expect(try await Self.stars(in: aside) == ["2"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == copy)
  }

  @Test("of the file that was put aside undoes it, including what is only in its log")
  func undoes() async throws {
    let aside = try #require(try await SQLitePlace(path: path).restore(from: backup).aside)
    #expect(try await SQLitePlace(path: path).restore(from: aside).aside != nil)
    #expect(try await Self.stars(in: path) == ["2"])
  }

  @Test("works without an old database, and creates its folder")
  func creates() async throws {
    let new = folder.file("a/b/offers.sqlite")
    #expect(try await SQLitePlace(path: new).restore(from: backup).aside == nil)
    #expect(try await Self.stars(in: new) == [])
    #expect(try !names().contains { $0.hasPrefix("backup.sqlite-") })
  }

  @Test("is refused while any program or part of this one has the database open")
  func refusesInUse() async throws {
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      let database = try await OffersDatabase.open(path: path, access: access)
      let error = try await expectRefusal(of: backup)
      #expect(error.code == .locked)
      #expect(error.message.hasPrefix("The database \(path) is open in "))
      try await database.close()
    }
    let other = try DatabaseQueue(path: path)
    _ = try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM offer") }
    #expect(try await expectRefusal(of: backup).code == .locked)
    try other.close()
    #expect(try await SQLitePlace(path: path).restore(from: backup).aside != nil)
  }

  @Test(
    "of an older version compares the tables with those of that version", arguments: [false, true])
  func comparesOlder(isOther: Bool) async throws {
    let version = SQLiteMigrations.currentVersion - 2
    let old = folder.file("old.sqlite")
    let queue = try DatabaseQueue(path: old)
    try await queue.writeWithoutTransaction { database in
      for migration in SQLiteMigrations.all where migration.number <= version {
        try database.execute(sql: migration.sql)
      }
      try database.execute(
        sql: """
          PRAGMA user_version = \(version); PRAGMA application_id = \(DatabaseFile.applicationID);
          \(isOther ? "ALTER TABLE offer ADD COLUMN note TEXT" : "")
          """)
    }
    try queue.close()
    if isOther {
      let error = try await expectRefusal(of: old)
      #expect(error.cause == "the table offer is not as this program creates it")
    } else {
      _ = try await SQLitePlace(path: path).restore(from: old)
      #expect(try await Self.stars(in: path) == [])
    }
  }

  @Test("of a damaged backup is refused, and says what to do")
  func refusesDamaged() async throws {
    let store = try await Store()
    try await store.sync((0..<2000).map { FeedOffer("\($0)", description: "Some more text") })
    let copy = folder.file("copy.sqlite")
    try await store.database.sqlite.backUp(to: copy)
    let page = try Store.rows(
      copy,
      "SELECT pageno FROM dbstat WHERE name = 'offer' AND pagetype = 'leaf' ORDER BY 1 LIMIT 1")
    let number = try #require(page.first.flatMap(UInt64.init))
    for ending in ["-wal", "-shm"] { unlink(copy + ending) }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
    try file.seek(toOffset: (number - 1) * 8192)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 8192))
    let error = try await expectRefusal(of: copy)
    #expect(error.code == .storageFailed)
    #expect(error.message == "The backup \(copy) is damaged. Nothing was changed.")
    #expect(error.hint?.text.contains("Restore another backup") == true)
    try file.truncate(atOffset: 20_000)
    try file.close()
    #expect(try await expectRefusal(of: copy).message.contains("is damaged"))
  }

  @Test("of a file that is no backup, is missing, newer, unfinished or the database, is refused")
  func refusesOthers() async throws {
    let diary = try folder.write(String(repeating: "Dear diary", count: 50), to: "diary.txt")
    #expect(
      try await expectRefusal(of: diary).message.contains("is not a database of this program"))
    #expect(try await expectRefusal(of: folder.file("missing")).code == .notFound)
    #expect(try await expectRefusal(of: folder.write("", to: "empty")).message.contains("empty"))
    #expect(try await expectRefusal(of: path).code == .invalidRequest)
    #expect(try await expectRefusal(of: path + "-wal").code == .invalidRequest)
    try folder.write("x", to: "backup.sqlite-journal")
    #expect(try await expectRefusal(of: backup).message.contains("an unfinished write"))
    try FileManager.default.removeItem(atPath: backup + "-journal")
    // The newer version is in the log only.
    let newer = try DatabaseQueue(path: backup)
    try await newer.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA user_version = 999")
    }
    #expect(try await expectRefusal(of: backup).code == .newerDatabase)
    try newer.close()
  }

  @Test("of an older backup is completed by a migration when the database is opened")
  func migrates() async throws {
    let other = try TemporaryFolder()
    let old = try Store.makeOldFile(in: other)
    _ = try await SQLitePlace(path: path).restore(from: old)
    #expect(try await Self.stars(in: path) == ["a"])
  }

  @Test("is not begun by a file of another kind with the name of the copy")
  func otherCopy() async throws {
    try folder.write("a token", to: "offers.sqlite-restored")
    let database = try await OffersDatabase.open(path: path)
    try await database.close()
    #expect(
      FileManager.default.contents(atPath: path + "-restored") == Data("a token".utf8))
  }

  @Test("that is interrupted does not make the database look as if it were missing")
  func exists() throws {
    let replacement = FileReplacement(file: DatabaseFile(path: folder.file("new.sqlite")))
    #expect(!SQLitePlace(unchecked: replacement.file.path).exists)
    try FileManager.default.copyItem(atPath: backup, toPath: replacement.copyPath)
    try replacement.decide()
    #expect(SQLitePlace(unchecked: replacement.file.path).exists)
  }

  /// The points at which a process is killed.
  enum Point: CaseIterable { case copying, decided, databaseMoved, logMoved, everythingMoved }

  @Test(
    "that is killed leaves the old database or the new one, whole",
    arguments: Point.allCases, [OffersDatabase.Access.readOnly, .readWrite])
  func isKilled(at point: Point, access: OffersDatabase.Access) async throws {
    try FileManager.default.copyItem(atPath: backup, toPath: replacement.copyPath)
    if point != .copying { try replacement.decide() }
    let aside = replacement.asideName
    let moved: [String] =
      switch point {
      case .copying, .decided: []
      case .databaseMoved: [""]
      case .logMoved: ["", "-wal"]
      case .everythingMoved: ["", "-wal", "-shm"]
      }
    for ending in moved { rename(path + ending, try #require(aside) + ending) }
    let database = try await OffersDatabase.open(path: path, access: access)
    let stars = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    try await database.close()
    #expect(stars.map(\.ref.offerID) == (point == .copying ? ["2"] : []))
    #expect(!replacement.isPending)
    if let aside { #expect(try await Self.stars(in: aside) == ["2"]) }
    // The next restoration removes an incomplete copy.
    _ = try await SQLitePlace(path: path).restore(from: backup)
    #expect(try !names().contains("offers.sqlite-restoring"))
  }

  @Test("that is killed is completed by no opening while another program has the old database open")
  func isKilledInUse() async throws {
    try FileManager.default.copyItem(atPath: backup, toPath: replacement.copyPath)
    let other = try DatabaseQueue(path: path)
    _ = try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM offer") }
    try replacement.decide()
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path)
    }
    #expect(error?.code == .locked)
    try other.close()
    #expect(try await Self.stars(in: path) == [])
  }

  @Test("never replaces a file that got the database's name meanwhile")
  func keepsNewcomer() async throws {
    try FileManager.default.copyItem(atPath: backup, toPath: replacement.copyPath)
    try replacement.decide()
    let first = try #require(replacement.asideName)
    rename(path, first)
    rename(path + "-wal", first + "-wal")
    try Store.execute(path, "CREATE TABLE note (text TEXT)")
    #expect(try replacement.complete() == first + "-2")
    #expect(try Store.rows(first + "-2", "SELECT name FROM sqlite_schema") == ["note"])
    #expect(try await Self.stars(in: first) == ["2"])
    #expect(try await Self.stars(in: path) == [])
  }
}
