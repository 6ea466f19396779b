import Foundation
import GRDB
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@Suite("Files that are refused, or prepared when opened")
struct RefusedFileTests {
  /// The files of a folder and their contents; nil for a subfolder.
  private static func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = FileManager.default.contents(atPath: folder.file(name)) ?? Data()
    }
    return contents
  }

  /// The refusal; expects the folder to be unchanged.
  private static func refusal(
    of path: String, in folder: TemporaryFolder, _ access: OffersDatabase.Access
  ) async throws -> OffersError? {
    let before = try contents(of: folder)
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: access)
    }
    #expect(try contents(of: folder) == before)
    return error
  }

  private static let bothAccesses: [OffersDatabase.Access] = [.readOnly, .readWrite]

  @Test("a newer program's database is refused and untouched", arguments: bothAccesses)
  func refusesNewer(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    let newer = SQLiteMigrations.currentVersion + 1
    try Store.execute(path, "PRAGMA user_version = \(newer)")
    let error = try await Self.refusal(of: path, in: folder, access)
    #expect(error?.code == .newerDatabase)
    #expect(
      error?.message
        == """
        \(path) was written by a newer version of offers (schema \(newer), this one knows \
        \(SQLiteMigrations.currentVersion)). It was left untouched.
        """)
    #expect(error?.hint?.text == "Install the newer version, or name another file.")
  }

  @Test("a newer version that is only in the log is refused", arguments: bothAccesses)
  func refusesNewerInLog(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    let writer = try DatabaseQueue(path: path)
    try await writer.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 999")
    }
    let before = FileManager.default.contents(atPath: path)
    let log = FileManager.default.contents(atPath: path + "-wal")
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: access)
    }
    #expect(error?.code == .newerDatabase)
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(FileManager.default.contents(atPath: path + "-wal") == log)
    // Closing the last connection would have emptied the log.
    try writer.close()
  }

  @Test("a file that this program did not make is refused and untouched", arguments: bothAccesses)
  func refusesOtherFiles(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    var paths = try ["x", "SQLite format 3\0", String(repeating: "Dear diary, ", count: 1000)]
      .enumerated().map { try folder.write($1, to: "diary\($0).txt") }
    paths.append(folder.file("other.sqlite"))
    try Store.execute(paths[3], "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')")
    // A version that no program writes.
    let negative = try TemporaryFolder()
    paths.append(try await Store.makeFile(in: negative))
    try Store.execute(paths[4], "PRAGMA user_version = -3")
    for path in paths {
      let error = try await Self.refusal(of: path, in: folder, access)
      #expect(error?.code == .storageFailed)
      #expect(
        error?.message == "\(path) is not a database of this program. It was left untouched.")
      #expect(
        error?.hint?.text == "Name another file." && error?.hint?.command == "--database FILE")
    }
  }

  @Test(
    "another program's database whose tables are only in the log is not migrated",
    arguments: [0, 1, 99])
  func refusesOtherProgramsInLog(version: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("other.sqlite")
    let writer = try DatabaseQueue(path: path)
    try await writer.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          PRAGMA wal_autocheckpoint = 0;
          CREATE TABLE note (text TEXT);
          PRAGMA user_version = \(version);
          """)
    }
    await #expect(throws: OffersError.self) { try await OffersDatabase.open(path: path) }
    // Closing the last connection would have emptied the log.
    try writer.close()
    #expect(try Store.rows(path, "SELECT name FROM sqlite_schema") == ["note"])
    #expect(try Store.rows(path, "PRAGMA application_id") == ["0"])
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(version)"])
  }

  @Test("a folder is refused", arguments: bothAccesses)
  func refusesFolders(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("folder")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(try await Self.refusal(of: path, in: folder, access)?.code == .storageFailed)
  }

  @Test("opening a missing file for reading fails and creates no file")
  func makesNothingToRead() async throws {
    let folder = try TemporaryFolder()
    for path in [folder.file("offers.sqlite"), folder.file("no/folder/offers.sqlite")] {
      let error = try await Self.refusal(of: path, in: folder, .readOnly)
      #expect(error?.code == .notFound && error?.hint?.text == "Make it with a sync.")
      #expect(error?.message == "There is no database yet at \(path).")
    }
  }

  @Test("an empty file is no database for reading, and becomes one for writing")
  func fillsEmptyFile() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "offers.sqlite")
    #expect(try await Self.refusal(of: path, in: folder, .readOnly)?.code == .notFound)
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try Store.rows(path, "PRAGMA journal_mode") == ["wal"])
    #expect(try Store.rows(path, "PRAGMA page_size") == ["8192"])
  }

  @Test("a database left in rollback mode is switched to WAL mode", arguments: bothAccesses)
  func restoresLog(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    try Store.execute(path, "PRAGMA journal_mode = DELETE")
    #expect(try Store.rows(path, "PRAGMA journal_mode") == ["delete"])
    let database = try await OffersDatabase.open(path: path, access: access)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try Store.rows(path, "PRAGMA journal_mode") == ["wal"])
  }

  @Test("a database opened for reading refuses to write")
  func refusesToWrite() async throws {
    let folder = try TemporaryFolder()
    let database = try await OffersDatabase.open(
      path: Store.makeFile(in: folder), access: .readOnly)
    let error = await #expect(throws: OffersError.self) {
      try await database.setFavorites(named: ["1"], to: true)
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test("a folder that cannot be created, because a file has its name, is named")
  func tellsBlockedFolder() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x", to: "file")
    let error = try await Self.refusal(of: file + "/offers.sqlite", in: folder, .readWrite)
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains(file + "/offers.sqlite") == true)
    #expect(error?.hint != nil)
  }

  @Test("a database that is damaged after its header is refused when it is read")
  func tellsDamaged() async throws {
    let store = try await Store()
    try await store.sync((1...2_000).map { FeedOffer("\($0)") })
    var bytes = try #require(FileManager.default.contents(atPath: store.path))
    // Fill every page except for the header with noise.
    for offset in 100..<bytes.count { bytes[offset] = UInt8(truncatingIfNeeded: offset &* 31) }
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "offers.sqlite")
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: .readOnly).fetchOffers(OfferQuery())
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.message == "\(path) is damaged or not a database.")
    #expect(error?.hint?.text.contains("backup") == true)
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  /// The journal of a write that began with an empty file.
  private static let firstJournal: Data = {
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    journal += [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x20, 0]
    return Data(journal + [UInt8](repeating: 0, count: 512 - journal.count))
  }()

  @Test("a new file whose start was lost in a power cut is made again, with its journal only")
  func halfMade() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    try (Data(count: 4096) + Data(repeating: 7, count: 4096)).write(to: URL(filePath: path))
    await #expect(throws: OffersError.self) { try await OffersDatabase.open(path: path) }
    try Self.firstJournal.write(to: URL(filePath: path + "-journal"))
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: .readOnly)
    }
    #expect(error?.code == .notFound)
    try await OffersDatabase.open(path: path).close()
    #expect(try Store.rows(path, "SELECT count(*) FROM favorite") == ["0"])
  }

  @Test("a rollback journal that would empty a complete database is refused")
  func foreignJournal() async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    try Store.execute(
      path, "INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', '1', 1)")
    let before = try Data(contentsOf: URL(filePath: path))
    try Self.firstJournal.write(to: URL(filePath: path + "-journal"))
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      let error = await #expect(throws: OffersError.self) {
        try await OffersDatabase.open(path: path, access: access)
      }
      #expect(error?.code == .storageFailed)
      #expect(error?.message.hasPrefix("\(path)-journal belongs to another file") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    try FileManager.default.removeItem(atPath: path + "-journal")
    try await OffersDatabase.open(path: path).close()
    #expect(try Store.rows(path, "SELECT id FROM favorite") == ["1"])
  }
}
