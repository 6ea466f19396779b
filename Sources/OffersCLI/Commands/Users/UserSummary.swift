import ArgumentParser
import Foundation
import OffersCore

/// A user and the number of their favorites, as `offers user` prints them.
struct UserSummary {
  let user: User
  let favoriteCount: Int

  /// Counts the favorites of a user.
  init(_ user: User, in database: any OffersStorage) async throws {
    self.user = user
    favoriteCount = try await database.record(of: user).countOffers(
      OfferQuery(favoritesOnly: true))
  }

  /// The name, safe for a terminal.
  static func name(_ user: User) -> String { DisplayText.oneLine(user.name) }

  /// A role with its article, such as `an admin`.
  static func text(_ role: User.Role) -> String {
    role == .admin ? "an admin" : "a \(role.rawValue)"
  }

  /// The number of users, and of those with each role, such as `3: 1 admin, 2 members`; nil
  /// if there is only the owner.
  static func text(_ users: [User]) -> String? {
    guard users.count > 1 else { return nil }
    let roles = User.Role.allCases.reversed().compactMap { role in
      let count = users.count { $0.role == role }
      return count == 0 ? nil : Units.count(count, role.rawValue)
    }
    return "\(Units.count(users.count)): \(roles.joined(separator: ", "))"
  }

  /// A table of users.
  static func table(_ users: [UserSummary], at now: Date) -> String {
    let columns = [
      Table.Column(title: "NAME", isWhole: true), Table.Column(title: "ROLE", isWhole: true),
      Table.Column(title: "FAVORITES", isRight: true), Table.Column(title: "ADDED", isWhole: true),
      Table.Column(title: "LAST SEEN", isWhole: true),
    ]
    let rows = users.map { entry in
      [
        name(entry.user), entry.user.role.rawValue + (entry.user.isOwner ? ", owner" : ""),
        Units.count(entry.favoriteCount), Units.time(entry.user.createdAt),
        entry.user.lastSeenAt.map { Units.age(of: $0, at: now) } ?? "never",
      ]
    }
    return Table.text(columns, rows)
  }

  /// `{"id","name","role","owner","favorites","created_at","last_seen_at"}`
  var json: String {
    var json = JSONWriter()
    json.value(self)
    return json.text
  }
}

extension JSONWriter {
  mutating func value(_ entry: UserSummary) {
    object { json in
      json.member("id", entry.user.id)
      json.member("name", entry.user.name)
      json.member("role", entry.user.role.rawValue)
      json.member("owner", entry.user.isOwner)
      json.member("favorites", entry.favoriteCount)
      json.member("created_at", entry.user.createdAt)
      json.member("last_seen_at", entry.user.lastSeenAt)
    }
  }
}

extension UserRepository {
  /// The user with a name; the owner for nil.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown user.
  func fetchUser(orOwner name: String?) async throws -> User {
    guard let name else { return try await fetchOwner() }
    return try await fetchUser(named: name)
  }
}

/// The options that name the database of a command, and the user whose record in it the command
/// reads and writes.
struct UserRecordOptions: ParsableArguments {
  @OptionGroup var location: DatabaseOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The user whose favorites, searches and read marks are meant (default: $OFFERS_USER, else "
        + "the owner).", valueName: "name"))
  var user: String?

  /// The place of the database; see `DatabaseOptions.place`.
  var place: any StorePlace {
    get throws { try location.place }
  }

  /// The user whose record is meant.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an empty name.
  var choice: UserChoice {
    get throws { try UserChoice(option: user) }
  }

  /// Opens the database with the record of the user.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown user, otherwise as
  ///   `DatabaseOptions.open`.
  func open(_ access: StoreAccess) async throws -> any OffersStorage {
    try await open(place, access)
  }

  /// As `open(_:)`, for a command that needs the place as well.
  func open(_ place: any StorePlace, _ access: StoreAccess) async throws -> any OffersStorage {
    let choice = try choice
    if access == .readWrite { try choice.check(place) }
    return try await choice.record(in: try await DatabaseOptions.open(place, access))
  }

  /// Opens the database with the record of the user for writing. A missing database has none of the
  /// offers that a command names, and creating one would hide a wrong path.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none, otherwise as `open(_:)`.
  func openExisting() async throws -> any OffersStorage {
    let choice = try choice
    return try await choice.record(in: try await location.openExisting())
  }
}
