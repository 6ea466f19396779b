import Foundation
import OffersCore

/// The SQL that reads and writes users.
package enum UserTable {
  private static let columns = "user_key, name, role, created_at, last_seen_at"

  package static func list(in transaction: any Transaction) throws -> [User] {
    try transaction.rows(
      "SELECT \(columns) FROM account ORDER BY user_key", [],
      isFrequent: true, user)
  }

  static func find(_ id: User.ID, in transaction: any Transaction) throws -> User? {
    try transaction.first(
      "SELECT \(columns) FROM account WHERE user_key = $1", [.number(id)],
      isFrequent: true, user)
  }

  package static func find(
    named name: String, in transaction: any Transaction
  ) throws -> User? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      "SELECT \(columns) FROM account WHERE folded_name = $1",
      [.text(User.folded(name))], user)
  }

  /// The user with a number.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package static func fetch(_ id: User.ID, in transaction: any Transaction) throws -> User {
    guard let user = try find(id, in: transaction) else { throw removed }
    return user
  }

  /// Makes the transactions that add or rename users follow each other.
  package static func lock(in transaction: any Transaction) throws {
    _ = try transaction.exists(
      "SELECT 1 FROM account_order WHERE order_key = 1 \(transaction.dialect.forUpdate)")
  }

  /// Makes the transactions that change a user or their logins follow each other.
  static func lock(_ id: User.ID, in transaction: any Transaction) throws {
    let lock = transaction.dialect.forUpdate
    if lock.isEmpty { return }
    _ = try transaction.exists(
      "SELECT 1 FROM account WHERE user_key = $1 \(lock)", [.number(id)], isFrequent: true)
  }

  /// Inserts a user with the next number. The table must be locked.
  package static func insert(
    _ name: String, _ role: User.Role, at now: Date, in transaction: any Transaction
  ) throws -> User.ID {
    let next = try transaction.first(
      """
      UPDATE account_order SET last_user_key = last_user_key + 1 WHERE order_key = 1
      RETURNING last_user_key
      """
    ) { $0.number(0) }
    return try transaction.first(
      """
      INSERT INTO account (user_key, name, folded_name, role, created_at)
      VALUES ($1, $2, $3, $4, $5) RETURNING user_key
      """,
      [
        .number(next), .text(name), .text(User.folded(name)), .text(role.rawValue), .date(now),
      ]
    ) { $0.number(0) } ?? 0
  }

  package static func update(
    _ id: User.ID, name: String, role: User.Role, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE account SET name = $2, folded_name = $3, role = $4
      WHERE user_key = $1
      """, [.number(id), .text(name), .text(User.folded(name)), .text(role.rawValue)])
  }

  /// Sets when a user was last seen, unless a later time is stored.
  package static func note(
    _ id: User.ID, seenAt: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE account SET last_seen_at = $1
      WHERE user_key = $2 AND (last_seen_at IS NULL OR last_seen_at < $1)
      """, [.date(seenAt), .number(id)])
  }

  /// Deletes a user with all that belongs to them.
  static func delete(_ id: User.ID, in transaction: any Transaction) throws {
    try transaction.run(
      "DELETE FROM account WHERE user_key = $1", [.number(id)])
  }

  /// Refuses a write for a user who was removed after the store was bound to them. They are not removed
  /// before the transaction ends, and writes to their record follow each other if `isExclusive`.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package static func check(
    _ id: User.ID, isExclusive: Bool = false, in transaction: any Transaction
  ) throws {
    let dialect = transaction.dialect
    let lock = isExclusive ? dialect.forUpdate : dialect.forKeyShare
    let isThere = try transaction.exists(
      "SELECT 1 FROM account WHERE user_key = $1 \(lock)", [.number(id)],
      isFrequent: true)
    if !isThere { throw removed }
  }

  /// The user with a number, who is about to be removed.
  ///
  /// - Throws: `OffersError` with `notFound`.
  static func fetchForRemoval(_ id: User.ID, in transaction: any Transaction) throws -> User {
    let dialect = transaction.dialect
    let user = try transaction.first(
      "SELECT \(columns) FROM account WHERE user_key = $1 \(dialect.forDeletion)",
      [.number(id)], user)
    guard let user else { throw removed }
    return user
  }

  private static var removed: OffersError {
    OffersError(.notFound, "There is no such user: they were removed.")
  }

  private static func user(_ row: any SQLRow) -> User {
    User(
      id: row.number(0), name: row.text(1), role: User.Role(rawValue: row.text(2)) ?? .viewer,
      createdAt: row.date(3), lastSeenAt: row.findDate(4))
  }
}
