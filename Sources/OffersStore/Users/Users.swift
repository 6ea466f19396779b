import Foundation
import OffersCore

extension OffersDatabase {
  /// All users, the owner first, the others in the order in which they were added.
  public func fetchUsers() async throws(OffersError) -> [User] {
    try await transaction(.query) { try UserTable.list(in: $0) }
  }

  /// The user with a name, without regard to case; nil if there is none.
  public func findUser(named name: String) async throws(OffersError) -> User? {
    try await transaction(.query) { try UserTable.find(named: name, in: $0) }
  }

  /// Adds a user.
  ///
  /// - Throws: `OffersError`: `invalidRequest` for an invalid name, and for one that another user
  ///   has.
  @discardableResult
  public func addUser(named name: String, role: User.Role) async throws(OffersError) -> User {
    try User.check(name: name)
    let now = Date()
    return try await transaction(.write) { transaction in
      try UserTable.lock(in: transaction)
      try Self.checkFree(name, for: nil, in: transaction)
      let id = try UserTable.insert(name, role, at: now, in: transaction)
      return try UserTable.fetch(id, in: transaction)
    }
  }

  /// Changes the name or the role of a user; nil leaves it as it is. The owner stays an admin.
  ///
  /// - Throws: `OffersError`: `notFound` if the user was removed, `invalidRequest` for an invalid
  ///   name, for one that another user has, and for another role of the owner.
  @discardableResult
  public func changeUser(
    _ id: User.ID, name: String?, role: User.Role?
  ) async throws(OffersError) -> User {
    if let name { try User.check(name: name) }
    return try await transaction(.write) { transaction in
      try UserTable.lock(in: transaction)
      let user = try UserTable.fetch(id, in: transaction)
      if let name { try Self.checkFree(name, for: id, in: transaction) }
      if user.isOwner, let role, role != .admin {
        throw OffersError(.invalidRequest, "The owner of the database is always an admin.")
      }
      try UserTable.update(
        id, name: name ?? user.name, role: role ?? user.role, in: transaction)
      return try UserTable.fetch(id, in: transaction)
    }
  }

  /// Removes a user with their favorites, searches, read marks and notices, and nothing else.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown user, `invalidRequest` for the owner.
  public func removeUser(_ id: User.ID) async throws(OffersError) {
    try await removeUser(id, exported: nil)
  }

  /// Removes a user, unless they have a favorite that an export before does not have.
  ///
  /// - Parameters:
  ///   - id: the user.
  ///   - exported: the favorites in the export; nil removes the user with any favorites.
  /// - Throws: `OffersError`: `locked` if the user got another favorite since the export, otherwise
  ///   as `removeUser(_:)`.
  package func removeUser(_ id: User.ID, exported: Set<OfferRef>?) async throws(OffersError) {
    if id == User.ownerID {
      throw OffersError(.invalidRequest, "The owner of the database cannot be removed.")
    }
    try await transaction(.write) { transaction in
      // A star of the user at the same time is stored before the lock, or refused after it.
      let user = try UserTable.fetchForRemoval(id, in: transaction)
      let refs = try transaction.rows(
        "SELECT feed, id FROM favorite WHERE user_key = $1 ORDER BY feed, id", [.number(id)]
      ) { OfferRef(feed: $0.text(0), offerID: $0.text(1)) }
      if let exported, let new = refs.first(where: { !exported.contains($0) }) {
        throw OffersError(
          .locked,
          "\(user.name) got another favorite, \(new), while the favorites were exported.",
          hint: "Nothing was removed. Try again.")
      }
      try UserTable.delete(id, in: transaction)
    }
  }

  private static func checkFree(
    _ name: String, for id: User.ID?, in transaction: any Transaction
  ) throws {
    guard let other = try UserTable.find(named: name, in: transaction), other.id != id else {
      return
    }
    throw OffersError(.invalidRequest, "There is a user “\(other.name)” already.")
  }
}

extension OffersDatabase {
  /// The owner of the store.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the store is damaged.
  package func fetchOwner() async throws(OffersError) -> User { try await fetchUsers().owner() }

  /// The user with a name, without regard to case.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the user that was probably meant.
  public func fetchUser(named name: String) async throws(OffersError) -> User {
    if let user = try await findUser(named: name) { return user }
    let names = try await fetchUsers().map(\.name)
    throw OffersError(
      .notFound, "There is no user “\(name.prefix(80))”.",
      hint: NearestWord.hint(for: name, among: names, title: "Users"))
  }
}

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

  /// The user with an id.
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

  /// Inserts a user with the next id. The table must be locked.
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
  /// before the transaction ends, and writes to their data follow each other if `isExclusive`.
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

  /// The user with an id, who is about to be removed.
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
