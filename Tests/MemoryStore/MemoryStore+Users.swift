import Foundation
import OffersCore

extension MemoryStore: UserRepository {
  package func fetchUsers() async throws -> [User] { try read { $0.users } }

  package func findUser(named name: String) async throws -> User? {
    try read { $0.findUser(named: name) }
  }

  package func addUser(named name: String, role: User.Role) async throws -> User {
    try User.check(name: name)
    return try write { state in
      try state.checkFree(name, for: nil)
      state.lastUserID += 1
      let user = User(id: state.lastUserID, name: name, role: role, createdAt: Date().inSeconds)
      state.users.append(user)
      state.records[user.id] = MemoryState.Record()
      return user
    }
  }

  package func changeUser(_ id: User.ID, name: String?, role: User.Role?) async throws -> User {
    if let name { try User.check(name: name) }
    return try write { state in
      let place = try state.fetchPlace(ofUser: id)
      let user = state.users[place]
      if let name { try state.checkFree(name, for: id) }
      if user.isOwner, let role, role != .admin {
        throw OffersError(.invalidRequest, "The owner of the database is always an admin.")
      }
      state.users[place] = User(
        id: id, name: name ?? user.name, role: role ?? user.role, createdAt: user.createdAt,
        lastSeenAt: user.lastSeenAt)
      return state.users[place]
    }
  }

  package func removeUser(_ id: User.ID) async throws {
    if id == User.ownerID {
      throw OffersError(.invalidRequest, "The owner of the database cannot be removed.")
    }
    try write { state in
      state.users.remove(at: try state.fetchPlace(ofUser: id))
      state.records[id] = nil
    }
  }
}

extension MemoryState {
  fileprivate func findUser(named name: String) -> User? {
    users.first { User.folded($0.name) == User.folded(name) }
  }

  fileprivate func fetchPlace(ofUser id: User.ID) throws -> Int {
    guard let place = users.firstIndex(where: { $0.id == id }) else {
      throw OffersError(.notFound, "There is no such user: they were removed.")
    }
    return place
  }

  fileprivate func checkFree(_ name: String, for id: User.ID?) throws {
    guard let other = findUser(named: name), other.id != id else { return }
    throw OffersError(.invalidRequest, "There is a user “\(other.name)” already.")
  }
}
