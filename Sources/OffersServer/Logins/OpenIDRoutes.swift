import HTTPTypes
import Hummingbird
import Logging
import OffersCore

/// The routes by which people log in at an OpenID provider, and connect their login there to their user
/// here. Without a provider they answer with status 404.
struct OpenIDRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell
  let logger: Logger
  /// Bounds the lines of the log, which everybody can cause.
  private let refusals: LoginRefusalLog

  init(access: VisitorAuthentication, shell: PageShell, logger: Logger) {
    self.access = access
    self.shell = shell
    self.logger = logger
    refusals = LoginRefusalLog(logger)
  }

  func add(to router: Router<ServedContext>) {
    router.form("/login/oidc") { form, request, _ in
      let provider = try fetchProvider()
      let next = ReturnPath.withoutEffect(form["next"])
      return try await answer(request, provider) {
        try await begin(.logIn, next: next, request, provider)
      }
    }
    router.get(.init(OpenIDProvider.callbackPath)) { request, context in
      let provider = try fetchProvider()
      return try await answer(request, provider) {
        try await finish(request.fields, request, context, provider)
      }
    }
    router.post("/identity") { request, context in
      let visitor = try context.fetchVisitor()
      let session = try fetchSession(context, visitor)
      let provider = try fetchProvider()
      let purpose = PendingLogin.Purpose.connect(
        visitor.user.id, session: session?.id.hexadecimal)
      return try await answer(request, provider, visitor) {
        try await begin(purpose, next: SettingsSection.people.path, request, provider, visitor)
      }
    }
    router.post("/identity/remove") { _, context in
      let visitor = try context.fetchVisitor()
      _ = try fetchSession(context, visitor)
      let issuer = try fetchProvider().settings.issuer
      try await access.store.removeIdentity(of: issuer, from: visitor.user.id)
      return Response.seeOther(SettingsSection.people.path)
    }
  }

  private func fetchProvider() throws -> OpenIDProvider {
    guard let provider = access.provider else {
      throw Problem(.notFound, "This server has no OpenID provider.", code: .notFound)
    }
    return provider
  }

  /// The session of a visitor; nil on a server that requires no login.
  ///
  /// - Throws: `Problem` with status 403 for a visitor without either.
  private func fetchSession(_ context: ServedContext, _ visitor: Visitor) throws -> Session? {
    if case .thisMachine = visitor.proof { return nil }
    return try context.fetchSession()
  }

  /// The page that sends a browser to the provider. It is no redirect: browsers apply `form-action` of
  /// the page with the form to redirects, too, and the provider may redirect to any other host.
  private func begin(
    _ purpose: PendingLogin.Purpose, next: String, _ request: Request, _ provider: OpenIDProvider,
    _ visitor: Visitor? = nil
  ) async throws -> Response {
    let (url, cookie) = try await provider.begin(
      purpose, next: next, server: try server(of: request))
    let page = NoticePage.page(
      "Log in at \(provider.settings.host)", "Your browser goes there now.", details: nil,
      icon: "web", links: [("Continue", url)])
    var response = try NoticePage.response(page, address: request.uri.path, in: shell, by: visitor)
    response.headers[.setCookie] = cookie
    if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0; url=\(url)" }
    return response
  }

  /// The URL by which a browser reaches this server, as its form says. Its host was checked to be that
  /// of the request, and to be a name of this server.
  private func server(of request: Request) throws -> String {
    if let origin = request.namedOrigin { return origin + shell.basePath.text }
    return try request.server(isSecure: access.settings.isSecure, below: shell.basePath)
  }

  /// Ends a login with the answer of the provider, which the browser brings.
  private func finish(
    _ fields: SentFields, _ request: Request, _ context: ServedContext, _ provider: OpenIDProvider
  ) async throws -> Response {
    let login = try await provider.logins.end(fields["state"] ?? "", of: request)
    // An answer of another provider is not for this one (RFC 9207).
    if let issuer = fields["iss"], issuer != provider.settings.issuer {
      throw Problem(.badRequest, "This answer is of another provider.", hint: "Begin again.")
    }
    if let error = fields["error"] { throw refusal(error, provider) }
    guard let code = fields["code"], code.utf8.count <= 4096 else {
      throw Problem(.badRequest, "The provider sent no code.", hint: "Begin again.")
    }
    switch login.purpose {
    case .logIn:
      let identity = try await fetchIdentity(for: code, of: login, context, provider)
      guard let user = try await access.store.findUser(with: identity) else {
        throw Problem(
          .forbidden, "This login at \(provider.settings.host) belongs to no user here.",
          hint: "Log in another way once and connect it in the settings, or ask an admin.",
          code: .notFound)
      }
      context.record.note("by", provider.settings.host)
      return Response.seeOther(
        login.next,
        cookies: try await access.startSession(
          of: user, on: .identity(identity), request, context.client))
    case .connect(let user, let session):
      let permit = try await fetchPermit(session, of: user, request)
      let identity = try await fetchIdentity(for: code, of: login, context, provider)
      try await WritePermit.$current.withValue(permit) {
        try await access.store.addIdentity(identity, to: user, at: access.now())
      }
      context.record.did("identity added")
      try await access.users.fetch().find(user).map(context.record.isBy)
      return Response.seeOther(login.next)
    }
  }

  /// The identity for a code. The login counts as used then, also at other servers of the same store.
  private func fetchIdentity(
    for code: String, of login: PendingLogin, _ context: ServedContext, _ provider: OpenIDProvider
  ) async throws -> Identity {
    let identity = try await provider.fetchIdentity(for: code, of: login, from: context.client)
    let use = LoginAttempts.use(of: login.state)
    guard await access.attempts.begin([use], context.client) == nil else {
      throw PendingLogins.refusal
    }
    return identity
  }

  /// The permit to write for the user who began to connect a login.
  ///
  /// - Throws: `Problem` with status 403 if the browser is not logged in as that user any more.
  private func fetchPermit(
    _ session: String?, of user: User.ID, _ request: Request
  ) async throws -> WritePermit {
    let present = try await access.findSession(of: request)
    if let found = try await access.users.fetch().find(user) {
      if let session, let present, present.user == user, present.id.hexadecimal == session {
        return Visitor(found, .session(present)).permit
      }
      if session == nil, try await !access.requiresLogin() {
        return Visitor(found, .thisMachine).permit
      }
    }
    throw Problem(
      .forbidden, "This browser is not logged in as before any more.",
      hint: "Log in, and connect the login again.")
  }

  private func refusal(_ error: String, _ provider: OpenIDProvider) -> any Error {
    if error == "access_denied" {
      return Problem(
        .forbidden, "The login at \(provider.settings.host) was cancelled or refused.",
        hint: "Try again, or log in another way.")
    }
    return OffersError(
      .sourceFailed,
      "\(provider.settings.host) could not log you in: “\(OpenIDProvider.harmlessCode(error))”.",
      hint: "Try again later, or log in another way.")
  }

  /// Runs a step of a login. Its errors are shown as a page, which leads back to the login or the
  /// settings, and logged; they contain no code, no token and no secret. The browser's login ends.
  private func answer(
    _ request: Request, _ provider: OpenIDProvider, _ visitor: Visitor? = nil,
    _ step: () async throws -> Response
  ) async throws -> Response {
    let isEnd = request.method == .get
    var response: Response
    do {
      response = try await step()
    } catch let error
      where error is Problem || error is OffersError && !error.isCancellation
    {
      let problem = error as? OffersError
      if refusals.admit(at: access.now()) {
        logger.warning(
          "login at the OpenID provider refused",
          metadata: [
            "reason": "\(problem?.message ?? (error as? Problem)?.detail ?? "")",
            "cause": "\(problem?.cause ?? "none")",
          ])
      }
      let isLoggedIn = try await access.findSession(of: request) != nil || visitor != nil
      response = try NoticePage.response(
        to: request, for: error, in: shell, by: visitor,
        links: isLoggedIn ? [("Settings", "/settings")] : [("Log in", "/login")])
    }
    if isEnd {
      response.headers.append(HTTPField(name: .setCookie, value: provider.logins.removal))
    }
    return response
  }
}
