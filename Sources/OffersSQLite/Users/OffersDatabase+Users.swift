import Foundation
import GRDB
import OffersCore

extension OffersDatabase: UserRepository {
  public func fetchUsers() async throws -> [User] {
    try await read { try UserTable.list(in: $0) }
  }

  public func findUser(named name: String) async throws -> User? {
    try await read { try UserTable.find(named: name, in: $0) }
  }

  @discardableResult
  public func addUser(named name: String, role: User.Role) async throws -> User {
    try User.check(name: name)
    let seconds = Date().storedSeconds
    return try await write { database in
      try Self.checkFree(name, for: nil, in: database)
      let id = try UserTable.insert(name, role, at: seconds, in: database)
      return try Self.fetchUser(id, in: database)
    }
  }

  @discardableResult
  public func changeUser(
    _ id: User.ID, name: String?, role: User.Role?
  ) async throws -> User {
    if let name { try User.check(name: name) }
    return try await write { database in
      let user = try Self.fetchUser(id, in: database)
      if let name { try Self.checkFree(name, for: id, in: database) }
      if user.isOwner, let role, role != .admin {
        throw OffersError(.invalidRequest, "The owner of the database is always an admin.")
      }
      try UserTable.update(id, name: name ?? user.name, role: role ?? user.role, in: database)
      return try Self.fetchUser(id, in: database)
    }
  }

  public func removeUser(_ id: User.ID) async throws {
    try await removeUser(id, exported: nil)
  }

  package func removeUser(_ id: User.ID, exported: Set<OfferRef>?) async throws {
    if id == User.ownerID {
      throw OffersError(.invalidRequest, "The owner of the database cannot be removed.")
    }
    try await write(.favorites) { [foreignSchema] database in
      let user = try Self.fetchUser(id, in: database)
      let favorites = try FavoriteGuard(database, against: foreignSchema)
      let refs = try FavoriteTable.refs(of: id, in: database)
      if let exported, let new = refs.first(where: { !exported.contains($0) }) {
        throw OffersError(
          .locked,
          "\(user.name) got another favorite, \(new), while the favorites were exported.",
          hint: "Nothing was removed. Try again.")
      }
      try UserTable.delete(id, in: database)
      for ref in refs { try FoundOffers.updateListed(ref, in: database) }
      try favorites?.check(removing: refs, of: id, in: database)
    }
  }

  /// - Throws: `OffersError` with `notFound`.
  static func fetchUser(_ id: User.ID, in database: Database) throws -> User {
    guard let user = try UserTable.find(id, in: database) else {
      throw OffersError(.notFound, "There is no such user: they were removed.")
    }
    return user
  }

  /// Refuses a write for a user who was removed after the database was bound to them. The owner is
  /// never removed.
  ///
  /// - Throws: `OffersError` with `notFound`.
  static func checkUser(_ id: User.ID, in database: Database) throws {
    if id != User.ownerID { _ = try fetchUser(id, in: database) }
  }

  private static func checkFree(
    _ name: String, for id: User.ID?, in database: Database
  ) throws {
    guard let other = try UserTable.find(named: name, in: database), other.id != id else { return }
    throw OffersError(.invalidRequest, "There is a user “\(other.name)” already.")
  }
}

extension OffersDatabase: UserRecords {
  /// The same database, whose favorites, searches, read marks and notices are those of a user. It
  /// shares its connections with this one: closing one closes both.
  public func record(of user: User) -> OffersDatabase {
    OffersDatabase(sharing: self, user: user.id)
  }
}
