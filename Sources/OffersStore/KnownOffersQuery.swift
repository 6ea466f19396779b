import GRDB
import GRDBSQLite
import OffersCore

/// Loads what a sync compares with, without making a value of any row.
enum KnownOffersQuery {
  static func fetch(feedKey: Int64, in database: Database) throws -> KnownOffers {
    let count =
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM offer WHERE feed_key = ?", arguments: [feedKey]) ?? 0
    var known = KnownOffers(capacity: count)
    if count == 0 { return known }
    // In the order of the table, not of the index: each page is read once.
    let statement = try database.makeStatement(
      sql: """
        SELECT offer_key, id, content_hash, gone_at IS NOT NULL
        FROM offer NOT INDEXED WHERE feed_key = \(feedKey) ORDER BY offer_key
        """)
    let row = statement.sqliteStatement
    while true {
      switch sqlite3_step(row) {
      case SQLITE_ROW:
        let id = UnsafeRawBufferPointer(
          start: sqlite3_column_text(row, 1), count: Int(sqlite3_column_bytes(row, 1)))
        known.insert(
          id: id, contentHash: UInt64(bitPattern: sqlite3_column_int64(row, 2)),
          key: sqlite3_column_int64(row, 0), isGone: sqlite3_column_int(row, 3) != 0)
      case SQLITE_DONE:
        sqlite3_reset(row)
        return known
      case let code:
        sqlite3_reset(row)
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
      }
    }
  }
}
