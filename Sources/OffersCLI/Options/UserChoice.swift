import OffersCore

/// The user whose record a command reads and writes: favorites, recent searches, read marks and
/// notices.
struct UserChoice: Sendable {
  /// The name that was given; nil for the owner of the database.
  private let name: String?

  /// The name of the owner in a new database.
  private static let newOwner = "owner"

  /// The user that the option names, else `OFFERS_USER`, else the owner.
  ///
  /// - Parameter option: the value of `--user`; nil if it was not given.
  /// - Throws: `OffersError` with `invalidRequest` for an empty name.
  init(option: String? = nil) throws {
    name = option ?? ProcessContext.variable("OFFERS_USER")
    if name?.isEmpty == true {
      throw OffersError(
        .invalidRequest, "The name of the user is empty.",
        hint: "Name a user with --user, or unset OFFERS_USER.")
    }
  }

  /// Whether no user was named, so that it is the owner.
  var isDefault: Bool { name == nil }

  /// Refuses a user of a database that does not exist, before a command creates it: a new one has
  /// only its owner.
  ///
  /// - Throws: `OffersError` with `notFound`.
  func check(_ place: any StorePlace) throws {
    guard let name, !place.exists, User.folded(name) != Self.newOwner else {
      return
    }
    throw OffersError(
      .notFound, "There is no database yet at \(place.name), and so no user “\(name.prefix(80))”.",
      hint: "Make it as its owner: offers sync --user \(Self.newOwner)")
  }

  /// The user, the owner if none was named.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown user; its hint names a similar one.
  func fetchUser(in database: any OffersStorage) async throws -> User {
    guard let name else { return try await database.fetchOwner() }
    return try await database.fetchUser(named: name)
  }

  /// The database with the record of the user, who is looked up only if one was named.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown user; its hint names a similar one.
  func record(in database: any OffersStorage) async throws -> any OffersStorage {
    guard let name else { return database }
    return database.record(of: try await database.fetchUser(named: name))
  }
}
