import HTTPTypes
import Hummingbird
import OffersCore

/// The page of the users, and its forms, for admins.
struct UserRoutes: Sendable {
  let access: AccessGate
  let shell: PageShell

  func add(to router: Router<ServedContext>) {
    router.get("/users") { _, context in
      let visitor = try context.fetchVisitor()
      return try shell.response(
        try await UsersPage(access: access, visitor: visitor).page(), address: "/users",
        for: visitor)
    }
    router.post("/users") { request, context in
      let form = SentFields(try await FieldList.read(request))
      let role = try Self.role(form["role"] ?? User.Role.member.rawValue)
      let user = try await access.store.addUser(named: form["name"] ?? "", role: role)
      var response = LoginRoutes.redirect(to: "/users#user-\(user.id)")
      // From the first user besides the owner on, the server requires a login. The owner's browser
      // stays logged in.
      if case .thisMachine = try context.fetchVisitor().proof {
        response.headers[.setCookie] = try await access.startSession(
          of: User.ownerID, request, context.client)
      }
      return response
    }
    router.post("/users/:id") { request, context in
      let form = SentFields(try await FieldList.read(request))
      let visitor = try context.fetchVisitor()
      guard let id = Int64(try context.parameters.require("id")),
        try await access.users.fetch().find(id) != nil
      else { throw OffersError(.notFound, "There is no such user: they were removed.") }
      let role = try form["role"].map(Self.role)
      if id == visitor.user.id, let role, role != visitor.user.role {
        throw OffersError(
          .invalidRequest, "Your own role cannot be changed here.",
          hint: "Ask another admin, or use: offers user role")
      }
      try await access.store.changeUser(id, name: form["name"], role: role)
      return LoginRoutes.redirect(to: "/users#user-\(id)")
    }
  }

  private static func role(_ text: String) throws -> User.Role {
    guard let role = User.Role(rawValue: text) else {
      throw Problem(.badRequest, "“\(text.prefix(80))” is not a role.")
    }
    return role
  }
}
