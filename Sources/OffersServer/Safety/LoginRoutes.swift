import HTTPTypes
import Hummingbird
import OffersCore

/// The routes of the login page, which exchanges the token for a session cookie, and of the logout.
struct LoginRoutes: Sendable {
  let token: AccessToken

  /// Whether a path is accessible without the token: the login and the logout, the assets and the
  /// health check, none of which contains data of a user.
  static func isOpen(_ path: String) -> Bool {
    openPaths.contains(path) || path.hasPrefix("/assets/")
  }

  private static let openPaths: Set<String> = [
    "/login", "/logout", "/api/v1/health", "/manifest.webmanifest", "/favicon.ico",
  ]

  /// The lifetime of the cookie: 30 days. A new token invalidates it earlier.
  private static let cookieSeconds = 30 * 86_400

  func add(to router: Router<BasicRequestContext>) {
    router.get("/login") { request, _ in
      Self.page(next: Self.next(FieldList.parse(request.uri.query ?? "")["next"]), isWrong: false)
    }
    router.post("/login") { request, _ in
      let form = try await FieldList.read(request)
      let next = Self.next(form["next"])
      guard token.isToken(form["token"] ?? "") else { return Self.page(next: next, isWrong: true) }
      return Response(
        status: .seeOther,
        headers: [
          .location: next, .cacheControl: "no-store",
          .setCookie: Self.cookie(token.cookie, seconds: Self.cookieSeconds),
        ])
    }
    router.post("/logout") { _, _ in
      var headers: HTTPFields = [
        .location: "/login", .cacheControl: "no-store",
        .setCookie: Self.cookie("", seconds: 0),
      ]
      // Only "cache" is cleared. The service worker deletes the stored pages: after a
      // Clear-Site-Data of "storage", Chromium can block every further use of its caches
      // (https://www.w3.org/TR/clear-site-data/).
      if let name = Self.clearSiteData { headers[name] = #""cache""# }
      return Response(status: .seeOther, headers: headers)
    }
  }

  private static let clearSiteData = HTTPField.Name("Clear-Site-Data")

  private static func cookie(_ value: String, seconds: Int) -> String {
    "\(AccessToken.cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
  }

  /// The response to a request without the token: a redirect to the login page for a browser.
  ///
  /// - Throws: `Problem` with status 401 for any other client.
  static func refuse(_ request: Request) throws -> Response {
    let isPage =
      request.method == .get && !request.uri.path.hasPrefix("/api/")
      && request.headers[.accept]?.contains("text/html") == true
    guard isPage else {
      var problem = Problem(
        .unauthorized, "This server requires a token.",
        hint: "Send it as Authorization: Bearer TOKEN, or open /login in a browser.")
      problem.headers[.wwwAuthenticate] = "Bearer realm=\"offers\""
      throw problem
    }
    return Response(
      status: .seeOther,
      headers: [
        .location: "/login?next=" + PercentCode.encode(request.uri.string),
        .cacheControl: "no-store",
      ])
  }

  /// The path to redirect to after the login. Any text but a path of this server in printable ASCII
  /// gives the start page, so that a link to the login page cannot lead to another server.
  private static func next(_ text: String?) -> String {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasPrefix("/\\"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return "/" }
    return text
  }

  private static func page(next: String, isWrong: Bool) -> Response {
    let note = isWrong ? "<p role=\"alert\">This token is not correct.</p>" : ""
    let html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Log in · offers</title>
      <link rel="stylesheet" href="/assets/app.css">
      </head>
      <body>
      <main>
      <h1>Log in</h1>
      \(note)
      <form method="post" action="/login">
      <input type="hidden" name="next" value="\(escaped(next))">
      <p><label>Token <input type="password" name="token" required autofocus
        autocomplete="current-password"></label></p>
      <p><button>Log in</button></p>
      </form>
      <p>The token is in the file that <code>offers serve --token-file</code> names.</p>
      </main>
      </body>
      </html>
      """
    var headers = SecurityHeaders.fields()
    headers[.contentType] = "text/html; charset=utf-8"
    headers[.cacheControl] = "no-store"
    return Response(
      status: isWrong ? .unauthorized : .ok, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  private static func escaped(_ text: String) -> String {
    text.flatMap { character -> [Character] in
      switch character {
      case "&": Array("&amp;")
      case "<": Array("&lt;")
      case ">": Array("&gt;")
      case "\"": Array("&quot;")
      case "'": Array("&#39;")
      default: [character]
      }
    }.reduce(into: "") { $0.append($1) }
  }
}
