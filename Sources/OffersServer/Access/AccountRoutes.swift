import Foundation
import HTTPTypes
import Hummingbird
import OffersCore

/// The forms by which users manage their own passphrase, sessions and API tokens. Each requires a
/// browser that is logged in.
struct AccountRoutes: Sendable {
  let access: AccessGate
  let shell: PageShell

  /// The lifetimes of tokens to choose from, in days.
  static let tokenDays = [30, 90, 365]

  func add(to router: Router<ServedContext>) {
    router.post("/sessions/end-others") { _, context in
      let session = try context.fetchSession()
      let others = try await access.fetchSessions(of: session.user).filter { $0.id != session.id }
      try await access.end(others)
      return LoginRoutes.redirect(to: "/settings")
    }
    router.post("/sessions/:id/end") { _, context in
      let own = try context.fetchSession()
      let id = SessionCookie.bytes(hex: try context.parameters.require("id"))
      let sessions = try await access.fetchSessions(of: own.user)
      guard let session = sessions.first(where: { $0.id == id }) else {
        throw OffersError(.notFound, "This browser is not logged in any more.")
      }
      try await access.end([session])
      return LoginRoutes.redirect(to: "/settings")
    }
    router.post("/passphrase") { request, context in
      try await setPassphrase(try await FieldList.read(request), request, context)
    }
    router.post("/tokens") { request, context in
      try await addToken(SentFields(try await FieldList.read(request)), context)
    }
    router.post("/tokens/:id/revoke") { _, context in
      let session = try context.fetchSession()
      let id = Int64(try context.parameters.require("id"))
      let tokens = try await access.store.fetchTokens(of: session.user)
      guard let token = tokens.first(where: { $0.id == id }) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
      try await access.store.revokeToken(token.id)
      return LoginRoutes.redirect(to: "/settings")
    }
  }

  /// Sets a passphrase. The present one must be shown, and all other sessions of the user end.
  private func setPassphrase(
    _ form: [String: String], _ request: Request, _ context: ServedContext
  ) async throws -> Response {
    let session = try context.fetchSession()
    let user = try context.fetchVisitor().user
    let new = form["new"] ?? ""
    guard new == form["again"] ?? "" else {
      throw OffersError(
        .invalidRequest, "The two new passphrases differ.", hint: "Go back, and type both again.")
    }
    try Passphrase.check(new, of: user.name)
    if try await access.store.findPassphrase(of: user.id) != nil {
      let wait = try await access.check(
        form["present"] ?? "", of: user, user.name, session, context.client)
      if let wait {
        throw Problem(
          wait == 0 ? .forbidden : .tooManyRequests, "The present passphrase is not correct.",
          hint: wait == 0
            ? "Go back, and type it again." : "Try again in \(Units.count(wait, "second")).")
      }
    }
    let hash = try await access.passphrases.hash(new)
    try await access.store.setPassphrase(hash, of: user.id, keeping: session.id)
    return LoginRoutes.redirect(to: "/settings?passphrase=1")
  }

  /// Adds a token, and shows it once.
  private func addToken(_ form: SentFields, _ context: ServedContext) async throws -> Response {
    _ = try context.fetchSession()
    let visitor = try context.fetchVisitor()
    let scope = form["scope"].flatMap(Right.init) ?? .read
    try visitor.check(scope)
    let now = access.now()
    let days = form["days"].flatMap { Int($0) }.flatMap { Self.tokenDays.contains($0) ? $0 : nil }
    let text = APITokenText.make()
    let token = try await access.store.addToken(
      APIToken(
        id: 0, user: visitor.user.id, name: form["name"] ?? "", scope: scope, createdAt: now,
        expiresAt: days.map { now + Double($0) * 86_400 }),
      hash: APITokenText.hash(of: text))
    var page = Page("token", title: "New API token", menuEntry: .settings) { fields in
      fields.set("tokenName", token.name)
      fields.set("tokenText", text)
      fields.set("scope", token.scope.rawValue)
      fields.set("expires", time: token.expiresAt)
    }
    page.back = "/settings"
    return try shell.response(page, address: "/settings", for: visitor)
  }
}
