import Foundation
import OffersCore

/// Users.
extension StoreImport {
  /// Whether the store has no run and no favorite, and no user but an owner whom nobody has named.
  func isNew() throws -> Bool {
    try transaction.first(
      """
      SELECT NOT EXISTS (SELECT 1 FROM sync_run) AND NOT EXISTS (SELECT 1 FROM favorite)
        AND NOT EXISTS (SELECT 1 FROM account
          WHERE user_key <> $1 OR folded_name <> $2)
      """, [.number(User.ownerID), .text(User.unnamedOwner)]
    ) { $0.flag(0) } ?? false
  }

  func findUser(named name: String) throws -> User? {
    try UserTable.find(named: name, in: transaction)
  }

  /// - Throws: `OffersError` with `notFound`.
  func fetchUser(_ id: User.ID) throws -> User {
    try UserTable.fetch(id, in: transaction)
  }

  func insertUser(_ name: String, _ role: User.Role, at seconds: Int64) throws -> User.ID {
    try UserTable.lock(in: transaction)
    return try UserTable.insert(name, role, at: Date(storedSeconds: seconds), in: transaction)
  }

  /// Sets the name of the owner, and the time when they were added unless it is nil.
  func setOwner(_ name: String, createdAt: Int64?) throws {
    try UserTable.lock(in: transaction)
    try UserTable.update(User.ownerID, name: name, role: .admin, in: transaction)
    guard let createdAt else { return }
    try transaction.run(
      "UPDATE account SET created_at = $2 WHERE user_key = $1",
      [.number(User.ownerID), .number(createdAt)])
  }

  /// The recent searches of a user, the latest first.
  func fetchSearches(of user: User.ID) throws -> [ExportedUser.Search] {
    try UserTable.check(user, isExclusive: true, in: transaction)
    return try RecentSearchTable.list(of: user, in: transaction).map { ExportedUser.Search($0) }
  }

  /// Moves or inserts a search at the top.
  func put(_ search: ExportedUser.Search, of user: User.ID) throws {
    try RecentSearchTable.put(
      search.words, feed: search.feed, of: user, at: Date(storedSeconds: search.searchedAt),
      in: transaction)
  }

  /// Inserts the mark of a reader who has none here. Another one stays.
  func insert(_ mark: ExportedUser.Mark, changeID: Int64, of user: User.ID) throws {
    try transaction.run(
      """
      INSERT INTO reader (user_key, name, change_id, read_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_key, name) DO NOTHING
      """, [.number(user), .text(mark.reader), .number(changeID), .number(mark.readAt)])
  }
}
