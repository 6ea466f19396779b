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
  /// The maximum number of browsers in the list.
  private static let mostSessions = 50

  /// The variables of the sections; nil for a visitor without a login.
  ///
  /// - Throws: `OffersError` if the store cannot be read.
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
      PageFields { row in
        row.set("device", DeviceName.text(of: session.userAgent))
        row.set("peer", session.peer)
        row.set("isThis", session.id == own)
        row.set("lastSeen", time: session.lastSeenAt)
        row.set("since", time: session.createdAt)
        row.set("sessionID", session.id.hexadecimal)
      }
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
    PageFields { row in
      row.set("tokenID", String(token.id))
      row.set("tokenName", token.name)
      row.set("scope", token.scope.rawValue)
      row.set("isExpired", token.isExpired(at: now))
      row.set("expires", time: token.expiresAt)
      row.set("lastUsed", time: token.lastUsedAt)
    }
  }
}
