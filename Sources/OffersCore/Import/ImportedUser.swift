/// A user of a document that was imported, and the user who got their record.
public struct ImportedUser: Hashable, Sendable {
  /// The name in the document.
  public let name: String
  /// The role in the document. A user whom an import adds never becomes an admin.
  public let role: User.Role
  /// The user who got the favorites, recent searches and read marks.
  public let user: User
  /// Whether the import added the user.
  public let isNew: Bool
  /// The number of favorites that were added.
  public package(set) var newFavorites = 0
  /// The number of imported favorites that the user already had.
  public package(set) var sameFavorites = 0

  /// Creates a user of the parts; the properties describe them.
  public init(
    name: String, role: User.Role, user: User, isNew: Bool, newFavorites: Int = 0,
    sameFavorites: Int = 0
  ) {
    self.name = name
    self.role = role
    self.user = user
    self.isNew = isNew
    self.newFavorites = newFavorites
    self.sameFavorites = sameFavorites
  }
}
