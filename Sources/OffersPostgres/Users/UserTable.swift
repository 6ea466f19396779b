import Foundation
import OffersCore

/// The SQL that reads and writes users.
enum UserTable {
  private static let columns = "user_key, name, role, created_at, last_seen_at"

  static func list(in session: DatabaseSession) throws -> [User] {
    try session.rows(prepared: "SELECT \(columns) FROM account ORDER BY user_key").map(user)
  }

  static func find(_ id: User.ID, in session: DatabaseSession) throws -> User? {
    try session.rows(
      prepared: "SELECT \(columns) FROM account WHERE user_key = $1", [.number(id)]
    ).first.map(user)
  }

  static func find(named name: String, in session: DatabaseSession) throws -> User? {
    if name.utf8.contains(0) { return nil }
    return try session.rows(
      "SELECT \(columns) FROM account WHERE folded_name = $1", [.text(User.folded(name))]
    ).first.map(user)
  }

  /// Makes the transactions that add or rename users follow each other.
  static func lock(_ session: DatabaseSession) throws {
    try session.run("SELECT 1 FROM account_order WHERE order_key = 1 FOR UPDATE")
  }

  /// Inserts a user with the next number. The table must be locked.
  static func insert(
    _ name: String, _ role: User.Role, at seconds: Int64, in session: DatabaseSession
  ) throws -> User.ID {
    let row = try session.rows(
      """
      UPDATE account_order SET last_user_key = last_user_key + 1 WHERE order_key = 1
      RETURNING last_user_key
      """
    ).first
    let id = row?.number(0) ?? 0
    try session.run(
      """
      INSERT INTO account (user_key, name, folded_name, role, created_at)
      VALUES ($1, $2, $3, $4, $5)
      """,
      [
        .number(id), .text(name), .text(User.folded(name)), .text(role.rawValue), .number(seconds),
      ])
    return id
  }

  static func update(
    _ id: User.ID, name: String, role: User.Role, in session: DatabaseSession
  ) throws {
    try session.run(
      "UPDATE account SET name = $2, folded_name = $3, role = $4 WHERE user_key = $1",
      [.number(id), .text(name), .text(User.folded(name)), .text(role.rawValue)])
  }

  /// Sets when a user was last seen, unless a later time is stored.
  static func note(_ id: User.ID, seenAt: Date, in session: DatabaseSession) throws {
    try session.run(
      """
      UPDATE account SET last_seen_at = $1
      WHERE user_key = $2 AND (last_seen_at IS NULL OR last_seen_at < $1)
      """, [.date(seenAt), .number(id)])
  }

  /// Deletes a user with all that belongs to them.
  static func delete(_ id: User.ID, in session: DatabaseSession) throws -> Bool {
    try session.run("DELETE FROM account WHERE user_key = $1", [.number(id)]) > 0
  }

  /// Refuses a user who was removed. They are not removed before the transaction ends, and writes to
  /// their record follow each other if `isExclusive`.
  static func check(_ id: User.ID, isExclusive: Bool = false, in session: DatabaseSession) throws {
    let lock = isExclusive ? "NO KEY UPDATE" : "KEY SHARE"
    let rows = try session.rows(
      prepared: "SELECT 1 FROM account WHERE user_key = $1 FOR \(lock)", [.number(id)])
    if rows.count == 0 { throw removed }
  }

  /// The error about a user who was removed.
  static var removed: OffersError {
    OffersError(.notFound, "There is no such user: they were removed.")
  }

  private static func user(_ row: Row) -> User {
    User(
      id: row.number(0), name: row.text(1), role: User.Role(rawValue: row.text(2)) ?? .viewer,
      createdAt: row.date(3), lastSeenAt: row.findDate(4))
  }
}
