import GRDB
import OffersTestSupport
import SQLiteShim
import Testing

@Suite("Pages that are read ahead")
struct ReadAheadTests {
  private static let count = 3000

  /// A database with a log, and so little memory that pages are read again and again.
  private static func open(_ path: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA cache_size = 12")
    }
    return queue
  }

  private static func fill(_ queue: DatabaseQueue) throws {
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE thing (key INTEGER PRIMARY KEY, text TEXT NOT NULL, version INTEGER NOT NULL);
          CREATE INDEX thing_by_version ON thing (version, key);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
          INSERT INTO thing SELECT n, hex(zeroblob(n % 700)), 1 FROM number
          """)
    }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  }

  @Test("a transaction sees what was there when it began, whatever others write and move meanwhile")
  func seesItsMoment() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let (reader, writer) = (try Self.open(path), try Self.open(path))
    try Self.fill(writer)
    for version in 1...4 {
      try reader.writeWithoutTransaction { database in
        let ahead = offers_begin_read_ahead(database.sqliteConnection)
        #expect(ahead != nil)
        defer { offers_end_read_ahead(ahead) }
        try database.inTransaction(.deferred) {
          let rows = try Int.fetchCursor(
            database, sql: "SELECT version FROM thing NOT INDEXED ORDER BY key")
          var seen: Set<Int> = []
          for _ in 0..<Self.count / 2 { if let row = try rows.next() { seen.insert(row) } }
          try writer.write {
            try $0.execute(sql: "UPDATE thing SET version = version + 1, text = text || 'x'")
          }
          try writer.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
          var left = 0
          while let row = try rows.next() {
            seen.insert(row)
            left += 1
          }
          #expect(seen == [version] && left == Self.count - Self.count / 2)
          return .commit
        }
      }
      try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
  }

  @Test("any read finds what it finds page by page", arguments: 1...8 as ClosedRange<UInt64>)
  func findsTheSame(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let queue = try Self.open(folder.file("offers.sqlite"))
    try Self.fill(queue)
    var random = SeededGenerator(seed: seed)
    try queue.writeWithoutTransaction { database in
      for _ in 0..<60 {
        let (key, width) = (
          Int.random(in: 1...Self.count, using: &random), Int.random(in: 1...900, using: &random)
        )
        let sql =
          [
            "SELECT sum(length(text)) || '/' || count(*) FROM thing WHERE key BETWEEN ?1 AND ?1 + ?2",
            "SELECT total(key) FROM thing NOT INDEXED WHERE length(text) > ?1 % 700 AND ?2 > 0",
            "SELECT group_concat(key) FROM thing WHERE version = 1 AND key > ?1 AND key < ?1 + ?2",
          ].randomElement(using: &random) ?? ""
        let plain = try String.fetchOne(database, sql: sql, arguments: [key, width])
        let ahead = offers_begin_read_ahead(database.sqliteConnection)
        let read = try String.fetchOne(database, sql: sql, arguments: [key, width])
        offers_end_read_ahead(ahead)
        #expect(read == plain)
        // A write through the file itself is seen, too.
        if Bool.random(using: &random) {
          try database.execute(
            sql: "UPDATE thing SET text = text || 'y' WHERE key % 7 = ?", arguments: [width % 7])
          _ = try database.checkpoint(.truncate)
        }
      }
    }
  }
}
