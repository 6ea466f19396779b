import HTTPTypes
import Hummingbird
import OffersCore

/// The routes of the login page, which exchanges the token for a session, of the logout, and of the
/// forms that end sessions.
struct LoginRoutes: Sendable {
  let access: AccessGate
  let shell: PageShell

  /// Whether a path is accessible without the token: the login, the pairing and the logout, the assets
  /// and the health check, none of which contains data of a user.
  static func isOpen(_ path: String) -> Bool {
    openPaths.contains(path) || path.hasPrefix("/assets/")
  }

  private static let openPaths: Set<String> = [
    "/login", "/logout", "/pair", "/api/v1/health", "/manifest.webmanifest", "/favicon.ico",
  ]

  func add(to router: Router<ServedContext>) {
    router.get("/login") { request, _ in
      let next = Self.next(FieldList.parse(request.uri.query ?? "")["next"])
      return try page(next: next, status: .ok, wait: nil)
    }
    router.post("/login") { request, context in
      let form = try await FieldList.read(request)
      let next = Self.next(form["next"])
      switch try await access.logIn(form["token"] ?? "", request, from: context.client) {
      case .session(let cookie):
        return Self.redirect(to: next, cookie: cookie)
      case .refused(let wait):
        return try page(
          next: next, status: wait == nil ? .unauthorized : .tooManyRequests, wait: wait)
      }
    }
    router.post("/logout") { request, _ in
      try await access.endSessions(of: request)
      var response = Self.redirect(to: "/login", cookie: access.cookie.removal)
      // Only "cache" is cleared. The service worker deletes the stored pages: after a
      // Clear-Site-Data of "storage", Chromium can block every further use of its caches
      // (https://www.w3.org/TR/clear-site-data/).
      if let name = Self.clearSiteData { response.headers[name] = #""cache""# }
      return response
    }
    router.post("/sessions/end-others") { _, context in
      let others = try await access.fetchSessions().filter { $0.id != context.visitor.session?.id }
      try await access.end(others)
      return Self.redirect(to: "/settings")
    }
    router.post("/sessions/:id/end") { _, context in
      let id = SessionCookie.bytes(hex: try context.parameters.require("id"))
      guard let session = try await access.fetchSessions().first(where: { $0.id == id }) else {
        throw OffersError(.notFound, "This browser is not logged in any more.")
      }
      try await access.end([session])
      return Self.redirect(to: "/settings")
    }
  }

  static func redirect(to path: String, cookie: String? = nil) -> Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[.setCookie] = cookie
    return Response(status: .seeOther, headers: headers)
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
      throw AccessGate.unauthorized
    }
    return Response(
      status: .seeOther,
      headers: [
        .location: "/login?next=" + PercentCode.encode(request.uri.string),
        .cacheControl: "no-store",
      ])
  }

  /// The path to redirect to after the login. `/web` and `/search` lose their query, because another
  /// site may have linked to it, and the redirect would look like a request of this one. Any text but a path of this server in printable ASCII
  /// gives the start page, so that a link to the login page cannot lead to another server.
  static func next(_ text: String?) -> String {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasPrefix("/\\"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return "/" }
    return PageRequest.withoutEffect(text)
  }

  /// The login page.
  ///
  /// - Parameters:
  ///   - next: the path to redirect to after the login.
  ///   - status: 401 after a wrong token, 429 after one within a wait. The connection is then
  ///     closed.
  ///   - wait: the time to wait in seconds; nil for none.
  private func page(next: String, status: HTTPResponse.Status, wait: Int?) throws -> Response {
    let fields = PageFields { fields in
      fields.set("assets", shell.assets.version)
      fields.set("next", next)
      fields.set("isWrong", status != .ok)
      fields.set("wait", wait.map { Units.count($0, "second") })
    }
    var headers = SecurityHeaders.fields()
    headers[.contentType] = "text/html; charset=utf-8"
    headers[.cacheControl] = "no-store"
    headers[.retryAfter] = wait.map(String.init)
    if status != .ok { headers[.connection] = "close" }
    return Response(
      status: status, headers: headers,
      body: ResponseBody(
        byteBuffer: ByteBuffer(string: try shell.templates.render("login", fields))))
  }
}
