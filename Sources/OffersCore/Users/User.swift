import Foundation

/// A person who uses the offers of a store, with favorites, recent searches and read marks of their
/// own. Offers, feeds, changes and images are shared by all.
public struct User: Hashable, Sendable, Identifiable {
  /// The rights of a user on the server.
  public enum Role: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Reads, searches and stars.
    case viewer
    /// Also syncs, subscribes to feeds and adds feeds.
    case member
    /// Also manages users, tokens, offers that are held back, and settings.
    case admin

    public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The user's number, which no other user gets, even after this one was removed.
  public let id: Int64
  /// The name, from 1 to 64 characters, unique without regard to case.
  public let name: String
  /// The rights of the user.
  public let role: Role
  /// When the user was added.
  public let createdAt: Date
  /// When the user was last seen on the server; nil for never.
  public let lastSeenAt: Date?

  /// The number of the owner of the store, who always exists, is an admin, and has what was stored
  /// before there were users.
  public static let ownerID: Int64 = 1
  /// The name of an owner whom nobody has given another one.
  package static let unnamedOwner = "owner"

  /// Creates a user of its parts; the properties describe them.
  public init(id: Int64, name: String, role: Role, createdAt: Date, lastSeenAt: Date? = nil) {
    self.id = id
    self.name = name
    self.role = role
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
  }

  /// Whether the user is the owner of the store.
  public var isOwner: Bool { id == Self.ownerID }

  /// Checks a name for a user: 1 to 64 characters, one line, without white space at its ends and
  /// without control characters, so that it can be typed and shown anywhere.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(name: String) throws(OffersError) {
    guard isPlain(name, maximum: 64) else {
      throw OffersError(
        .invalidRequest, "“\(name.prefix(80))” is no name for a user.",
        hint: "A name has 1 to 64 characters, in one line, without spaces at its ends.")
    }
  }

  /// Whether a store may have a user with this name.
  package static func isStored(_ name: String) -> Bool { isPlain(name, maximum: 64) }

  /// Whether a text can be a name: one line without white space at its ends, and without characters
  /// that cannot be seen.
  package static func isPlain(_ name: String, maximum: Int) -> Bool {
    (1...maximum).contains(name.unicodeScalars.count) && name.first != " " && name.last != " "
      && name.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
          && !$0.properties.isNoncharacterCodePoint && ($0 == " " || !$0.properties.isWhitespace)
      }
  }

  /// The maximum size of a name in bytes: 64 Unicode scalars in UTF-8.
  package static let nameBytes = 256

  /// The form of a name by which users are found: without differences of case, in composed form. A text
  /// that is too long for a name stays as it is, because the time of normalization grows with the square
  /// of the number of combining marks in a row.
  package static func folded(_ name: String) -> String {
    if name.utf8.count > nameBytes { return name }
    // Lower case can be composed again, as that of J with a caron.
    return name.precomposedStringWithCompatibilityMapping.lowercased()
      .precomposedStringWithCompatibilityMapping
  }
}

/// The rights on a server, in ascending order: each includes those before it.
package enum Right: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Reads offers and one's own data.
  case read
  /// Also stars, and adds to one's recent searches.
  case favorites
  /// Also syncs, subscribes to feeds and adds feeds.
  case sync
  /// Also manages users, the tokens of others, offers that are held back, and settings.
  case admin

  package static func < (one: Right, other: Right) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension User.Role {
  /// The highest right of a user with this role.
  package var right: Right {
    switch self {
    case .viewer: .favorites
    case .member: .sync
    case .admin: .admin
    }
  }
}

extension [User] {
  /// The owner of the store that has these users.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the store is damaged.
  package func owner() throws(OffersError) -> User {
    guard let owner = first(where: \.isOwner) else {
      throw OffersError(.storageFailed, "The database has no owner: it is damaged.")
    }
    return owner
  }
}
