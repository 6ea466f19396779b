import Foundation
import GRDB
import OffersCore

/// The SQL for readers' marks: the last change that a reader has seen.
enum ReaderTable {
  static func find(_ name: String, in database: Database) throws -> ReaderMark? {
    try Row.fetchOne(
      database, sql: "SELECT change_id, read_at FROM reader WHERE name = ?", arguments: [name]
    ).map { ReaderMark(changeID: $0["change_id"], readAt: OfferTable.date($0["read_at"])) }
  }

  /// Moves a mark forward, never back.
  static func advance(_ name: String, to mark: ReaderMark, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO reader (name, change_id, read_at) VALUES (?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET
          change_id = max(change_id, excluded.change_id),
          read_at = max(read_at, excluded.read_at)
        WHERE excluded.change_id > change_id OR excluded.read_at > read_at
        """,
      arguments: [name, mark.changeID, Int64(mark.readAt.timeIntervalSince1970)])
  }
}
