import Foundation
import GRDB
import GRDBSQLite
import OffersTestSupport
import SQLiteShim
import Testing

@Suite("Pages that are written in large pieces")
struct GatheredWritesTests {
  /// A database with so little memory that pages leave it all the time.
  private static func open(_ path: String, journal: String = "DELETE") throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = \(journal); PRAGMA cache_size = 12; PRAGMA wal_autocheckpoint = 0;
          CREATE TABLE thing (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL)
          """)
    }
    return queue
  }

  private static func rows(_ queue: DatabaseQueue) throws -> [String] {
    try queue.read { database in
      #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
      return try String.fetchAll(
        database, sql: "SELECT key || name || text FROM thing ORDER BY key")
    }
  }

  /// Statements as a seed says, some of which are taken back.
  private static func statements(_ seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    var texts = ["BEGIN"]
    for number in 0..<400 {
      let key = Int.random(in: 0..<500, using: &random)
      let length = Int.random(in: 1..<12_000, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0: texts.append("COMMIT; BEGIN")
      case 1: texts.append("ROLLBACK; BEGIN")
      case 2: texts.append("SAVEPOINT inner")
      case 3: texts.append("SAVEPOINT inner; ROLLBACK TO inner")
      case 4...8: texts.append("DELETE FROM thing WHERE key BETWEEN \(key) AND \(key) + 9")
      case 9...14:
        texts.append("UPDATE thing SET text = hex(zeroblob(\(length))) WHERE key > \(key)")
      default:
        texts.append(
          """
          INSERT OR REPLACE INTO thing
          VALUES (\(key), 'name \(number % 60)', hex(zeroblob(\(length))) || \(number))
          """)
      }
    }
    return texts + ["COMMIT"]
  }

  @Test(
    "any transactions leave what they leave with each page written by itself",
    arguments: 1...12 as ClosedRange<UInt64>)
  func leavesTheSame(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let plain = try Self.open(folder.file("plain.sqlite"))
    let gathered = try Self.open(folder.file("gathered.sqlite"))
    for queue in [plain, gathered] {
      try queue.writeWithoutTransaction { database in
        var gathering: OpaquePointer?
        if queue === gathered {
          gathering = offers_gather_writes(
            database.sqliteConnection, SQLITE_FCNTL_FILE_POINTER)
          #expect(gathering != nil)
        }
        for text in Self.statements(seed) { try database.execute(sql: text) }
        offers_end_gathering(gathering)
      }
    }
    let rows = try Self.rows(gathered)
    #expect(!rows.isEmpty)
    #expect(try rows == Self.rows(plain))
    // Another connection finds it in the file.
    #expect(try rows == Self.rows(DatabaseQueue(path: folder.file("gathered.sqlite"))))
  }

  /// One transaction after another, each gathered by itself, as they end.
  @Test("any transactions leave the same in a log", arguments: 1...12 as ClosedRange<UInt64>)
  func leavesTheSameInALog(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let plain = try Self.open(folder.file("plain.sqlite"), journal: "WAL")
    let gathered = try Self.open(folder.file("gathered.sqlite"), journal: "WAL")
    for queue in [plain, gathered] {
      try queue.writeWithoutTransaction { database in
        var gathering: OpaquePointer?
        for text in Self.statements(seed) {
          for part in text.components(separatedBy: "; ") {
            if part == "BEGIN", queue === gathered {
              if seed.isMultiple(of: 2) { _ = try database.checkpoint(.truncate) }
              gathering = offers_gather_writes(
                database.sqliteConnection, SQLITE_FCNTL_JOURNAL_POINTER)
              #expect(gathering != nil)
            }
            try database.execute(sql: part)
            if ["COMMIT", "ROLLBACK"].contains(part) {
              offers_end_gathering(gathering)
              gathering = nil
            }
          }
        }
      }
    }
    let rows = try Self.rows(gathered)
    #expect(!rows.isEmpty)
    #expect(try rows == Self.rows(plain))
    #expect(try rows == Self.rows(DatabaseQueue(path: folder.file("gathered.sqlite"))))
  }

  @Test(
    "any bytes written, read and cut off are those of the file",
    arguments: 1...16 as ClosedRange<UInt64>)
  func holdsWhatTheFileWould(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("gathered.sqlite")
    let queue = try Self.open(path)
    var random = SeededGenerator(seed: seed)
    try queue.writeWithoutTransaction { database in
      var pointer: UnsafeMutablePointer<sqlite3_file>?
      let connection = database.sqliteConnection
      #expect(
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK)
      let file = try #require(pointer)
      let gathering = offers_gather_writes(connection, SQLITE_FCNTL_FILE_POINTER)
      #expect(gathering != nil)
      let methods = try #require(file.pointee.pMethods)
      var model = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
      func write(_ count: Int, at offset: Int) {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        if model.count < offset + count {
          model += [UInt8](repeating: 0, count: offset + count - model.count)
        }
        model.replaceSubrange(offset..<offset + count, with: bytes)
        #expect(methods.pointee.xWrite(file, bytes, Int32(count), Int64(offset)) == SQLITE_OK)
      }
      var end = 0
      for _ in 0..<400 {
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          write(
            .random(in: 1...100_000, using: &random), at: .random(in: 0...3 << 20, using: &random))
        case 1:
          // A few bytes here and there, more than a block keeps apart.
          let start = Int.random(in: 0...2 << 20, using: &random)
          for number in 0..<100 { write(3, at: start + number * 1000) }
        case 2: end = .random(in: 0...3 << 20, using: &random) / 8192 * 8192
        case 3:
          let size = Int.random(in: 0...model.count, using: &random)
          model.removeSubrange(size...)
          #expect(methods.pointee.xTruncate(file, Int64(size)) == SQLITE_OK)
        case 4: #expect(methods.pointee.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
        case 5, 6:
          let start = Int.random(in: 0...model.count, using: &random)
          let count = min(model.count - start, .random(in: 1...50_000, using: &random))
          var bytes = [UInt8](repeating: 0, count: count)
          let code = methods.pointee.xRead(file, &bytes, Int32(count), Int64(start))
          // Where nothing was written yet the file may end, and zeros are read.
          #expect(code == SQLITE_OK || code == ResultCode.SQLITE_IOERR_SHORT_READ.rawValue)
          let isSame = bytes == Array(model[start..<start + count])
          #expect(isSame)
        case 7: write(8192, at: max(0, end - 8192 * Int.random(in: 1...60, using: &random)))
        case 8: end += 8192
        default:
          write(8192, at: end)
          end += 8192
        }
        var size: Int64 = 0
        #expect(methods.pointee.xFileSize(file, &size) == SQLITE_OK && size == model.count)
      }
      #expect(methods.pointee.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
      offers_end_gathering(gathering)
      let isSame = try Array(Data(contentsOf: URL(fileURLWithPath: path))) == model
      #expect(isSame)
    }
  }

  @Test("what was taken back is never written over what another program put into the log")
  func leavesTheLogToOthers() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("gathered.sqlite")
    let queue = try Self.open(path, journal: "WAL")
    let insertion = """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60)
      INSERT INTO thing (name, text) SELECT 'thing ' || n, hex(randomblob(4000)) FROM number
      """
    try queue.writeWithoutTransaction { database in
      _ = try database.checkpoint(.truncate)
      let gathering = offers_gather_writes(database.sqliteConnection, SQLITE_FCNTL_JOURNAL_POINTER)
      #expect(gathering != nil)
      try database.execute(sql: "BEGIN IMMEDIATE; \(insertion); ROLLBACK")
      let other = try DatabaseQueue(path: path)
      try other.write { try $0.execute(sql: insertion) }
      offers_end_gathering(gathering)
      #expect(try Self.rows(other).count == 60)
    }
    // A machine that lost its power has the log alone.
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + end, toPath: folder.file("copy.sqlite") + end)
    }
    #expect(try Self.rows(DatabaseQueue(path: folder.file("copy.sqlite"))).count == 60)
  }

  @Test("a transaction is in the file when it has ended, while more is gathered")
  func writesAtItsEnd() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("gathered.sqlite")
    let queue = try Self.open(path)
    try queue.writeWithoutTransaction { database in
      let gathering = offers_gather_writes(
        database.sqliteConnection, SQLITE_FCNTL_FILE_POINTER)
      defer { offers_end_gathering(gathering) }
      for turn in 1...3 {
        try database.execute(
          sql: """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300)
            INSERT INTO thing (name, text) SELECT \(turn) || '/' || n, hex(zeroblob(2000)) FROM number
            """)
        #expect(try Self.rows(DatabaseQueue(path: path)).count == 300 * turn)
      }
    }
  }
}
