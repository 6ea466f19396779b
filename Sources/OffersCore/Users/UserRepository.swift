/// The users of a store.
///
/// Every call may throw `OffersError` with `storageFailed`.
public protocol UserRepository: Sendable {
  /// All users, the owner first, the others in the order in which they were added.
  func fetchUsers() async throws -> [User]

  /// The user with a name, without regard to case; nil if there is none.
  func findUser(named name: String) async throws -> User?

  /// Adds a user.
  ///
  /// - Throws: `OffersError`: `invalidRequest` for an invalid name, and for one that another user
  ///   has.
  @discardableResult
  func addUser(named name: String, role: User.Role) async throws -> User

  /// Changes the name or the role of a user; nil leaves it as it is. The owner stays an admin.
  ///
  /// - Throws: `OffersError`: `notFound` if the user was removed, `invalidRequest` for an invalid
  ///   name, for one that another user has, and for another role of the owner.
  @discardableResult
  func changeUser(_ id: User.ID, name: String?, role: User.Role?) async throws -> User

  /// Removes a user with their favorites, searches, read marks and notices, and nothing else.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown user, `invalidRequest` for the owner.
  func removeUser(_ id: User.ID) async throws
}

extension UserRepository {
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

extension [User] {
  /// The owner of the store that has these users.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the store is damaged.
  package func owner() throws -> User {
    guard let owner = first(where: \.isOwner) else {
      throw OffersError(.storageFailed, "The database has no owner: it is damaged.")
    }
    return owner
  }
}
