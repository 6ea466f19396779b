import Foundation
import GRDB
import OffersCore

/// The SQL for readers' marks: the last change that a reader has seen.
enum ReaderTable {
  static func find(_ name: String, of user: User.ID, in database: Database) throws -> ReaderMark? {
    try Row.fetchOne(
      database, sql: "SELECT change_id, read_at FROM reader WHERE user_key = ? AND name = ?",
      arguments: [user, name.lookedUp]
    ).map { ReaderMark(changeID: $0["change_id"], readAt: Date(storedSeconds: $0["read_at"])) }
  }

  /// Moves a mark forward, never back.
  static func advance(
    _ name: String, of user: User.ID, to mark: ReaderMark, in database: Database
  ) throws {
    try StoredText.check(name)
    try database.execute(
      sql: """
        INSERT INTO reader (user_key, name, change_id, read_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (user_key, name) DO UPDATE SET
          change_id = max(change_id, excluded.change_id),
          read_at = max(read_at, excluded.read_at)
        WHERE excluded.change_id > change_id OR excluded.read_at > read_at
        """,
      arguments: [user, name, mark.changeID, mark.readAt.storedSeconds])
  }
}
