import Foundation
import GRDB
import OffersCore

/// The SQL that reads and writes users.
enum UserTable {
  private static let columns = "user_key, name, role, created_at, last_seen_at"

  static func list(in database: Database) throws -> [User] {
    try Row.fetchAll(database, sql: "SELECT \(columns) FROM user ORDER BY user_key").map(user)
  }

  static func find(_ id: User.ID, in database: Database) throws -> User? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM user WHERE user_key = ?", arguments: [id]
    ).map(user)
  }

  static func find(named name: String, in database: Database) throws -> User? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM user WHERE folded_name = ?",
      arguments: [User.folded(name).lookedUp]
    ).map(user)
  }

  static func insert(
    _ name: String, _ role: User.Role, at seconds: Int64, in database: Database
  ) throws -> User.ID {
    try database.execute(
      sql: "INSERT INTO user (name, folded_name, role, created_at) VALUES (?, ?, ?, ?)",
      arguments: [name, User.folded(name), role.rawValue, seconds])
    return database.lastInsertedRowID
  }

  static func update(
    _ id: User.ID, name: String, role: User.Role, in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE user SET name = ?, folded_name = ?, role = ? WHERE user_key = ?",
      arguments: [name, User.folded(name), role.rawValue, id])
  }

  /// Sets when a user was last seen, unless a later time is stored.
  static func note(_ id: User.ID, seenAt: Date, in database: Database) throws {
    let seconds = seenAt.storedSeconds
    try database.execute(
      sql: """
        UPDATE user SET last_seen_at = ?1
        WHERE user_key = ?2 AND (last_seen_at IS NULL OR last_seen_at < ?1)
        """, arguments: [seconds, id])
  }

  /// Deletes a user with all that belongs to them.
  static func delete(_ id: User.ID, in database: Database) throws {
    try database.execute(sql: "DELETE FROM user WHERE user_key = ?", arguments: [id])
  }

  private static func user(_ row: Row) -> User {
    User(
      id: row["user_key"], name: row["name"],
      role: User.Role(rawValue: row["role"]) ?? .viewer,
      createdAt: Date(storedSeconds: row["created_at"]),
      lastSeenAt: (row["last_seen_at"] as Int64?).map(Date.init(storedSeconds:)))
  }
}
