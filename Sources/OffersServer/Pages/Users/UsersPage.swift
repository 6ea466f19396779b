import OffersCore

/// The page of the users: their roles, when they were last seen, and invitations.
struct UsersPage {
  let access: VisitorAuthentication
  let visitor: Visitor
  /// The user whose browsers the form before has logged out; nil for none.
  var loggedOut: User.ID?
  /// The form that was refused, which is shown again; nil for none.
  var refused: Refused?

  /// A form that was refused because of the name.
  struct Refused {
    /// The user to change; nil for one to add.
    let user: User.ID?
    let name: String
    let role: User.Role
    let error: OffersError
  }

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
            row.set("isGuest", user.id != visitor.user.id && !user.isOwner)
            row.set("loggedOut", user.id == loggedOut)
            row.set("role", user.role.rawValue)
            row.set("lastSeen", time: user.lastSeenAt)
            row.set("hasPassphrase", users.withPassphrase.contains(user.id))
            if !user.isOwner, user.id != visitor.user.id {
              row.set("hasRoles", true)
              let form = refused.flatMap { $0.user == user.id ? $0 : nil }
              row.set("typedName", form?.name ?? user.name)
              row.set("nameError", Self.error(of: form))
              row.set("roles", Self.roles(form?.role ?? user.role))
            }
          }
        })
      let form = refused.flatMap { $0.user == nil ? $0 : nil }
      fields.set("newName", form?.name)
      fields.set("newNameError", Self.error(of: form))
      fields.set("newRoles", Self.roles(form?.role ?? .member))
      if case .thisMachine = visitor.proof { fields.set("isFirst", true) }
    }
    page.back = SettingsSection.people.path
    if let refused { page.status = Int(Problem(refused.error).status.code) }
    return page
  }

  private static func error(of form: Refused?) -> PageFields? {
    form.map { .error($0.error.message, hint: $0.error.hint, id: "name-error") }
  }

  /// The initials of a name: the first letter or digit of two words at most.
  static func initials(_ name: String) -> String {
    name.split(scalar: " ").compactMap { $0.first { $0.isLetter || $0.isNumber } }.prefix(2)
      .map { $0.uppercased() }.joined()
  }

  private static func roles(_ chosen: User.Role) -> [PageFields] {
    User.Role.allCases.map { role in
      PageFields(option: role.rawValue, role.rawValue, isChosen: role == chosen)
    }
  }
}
