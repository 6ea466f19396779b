import Foundation
import OffersCore

/// The sections of the settings about the visitor: who they are, their passphrase, the browsers that
/// are logged in, and their API tokens.
struct AccountSections {
  let access: VisitorAuthentication
  let visitor: Visitor?
  let now: Date
  /// The form of the settings that was sent just before, whose outcome is told; nil for none.
  var done: String?

  /// The lifetimes of tokens to choose from, in days.
  static let tokenDays = [30, 90, 365]
  private static let mostSessions = 50

  func fields() async throws -> PageFields? {
    guard let visitor else { return nil }
    if case .thisMachine = visitor.proof { return nil }
    let users = try await access.users.fetch()
    let sessions = try await access.fetchSessions(of: visitor.user.id)
    let tokens = try await access.store.fetchTokens(of: visitor.user.id)
    let isLoggedIn = visitor.session != nil
    return PageFields { fields in
      fields.set("userName", visitor.user.name)
      fields.set("initials", UsersPage.initials(visitor.user.name))
      fields.set("role", visitor.user.role.rawValue)
      fields.set("hasLogin", isLoggedIn)
      if let done, let (section, text) = Self.outcomes[done] { fields.set("\(section)Done", text) }
      fields.set("hasPassphrase", users.withPassphrase.contains(visitor.user.id))
      if !sessions.isEmpty { fields.set("sessions", list(of: sessions)) }
      fields.set("tokens", tokens.map(row))
      fields.set("hasTokens", !tokens.isEmpty)
      fields.set("scopes", Right.allCases.filter { $0 <= visitor.right }.map(Self.choice))
      fields.set(
        "lifetimes",
        Self.tokenDays.map { PageFields(option: String($0), Units.count($0, "day")) })
    }
  }

  /// The section and the text by which the outcome of each form is told.
  private static let outcomes: [String: (section: String, text: String)] = [
    "passphrase": (
      "passphrase", "Your passphrase is changed. Your other browsers are logged out."
    ),
    "first-passphrase": (
      "passphrase", "Your passphrase is set. Your other browsers are logged out."
    ),
    "browser": ("sessions", "The browser is logged out."),
    "others": ("sessions", "Your other browsers are logged out."),
    "token": ("tokens", "The token is revoked."),
  ]

  private static func choice(_ scope: Right) -> PageFields {
    PageFields(option: scope.rawValue, words(scope))
  }

  private static func words(_ scope: Right) -> String {
    switch scope {
    case .read: "read"
    case .favorites: "read and star"
    case .sync: "read, star, refresh and add feeds"
    case .admin: "do everything"
    }
  }

  /// The list of the browsers that are logged in, this one first.
  private func list(of sessions: [Session]) -> PageFields {
    let own = visitor?.session?.id
    let sorted = sessions.filter { $0.id == own } + sessions.filter { $0.id != own }
    let rows = sorted.prefix(Self.mostSessions).map { session in
      [
        "device": DeviceName.text(of: session.userAgent), "peer": session.peer,
        "isThis": session.id == own, "lastSeen": session.lastSeenAt, "since": session.createdAt,
        "sessionID": session.id.hexadecimal,
      ] as PageFields
    }
    return PageFields { fields in
      fields.set("browsers", rows)
      fields.set("hasOtherBrowsers", sessions.contains { $0.id != own })
      if sessions.count > rows.count {
        fields.set("moreBrowsers", Units.count(sessions.count - rows.count, "more browser"))
      }
    }
  }

  private func row(_ token: APIToken) -> PageFields {
    [
      "tokenID": String(token.id), "tokenName": token.name, "scope": token.scope.rawValue,
      "isExpired": token.isExpired(at: now), "expires": token.expiresAt,
      "lastUsed": token.lastUsedAt,
    ] as PageFields
  }
}

/// Names the browser and the device of a `User-Agent` in plain words, such as `Firefox on Android`.
///
/// The field has no syntax that tells browsers apart: each names the ones that it wants to be taken
/// for. The more specific names are tried first.
enum DeviceName {
  static func text(of userAgent: String) -> String {
    let browser = browsers.first { userAgent.contains($0.mark) }?.name
    let system = systems.first { userAgent.contains($0.mark) }?.name
    switch (browser, system) {
    case (let browser?, let system?): return "\(browser) on \(system)"
    case (let name?, nil): return name
    case (nil, let name?): return "A browser on \(name)"
    case (nil, nil): return product(of: userAgent) ?? "An unknown browser"
    }
  }

  private static let browsers: [(mark: String, name: String)] = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"), ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"), ("Safari/", "Safari"), ("curl/", "curl"),
  ]

  private static let systems: [(mark: String, name: String)] = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Macintosh", "Mac"), ("Linux", "Linux"), ("FreeBSD", "FreeBSD"),
  ]

  /// The first product of the field, such as `Lynx` of `Lynx/2.9`.
  private static func product(of userAgent: String) -> String? {
    let name = userAgent.unicodeScalars.prefix { $0 != "/" && $0 != " " }
    return name.isEmpty ? nil : String(name.prefix(40))
  }
}

/// The page with the form for a passphrase: the first page after a login with a code, and the answer to
/// the form of the settings if it has a mistake.
struct PassphrasePage {
  let user: User
  /// Whether the user has a passphrase, which the form then asks for.
  let hasPassphrase: Bool
  /// The page that follows the first one after a login with a code; nil for the form of the settings.
  let next: String?
  /// Whether the passphrase was set by this page just now.
  var isSet = false
  var mistake: Mistake?

  struct Mistake {
    enum Field: String { case present, new, again }

    let field: Field
    let text: String
    let hint: String?
    var status = 400
    /// The time in seconds after which the form is looked at again; nil for no wait.
    var waitSeconds: Int?
  }

  func page() -> Page {
    let title = next == nil ? "Your passphrase" : "Welcome"
    var page = Page("welcome", title: title, menuEntry: next == nil ? .settings : nil) { fields in
      fields.set("userName", user.name)
      fields.set("hasPassphrase", hasPassphrase)
      fields.set("welcome", next != nil)
      fields.set("next", next)
      fields.set("isSet", isSet)
      fields.set("asks", !hasPassphrase)
      if let mistake {
        fields.set(
          "\(mistake.field.rawValue)Error",
          .error(mistake.text, hint: mistake.hint, id: "passphrase-error"))
      }
    }
    if next == nil { page.back = SettingsSection.people.path }
    page.status = mistake?.status ?? 200
    return page
  }
}

extension PageFields {
  /// The variables of the template `field-error`, which tells of a mistake at a field of a form.
  static func error(_ text: String, hint: String?, id: String) -> PageFields {
    ["errorID": id, "errorText": text, "errorHint": hint] as PageFields
  }
}

/// The page of the users: their roles, when they were last seen, and invitations.
struct UsersPage {
  let access: VisitorAuthentication
  let visitor: Visitor
  /// The user whose browsers the form before has logged out; nil for none.
  var loggedOut: User.ID?
  /// The form whose input was refused, to be shown again with it; nil for none.
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
            row.set("lastSeen", user.lastSeenAt)
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
    form.map { .error($0.error.message, hint: $0.error.hint?.text, id: "name-error") }
  }

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
