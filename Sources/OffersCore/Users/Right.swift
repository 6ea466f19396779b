/// The rights on a server, in ascending order: each includes those before it.
public enum Right: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Reads offers and one's own record.
  case read
  /// Also stars, and adds to one's recent searches.
  case favorites
  /// Also syncs, subscribes to feeds and adds feeds.
  case sync
  /// Also manages users, the tokens of others, offers that are held back, and settings.
  case admin

  public static func < (one: Right, other: Right) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension User.Role {
  /// The highest right of a user with this role.
  public var right: Right {
    switch self {
    case .viewer: .favorites
    case .member: .sync
    case .admin: .admin
    }
  }
}
