import HTTPTypes
import Hummingbird
import OffersCore

/// The routes of the login page, which exchanges a passphrase or the token for a session, and of the
/// logout.
struct LoginRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell

  /// Whether a path is accessible without the token: the login, the pairing and the logout, the assets
  /// and the checks of health and readiness, none of which contains data of a user; and the addresses of feeds, which
  /// have a secret of their own.
  static func isOpen(_ path: String) -> Bool {
    openPaths.contains(path) || path.hasPrefix("/assets/") || FeedAddress.isPath(path)
  }

  private static let openPaths: Set<String> = [
    "/login", "/login/oidc", OpenIDProvider.callbackPath, "/logout", "/pair", "/api/v1/health",
    "/api/v1/ready", "/manifest.webmanifest", "/favicon.ico",
  ]

  func add(to router: Router<ServedContext>) {
    router.get("/login") { request, _ in
      let next = ReturnPath.withoutEffect(request.fields["next"])
      guard try await access.requiresLogin() else { return Response.seeOther(next) }
      // A logout removes the cookie. One that is still sent belongs to a session that ended elsewhere.
      var wasLoggedOut = !access.sessionCookies(of: request).isEmpty
      if wasLoggedOut { wasLoggedOut = try await access.findSession(of: request) == nil }
      return try await page(Sent(next: next, wasLoggedOut: wasLoggedOut))
    }
    router.form("/login") { form, request, context in
      var sent = Sent(
        next: ReturnPath.withoutEffect(form["next"]), name: form.whole("name") ?? "",
        isToken: form.whole("token") != nil)
      context.record.note("by", sent.isToken ? "token" : "passphrase")
      let login =
        if let token = form.whole("token") {
          try await access.logIn(withToken: token, request, from: context.client)
        } else {
          try await access.logIn(
            as: sent.name, form.whole("passphrase") ?? "", request, from: context.client)
        }
      switch login {
      case .session(let cookies):
        return Response.seeOther(sent.next, cookies: cookies)
      case .waiting(let seconds): sent.wait = seconds
      case .refused: break
      }
      sent.isWrong = true
      return try await page(sent)
    }
    router.post("/logout") { request, context in
      if let session = try await access.findSession(of: request),
        let user = try await access.users.fetch().find(session.user)
      {
        context.record.isBy(user)
      }
      try await access.endSessions(of: request)
      guard try await access.requiresLogin() else { return Response.seeOther("/") }
      var response = Response.seeOther("/login", cookies: [access.cookie.removal])
      // Only "cache" is cleared. The service worker deletes the stored pages: after a
      // Clear-Site-Data of "storage", Chromium can block every further use of its caches
      // (https://www.w3.org/TR/clear-site-data/).
      if let name = Self.clearSiteData { response.headers[name] = #""cache""# }
      return response
    }
  }

  private static let clearSiteData = HTTPField.Name("Clear-Site-Data")

  /// The response to a request without the token: a redirect to the login page for a browser.
  ///
  /// - Throws: `Problem` with status 401 for any other client.
  static func refuse(_ request: Request) throws -> Response {
    let isPage =
      request.method == .get && !request.uri.path.hasPrefix("/api/")
      && request.headers[.accept]?.contains("text/html") == true
    guard isPage else {
      throw Problem.unauthorized
    }
    return Response.seeOther("/login?next=" + PercentCode.encode(request.uri.string))
  }

  /// The values of a login form, and the outcome of the login.
  private struct Sent {
    let next: String
    /// Whether the browser was logged in, by a session that has ended.
    var wasLoggedOut = false
    var name = ""
    var isToken = false
    var isWrong = false
    var wait: Int?
  }

  private func page(_ sent: Sent) async throws -> Response {
    let users = try await access.users.fetch()
    let fields =
      [
        "assets": shell.assets.version, "next": sent.next,
        "isWrongToken": sent.isWrong && sent.isToken,
        "isWrongPassphrase": sent.isWrong && !sent.isToken,
        "wait": sent.wait.map { Units.count($0, "second") }, "name": sent.name,
        "wasLoggedOut": sent.wasLoggedOut, "hasPassphrases": !users.withPassphrase.isEmpty,
        "hasToken": access.settings.token != nil, "provider": access.provider?.settings.host,
      ] as PageFields
    return .login(
      try shell.document("login", fields), isRefused: sent.isWrong, waitSeconds: sent.wait)
  }
}

extension Response {
  /// A page of a login: with status 401 after what was wrong, and 429 after what was not looked at because of a
  /// wait. The connection is then closed.
  static func login(_ html: String, isRefused: Bool, waitSeconds: Int?) -> Response {
    var response = page(
      html, status: !isRefused ? .ok : waitSeconds == nil ? .unauthorized : .tooManyRequests)
    response.headers[.retryAfter] = waitSeconds.map(String.init)
    if isRefused { response.headers[.connection] = "close" }
    return response
  }
}
