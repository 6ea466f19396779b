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
