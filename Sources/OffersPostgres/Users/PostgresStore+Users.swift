import Foundation
import OffersCore

extension PostgresStore: UserRepository {
  package func fetchUsers() async throws -> [User] {
    try await database.readOnce { try UserTable.list(in: $0) }
  }

  package func findUser(named name: String) async throws -> User? {
    try await database.readOnce { try UserTable.find(named: name, in: $0) }
  }

  package func addUser(named name: String, role: User.Role) async throws -> User {
    try User.check(name: name)
    let now = Date().storedSeconds
    return try await database.write { session in
      try UserTable.lock(session)
      try Self.checkFree(name, for: nil, in: session)
      let id = try UserTable.insert(name, role, at: now, in: session)
      return try Self.fetchUser(id, in: session)
    }
  }

  package func changeUser(_ id: User.ID, name: String?, role: User.Role?) async throws -> User {
    if let name { try User.check(name: name) }
    return try await database.write { session in
      try UserTable.lock(session)
      let user = try Self.fetchUser(id, in: session)
      if let name { try Self.checkFree(name, for: id, in: session) }
      if user.isOwner, let role, role != .admin {
        throw OffersError(.invalidRequest, "The owner of the database is always an admin.")
      }
      try UserTable.update(id, name: name ?? user.name, role: role ?? user.role, in: session)
      return try Self.fetchUser(id, in: session)
    }
  }

  package func removeUser(_ id: User.ID) async throws {
    if id == User.ownerID {
      throw OffersError(.invalidRequest, "The owner of the database cannot be removed.")
    }
    try await database.write { session in
      guard try UserTable.delete(id, in: session) else { throw UserTable.removed }
    }
  }

  private static func fetchUser(_ id: User.ID, in session: DatabaseSession) throws -> User {
    guard let user = try UserTable.find(id, in: session) else { throw UserTable.removed }
    return user
  }

  private static func checkFree(
    _ name: String, for id: User.ID?, in session: DatabaseSession
  ) throws {
    guard let other = try UserTable.find(named: name, in: session), other.id != id else { return }
    throw OffersError(.invalidRequest, "There is a user “\(other.name)” already.")
  }
}
