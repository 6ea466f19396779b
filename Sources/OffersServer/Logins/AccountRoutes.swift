import Foundation
import Hummingbird
import OffersCore

/// The forms by which users manage their own passphrase, sessions and API tokens. Each requires a
/// browser that is logged in.
struct AccountRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell

  func add(to router: Router<ServedContext>) {
    router.post("/sessions/end-others") { _, context in
      let session = try context.fetchSession()
      let others = try await access.fetchSessions(of: session.user).filter { $0.id != session.id }
      try await access.end(others)
      return Response.seeOther("/settings/devices?done=others#sessions")
    }
    router.post("/sessions/:id/end") { _, context in
      let own = try context.fetchSession()
      let id = try context.parameters.require("id")
      let sessions = try await access.fetchSessions(of: own.user)
      guard let session = sessions.first(where: { $0.id.hexadecimal == id }) else {
        throw OffersError(.notFound, "This browser is not logged in any more.")
      }
      try await access.end([session])
      return Response.seeOther("/settings/devices?done=browser#sessions")
    }
    router.form("/passphrase", setPassphrase)
    router.get("/welcome") { request, context in try await welcome(request, context) }
    router.form("/tokens") { form, _, context in try await addToken(form, context) }
    router.post("/tokens/:id/revoke") { _, context in
      let session = try context.fetchSession()
      let id = Int64(try context.parameters.require("id"))
      let tokens = try await access.store.fetchTokens(of: session.user)
      guard let token = tokens.first(where: { $0.id == id }) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
      context.record.note("name", token.name)
      try await access.store.revokeToken(token.id)
      return Response.seeOther("/settings/devices?done=token#tokens")
    }
  }

  /// Sets a passphrase. The current one must be shown, and all other sessions of the user end. A form
  /// with a mistake is shown again.
  private func setPassphrase(
    _ form: SentFields, _ request: Request, _ context: ServedContext
  ) async throws -> Response {
    let session = try context.fetchSession()
    let visitor = try context.fetchVisitor()
    let user = visitor.user
    let next = form["next"].map(ReturnPath.withoutEffect)
    let hadPassphrase = try await access.store.findPassphrase(of: user.id) != nil
    let mistake = try await findMistake(
      in: form, of: user, session, hadPassphrase: hadPassphrase, request, context.client)
    if let mistake {
      let page = PassphrasePage(
        user: user, hasPassphrase: hadPassphrase, next: next, mistake: mistake
      ).page()
      var response = try await shell.response(page, address: "/settings", for: visitor)
      response.headers[.retryAfter] = mistake.waitSeconds.map(String.init)
      return response
    }
    let hash = try await access.passphrases.hash(form.whole("new") ?? "", for: user.id)
    try await access.store.setPassphrase(hash, of: user.id, keeping: session.id)
    if let next {
      return Response.seeOther(Self.welcome(before: next) + "&done=1")
    }
    return Response.seeOther(
      "/settings/people?done=\(hadPassphrase ? "passphrase" : "first-passphrase")#account")
  }

  /// Finds a mistake in the form for a passphrase.
  ///
  /// - Returns: nil for a form without one.
  private func findMistake(
    in form: SentFields, of user: User, _ session: Session, hadPassphrase: Bool,
    _ request: Request, _ client: Peer
  ) async throws -> PassphrasePage.Mistake? {
    let new = form.whole("new") ?? ""
    do {
      try Passphrase.check(new, of: user.name)
    } catch let error as OffersError {
      return PassphrasePage.Mistake(field: .new, text: error.message, hint: error.hint?.text)
    }
    guard new == form.whole("again") ?? "" else {
      return PassphrasePage.Mistake(
        field: .again, text: "The two new passphrases differ.", hint: "Type both again.")
    }
    guard hadPassphrase else { return nil }
    switch try await access.check(
      form.whole("present") ?? "", of: user, user.name, session, request, client)
    {
    case .right: return nil
    case .wrong:
      return PassphrasePage.Mistake(
        field: .present, text: "The current passphrase is not correct.", hint: nil, status: 403)
    case .waiting(let seconds):
      return PassphrasePage.Mistake(
        field: .present, text: "There were several wrong passphrases, so this was not looked at.",
        hint: "Try again in \(Units.count(seconds, "second")).", status: 429, waitSeconds: seconds)
    }
  }

  /// The address of the first page after a login with a code.
  static func welcome(before next: String) -> String { "/welcome?next=" + PercentCode.encode(next) }

  /// The first page after a login with a code: it says as whom, and asks for a passphrase.
  private func welcome(_ request: Request, _ context: ServedContext) async throws -> Response {
    let next = ReturnPath.withoutEffect(request.fields["next"])
    guard let visitor = context.visitor, visitor.session != nil else {
      return Response.seeOther(next)
    }
    let users = try await access.users.fetch()
    let hasPassphrase = users.withPassphrase.contains(visitor.user.id)
    let page = PassphrasePage(
      user: visitor.user, hasPassphrase: hasPassphrase, next: next,
      isSet: hasPassphrase && request.fields["done"] != nil
    ).page()
    return try await shell.response(page, address: "/", for: visitor)
  }

  private func addToken(_ form: SentFields, _ context: ServedContext) async throws -> Response {
    _ = try context.fetchSession()
    let visitor = try context.fetchVisitor()
    let scope = form["scope"].flatMap(Right.init) ?? .read
    try visitor.check(scope)
    let now = access.now()
    let days = form["days"].flatMap { Int($0) }.flatMap {
      AccountSections.tokenDays.contains($0) ? $0 : nil
    }
    let text = try APITokenText.make()
    let token = try await access.store.addToken(
      APIToken(
        id: 0, user: visitor.user.id, name: form["name"] ?? "", scope: scope, createdAt: now,
        expiresAt: days.map { now + Double($0) * 86_400 }),
      hash: try APITokenText.hash(of: text))
    context.record.note("name", token.name)
    context.record.note("scope", token.scope.rawValue)
    var page = Page("token", title: "New API token", menuEntry: .settings) { fields in
      fields.set("tokenName", token.name)
      fields.set("tokenText", text)
      fields.set("scope", token.scope.rawValue)
      fields.set("expires", token.expiresAt)
    }
    page.back = SettingsSection.devices.path
    return try await shell.response(page, address: "/settings", for: visitor)
  }
}

struct UserRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell

  func add(to router: Router<ServedContext>) {
    router.get("/users") { request, context in
      let visitor = try context.fetchVisitor()
      let out = request.fields["out"].flatMap { Int64($0) }
      return try await shell.response(
        try await UsersPage(access: access, visitor: visitor, loggedOut: out).page(),
        address: "/users", for: visitor)
    }
    router.form("/users") { form, request, context in
      let role = try Self.role(form["role"] ?? User.Role.member.rawValue)
      let name = form["name"] ?? ""
      context.record.note("account", name)
      context.record.note("role", role.rawValue)
      let user: User
      do {
        user = try await access.store.addUser(named: name, role: role)
      } catch let error as OffersError where error.code == .invalidRequest {
        return try await again(
          UsersPage.Refused(user: nil, name: name, role: role, error: error), context)
      }
      var cookies: [String] = []
      // From the first user besides the owner on, the server requires a login. The owner's browser
      // stays logged in.
      let visitor = try context.fetchVisitor()
      if case .thisMachine = visitor.proof {
        cookies = try await access.startSession(
          of: User.ownerID, on: .invitation(visitor.permit), request, context.client)
      }
      return Response.seeOther("/users#user-\(user.id)", cookies: cookies)
    }
    router.form("/users/:id") { form, _, context in
      let visitor = try context.fetchVisitor()
      let user = try await fetchUser(context)
      let role = try form["role"].map(Self.role)
      context.record.note("name", form["name"])
      context.record.note("role", role?.rawValue)
      if user.id == visitor.user.id, let role, role != visitor.user.role {
        throw OffersError(
          .invalidRequest, "Your own role cannot be changed here.",
          hint: "Ask another admin, or use: offers user role")
      }
      do {
        try await access.store.changeUser(user.id, name: form["name"], role: role)
      } catch let error as OffersError where error.code == .invalidRequest {
        return try await again(
          UsersPage.Refused(
            user: user.id, name: form["name"] ?? "", role: role ?? user.role, error: error),
          context)
      }
      return Response.seeOther("/users#user-\(user.id)")
    }
    router.post("/users/:id/log-out") { _, context in
      let user = try await fetchUser(context)
      try await access.end(try await access.fetchSessions(of: user.id))
      return Response.seeOther("/users?out=\(user.id)#user-\(user.id)")
    }
  }

  /// The user that the path names.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none; `Problem` with status 403 for the owner,
  ///   unless the request is from them.
  private func fetchUser(_ context: ServedContext) async throws -> User {
    guard let id = Int64(try context.parameters.require("id")),
      let user = try await access.users.fetch().find(id)
    else { throw OffersError(.notFound, "There is no such user: they were removed.") }
    context.record.note("account", user.name)
    try context.fetchVisitor().checkMayManage(user)
    return user
  }

  private func again(
    _ refused: UsersPage.Refused, _ context: ServedContext
  ) async throws -> Response {
    let visitor = try context.fetchVisitor()
    return try await shell.response(
      try await UsersPage(access: access, visitor: visitor, refused: refused).page(),
      address: "/users", for: visitor)
  }

  private static func role(_ text: String) throws -> User.Role {
    guard let role = User.Role(rawValue: text) else {
      throw Problem(.badRequest, "“\(text.prefix(80))” is not a role.")
    }
    return role
  }
}
