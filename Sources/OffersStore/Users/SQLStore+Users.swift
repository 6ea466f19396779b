import Foundation
import OffersCore

extension OffersDatabase {
  /// All users, the owner first, the others in the order in which they were added.
  public func fetchUsers() async throws -> [User] {
    try await transaction(.query) { try UserTable.list(in: $0) }
  }

  /// The user with a name, without regard to case; nil if there is none.
  public func findUser(named name: String) async throws -> User? {
    try await transaction(.query) { try UserTable.find(named: name, in: $0) }
  }

  /// Adds a user.
  ///
  /// - Throws: `OffersError`: `invalidRequest` for an invalid name, and for one that another user
  ///   has.
  @discardableResult
  public func addUser(named name: String, role: User.Role) async throws -> User {
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
  ) async throws -> User {
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
  public func removeUser(_ id: User.ID) async throws {
    try await removeUser(id, exported: nil)
  }

  /// Removes a user, unless they have a favorite that an export before does not have.
  ///
  /// - Parameters:
  ///   - id: the user.
  ///   - exported: the favorites in the export; nil removes the user with any favorites.
  /// - Throws: `OffersError`: `locked` if the user got another favorite since the export, otherwise
  ///   as `removeUser(_:)`.
  package func removeUser(_ id: User.ID, exported: Set<OfferRef>?) async throws {
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
  package func fetchOwner() async throws -> User { try await fetchUsers().owner() }

  /// The user with a name, without regard to case.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the user that was probably meant.
  public func fetchUser(named name: String) async throws -> User {
    if let user = try await findUser(named: name) { return user }
    let names = try await fetchUsers().map(\.name)
    throw OffersError(
      .notFound, "There is no user “\(name.prefix(80))”.",
      hint: NearestWord.hint(for: name, among: names, title: "Users"))
  }
}
