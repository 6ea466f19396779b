import OffersCore

/// The page of the users: their roles, when they were last seen, and invitations.
struct UsersPage {
  let access: AccessGate
  let visitor: Visitor

  func page() async throws -> Page {
    let users = try await access.users.fetch()
    var page = Page("users", title: "Users", menuEntry: .settings) { fields in
      fields.set(
        "users",
        users.all.map { user in
          PageFields { row in
            row.set("userID", String(user.id))
            row.set("userName", user.name)
            row.set("initials", Self.initials(user.name))
            row.set("isOwner", user.isOwner)
            row.set("isSelf", user.id == visitor.user.id)
            row.set("role", user.role.rawValue)
            row.set("lastSeen", time: user.lastSeenAt)
            row.set("hasPassphrase", users.withPassphrase.contains(user.id))
            if !user.isOwner, user.id != visitor.user.id {
              row.set("hasRoles", true)
              row.set("roles", Self.roles(user.role))
            }
          }
        })
      fields.set("newRoles", Self.roles(.member))
      if case .thisMachine = visitor.proof { fields.set("isFirst", true) }
    }
    page.back = "/settings"
    return page
  }

  /// The initials of a name, at most two letters.
  static func initials(_ name: String) -> String {
    name.split(scalar: " ").prefix(2).compactMap(\.first).map { $0.uppercased() }.joined()
  }

  private static func roles(_ chosen: User.Role) -> [PageFields] {
    User.Role.allCases.map { role in
      PageFields { option in
        option.set("value", role.rawValue)
        option.set("label", role.rawValue)
        option.set("isChosen", role == chosen)
      }
    }
  }
}
