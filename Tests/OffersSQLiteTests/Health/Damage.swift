import Foundation
import GRDB
import OffersTestSupport

@testable import OffersSQLite

/// Damages a database, as disks and programs do.
enum Damage {
  /// Overwrites a leaf page of a table or an index directly in the file: the second one, if there
  /// are several.
  static func overwritePage(of name: String, in store: Store) throws {
    try overwritePage(of: name, in: store.path)
  }

  static func overwritePage(of name: String, in path: String) throws {
    try Store.execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let page = try Store.rows(
      path,
      """
      SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf'
      ORDER BY pageno LIMIT 2
      """)
    let size = try Store.rows(path, "PRAGMA page_size")
    guard let number = page.last.flatMap(Int.init), let bytes = size.first.flatMap(Int.init) else {
      throw CocoaError(.fileReadUnknown)
    }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((number - 1) * bytes))
    try file.write(contentsOf: Data(repeating: 0x5A, count: bytes))
    try file.close()
  }

  /// Removes from an index the entries that a statement writes.
  static func detach(_ index: String, during sql: String, in store: Store) throws {
    try DatabaseQueue(path: store.path).inDatabase { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT rootpage, sql FROM sqlite_schema WHERE name = ?", arguments: [index])
      guard let row else { throw CocoaError(.fileReadUnknown) }
      let values: (Int, String) = (row[0], row[1])
      try database.execute(
        sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(index)'")
      try database.execute(sql: "PRAGMA writable_schema = RESET")
      try database.execute(sql: sql)
      try database.execute(sql: "PRAGMA writable_schema = ON")
      try database.execute(
        sql: """
          INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
          VALUES ('index', ?, 'offer', ?, ?)
          """, arguments: [index, values.0, values.1])
      try database.execute(sql: "PRAGMA writable_schema = RESET")
    }
  }
}
