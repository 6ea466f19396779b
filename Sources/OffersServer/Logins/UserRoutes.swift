import HTTPTypes
import Hummingbird
import OffersCore

/// The page of the users, and its forms, for admins.
struct UserRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell

  func add(to router: Router<ServedContext>) {
    router.get("/users") { request, context in
      let visitor = try context.fetchVisitor()
      let out = SentFields(parsing: request.uri.query ?? "")["out"].flatMap { Int64($0) }
      return try await shell.response(
        try await UsersPage(access: access, visitor: visitor, loggedOut: out).page(),
        address: "/users", for: visitor)
    }
    router.post("/users") { request, context in
      let form = SentFields(try await URLEncodedForm.read(request))
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
    router.post("/users/:id") { request, context in
      let form = SentFields(try await URLEncodedForm.read(request))
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

  /// The page with a form that was refused.
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
