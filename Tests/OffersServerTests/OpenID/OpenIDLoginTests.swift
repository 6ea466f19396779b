import Foundation
import HTTPTypes
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Logins at an OpenID provider")
struct OpenIDLoginTests {
  /// A server with two users and a provider.
  private struct Served {
    let home: ServedHome
    let clock = SteppedClock()
    let log = RecordedLog()
    let provider: ScriptedProvider
    let server: OffersServer
    let ben: User

    init(secret: Bool = true) async throws {
      home = try await ServedHome(feeds: [])
      ben = try await home.addUser("Ben", .member)
      provider = ScriptedProvider(clock)
      var path: String?
      if secret {
        let file = try home.folder.write(ScriptedProvider.secret + "\n", to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        path = file
      }
      server = try home.server(
        openID: provider.settings(secretFile: path), clock: clock, log: log)
    }

    func cookie(of user: User) async throws -> String {
      try await home.cookie(of: user, at: clock.now)
    }

    func link(_ subject: String, to user: User) async throws {
      try await home.database.addIdentity(
        try Identity(issuer: ScriptedProvider.issuer, subject: subject), to: user.id,
        at: clock.now)
    }
  }

  @Test("the end of a login, which writes a session, has no deadline")
  func noDeadline() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    var responder = served.server.responder()
    responder.readLimit = .zero
    let client = TestClient(responder)
    let answer = try await ProviderVisit(client, served.provider).finish(as: "ben")
    #expect(answer.status == 303)
    #expect(answer.headers[values: .setCookie].contains { $0.hasPrefix("offers-session=") })
  }

  @Test("a user connects a login in the settings, logs in with it, and disconnects it")
  func wholeWay() async throws {
    let served = try await Served()
    let client = try served.home.client(served.server)
    let provider = served.provider
    let desk = try await served.cookie(of: served.ben)
    let login = try await client.get("/login")
    #expect(login.text.contains("Log in with login.example"))
    var settings = try await client.by(desk).get("/settings/people")
    #expect(settings.text.contains("Connect login.example"))
    // An unknown identity makes no user, whatever its e-mail address and name are.
    let unknown = try await ProviderVisit(client, provider).finish(as: "ben@provider")
    #expect(unknown.status == 403)
    #expect(unknown.text.contains("belongs to no user here"))
    #expect(unknown.text.contains("connect it in the settings"))
    #expect(unknown.session == nil)
    #expect(unknown.endsVisit)
    #expect(try await served.home.database.fetchUsers().count == 2)

    let connected = try await ProviderVisit(client, provider, path: "/identity", cookie: desk)
      .finish(as: "ben@provider")
    #expect(connected.status == 303)
    #expect(connected.headers[.location] == "/settings/people")
    #expect(connected.session == nil)
    settings = try await client.by(desk).get("/settings/people")
    #expect(settings.text.contains("Disconnect"))

    let answer = try await ProviderVisit(client, provider).finish(as: "ben@provider")
    #expect(answer.status == 303)
    #expect(answer.headers[.location] == "/favorites")
    #expect(answer.endsVisit)
    let session = try #require(answer.session)
    let page = try await client.by(session).get("/")
    #expect(page.text.contains("data-user=\"\(served.ben.id)\""))

    #expect(try await client.by(session).form("/identity/remove").status == 303)
    let late = try await ProviderVisit(client, provider).finish(as: "ben@provider")
    #expect(late.status == 403)
    #expect(late.session == nil)
  }

  @Test("the provider gets the verifier of the challenge, the redirect URL and the client's secret")
  func request() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    let client = try served.home.client(served.server)
    let visit = try await ProviderVisit(client, served.provider)
    #expect(visit.fields["response_type"] == "code")
    #expect(visit.fields["scope"] == "openid")
    #expect(visit.fields["client_id"] == ScriptedProvider.clientID)
    #expect(visit.fields["code_challenge_method"] == "S256")
    let redirect = "http://localhost/login/oidc/callback"
    #expect(visit.fields["redirect_uri"] == redirect)
    #expect(try await visit.finish(as: "ben").status == 303)
    let sent = try #require(served.provider.state.withLock { $0.posted }.last)
    #expect(sent.form["grant_type"] == "authorization_code")
    #expect(sent.form["redirect_uri"] == redirect)
    #expect(sent.form["code_verifier"]?.utf8.count == 43)
    #expect(sent.form["client_id"] == nil)
    let pair = "offers:the%20client%27s%20secret%20of%2032%20bytes%20or%20more%3A%207%25"
    #expect(sent.authorization == "Basic " + Data(pair.utf8).base64EncodedString())
    // The values of another login differ.
    let other = try await ProviderVisit(client, served.provider)
    for name in ["state", "nonce", "code_challenge"] {
      #expect(other.fields[name]?.utf8.count == 43)
      #expect(other.fields[name] != visit.fields[name])
    }
  }

  @Test("a public client sends its id; a secret goes into the form if the provider wants it there")
  func clients() async throws {
    let url = ScriptedProvider.issuer + "/.well-known/openid-configuration"
    let methods = #","token_endpoint_auth_methods_supported":["client_secret_post"]}"#
    for isPublic in [true, false] {
      let served = try await Served(secret: !isPublic)
      try await served.link("ben", to: served.ben)
      if !isPublic {
        let text = String(ScriptedProvider.description().dropLast()) + methods
        served.provider.change { $0.answers[url] = ScriptedProvider.answer(text) }
      }
      let client = try served.home.client(served.server)
      let answer = try await ProviderVisit(client, served.provider).finish(as: "ben")
      #expect(answer.status == 303)
      let sent = try #require(served.provider.state.withLock { $0.posted }.last)
      #expect(sent.authorization == nil)
      #expect(sent.form["client_id"] == ScriptedProvider.clientID)
      #expect(sent.form["client_secret"] == (isPublic ? nil : ScriptedProvider.secret))
    }
  }

  @Test("a login ends only in the browser in which it began, once, within ten minutes")
  func browsers() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    let client = try served.home.client(served.server)
    let visit = try await ProviderVisit(client, served.provider)
    let other = try await ProviderVisit(client, served.provider)
    // The link of an attacker's login, opened in another browser.
    let code = served.provider.authorize("ben", visit.fields)
    let forged = visit.cookie.prefix { $0 != "." } + other.cookie.drop { $0 != "." }
    for cookie in [other.cookie, String(forged), "offers-openid=x", "offers-openid=", ""] {
      let answer = try await visit.finish(code: code, cookie: cookie)
      #expect(answer.status == 400)
      #expect(answer.text.contains("did not begin in this browser"))
      #expect(answer.session == nil)
    }
    let wrong = try await visit.finish(code: code, state: other.fields["state"])
    #expect(wrong.status == 400)
    // None of that has reached the provider.
    #expect(served.provider.state.withLock { $0.posted }.isEmpty)
    #expect(try await visit.finish(code: code).session != nil)
    // Neither the provider accepts the code again, nor this server the login with another code.
    for another in [code, served.provider.authorize("ben", visit.fields)] {
      let again = try await visit.finish(code: another)
      #expect(again.status == 400)
      #expect(again.session == nil)
    }
    served.clock.advance(by: 599)
    #expect(try await other.finish(as: "ben").session != nil)
    let late = try await ProviderVisit(client, served.provider)
    served.clock.advance(by: 600)
    #expect(try await late.finish(as: "ben").status == 400)
  }

  @Test("a login ends at any server of the same database, with and without a client secret")
  func otherServer() async throws {
    for hasSecret in [true, false] {
      let served = try await Served(secret: hasSecret)
      try await served.link("ben", to: served.ben)
      // Each has a memory of its own.
      let visit = try await ProviderVisit(
        try served.home.client(served.server), served.provider)
      let client = try served.home.client(served.server)
      let answer = try await Self.finish(visit, client, served.provider)
      #expect(answer.status == 303)
      #expect(answer.session != nil)
    }
  }

  @Test(
    "the cookie of a login tells nothing of the client secret: another database has another key")
  func otherDatabase() async throws {
    let served = try await Served()
    let other = try await Served()
    try await other.link("ben", to: other.ben)
    let visit = try await ProviderVisit(
      try served.home.client(served.server), served.provider)
    let client = try other.home.client(other.server)
    let answer = try await Self.finish(visit, client, other.provider)
    #expect(answer.status == 400)
    #expect(answer.session == nil)
  }

  /// Ends a login at a server that may be another one than that at which it began.
  private static func finish(
    _ visit: ProviderVisit, _ client: TestClient, _ provider: ScriptedProvider
  ) async throws -> APIAnswer {
    let code = provider.authorize("ben", visit.fields)
    return try await client.by(visit.cookie).get(
      "/login/oidc/callback?code=\(code)&state=\(visit.fields["state"] ?? "")")
  }

  @Test("logins that strangers begin displace nobody's")
  func flood() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    let client = try served.home.client(served.server)
    let visit = try await ProviderVisit(client, served.provider)
    for _ in 0..<200 {
      let stranger = try await ProviderVisit(client, served.provider)
      #expect(try await stranger.finish(code: "guessed").status == 400)
    }
    #expect(try await visit.finish(as: "ben").session != nil)
  }

  @Test("only a path of this server is returned to")
  func redirects() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    let cases = [
      ("/feeds/ibotta?sort=new", "/feeds/ibotta?sort=new"), ("https://evil.example/", "/"),
      ("//evil.example", "/"), ("/\\evil.example", "/"), ("", "/"),
      ("/" + String(repeating: "a", count: 600), "/"), ("/web?url=x", "/web"),
    ]
    let client = try served.home.client(served.server)
    for (next, target) in cases {
      let visit = try await ProviderVisit(
        client, served.provider, "next=\(PercentCode.encode(next))")
      #expect(try await visit.finish(as: "ben").headers[.location] == target)
    }
  }

  @Test("a login of another user is not connected, nor a second one to the same user")
  func taken() async throws {
    let served = try await Served()
    try await served.link("ben", to: served.ben)
    let ana = try await served.home.addUser("Ana", .member)
    let client = try served.home.client(served.server)
    for (user, subject, words) in [
      (ana, "ben", "connected to another user already"),
      (served.ben, "second", "Another login of this provider"),
    ] {
      let cookie = try await served.cookie(of: user)
      let answer = try await ProviderVisit(
        client, served.provider, path: "/identity", cookie: cookie
      ).finish(as: subject)
      #expect(answer.status == 400)
      #expect(answer.text.contains(words))
    }
    let answer = try await ProviderVisit(client, served.provider).finish(as: "ben")
    let session = try #require(answer.session)
    let page = try await client.by(session).get("/")
    #expect(page.text.contains("data-user=\"\(served.ben.id)\""))
    let issuer = ScriptedProvider.issuer
    #expect(try await served.home.database.fetchUsers(withIdentityOf: issuer) == [served.ben.id])
  }

  @Test("a login is connected only while the browser is still logged in as before")
  func changedSession() async throws {
    let served = try await Served()
    let ana = try await served.home.addUser("Ana", .member)
    let client = try served.home.client(served.server)
    let (his, hers) = (
      try await served.cookie(of: served.ben), try await served.cookie(of: ana)
    )
    for cookie in [hers, "offers-session=" + String(repeating: "0", count: 64), ""] {
      let visit = try await ProviderVisit(
        client, served.provider, path: "/identity", cookie: his)
      let own = visit.cookie.dropFirst(his.count + 2)
      let answer = try await visit.finish(
        code: served.provider.authorize("x", visit.fields), cookie: "\(cookie); \(own)")
      #expect(answer.status == 403)
      #expect(answer.text.contains("not logged in as before"))
    }
    // A program with a token connects nothing.
    let bearer = try await served.home.bearer(
      of: served.ben, .admin, named: "program", at: served.clock.now)
    #expect(try await client.with(.authorization, bearer).form("/identity").status == 403)
    // Nor does a form of another site.
    let foreign = try await client.by(his).form("/identity", origin: "https://evil.example")
    #expect(foreign.status == 403)
    let issuer = ScriptedProvider.issuer
    #expect(try await served.home.database.fetchUsers(withIdentityOf: issuer) == [])
  }

  @Test("on a server for this machine, whose owner needs no login, the owner connects one")
  func loopbackOwner() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let provider = ScriptedProvider(clock)
    let server = try home.server(openID: provider.settings(), clock: clock)
    let client = try home.client(server)
    let settings = try await client.get("/settings/people")
    #expect(settings.text.contains("Connect login.example"))
    let answer = try await ProviderVisit(client, provider, path: "/identity").finish(as: "me")
    #expect(answer.status == 303)
    #expect(
      try await home.database.fetchUsers(withIdentityOf: ScriptedProvider.issuer)
        == [User.ownerID])
    // Once a login is required, the owner of before is unknown.
    let pending = try await ProviderVisit(client, provider, path: "/identity")
    try await home.addUser("Ben", .member)
    #expect(try await pending.finish(as: "me").status == 403)
    #expect(try await ProviderVisit(client, provider).finish(as: "me").session != nil)
  }

  @Test("with a login of an admin at the provider, other machines may reach the server")
  func isLogin() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let settings = try ScriptedProvider(clock).settings()
    let server = try home.server(openID: settings, host: "0.0.0.0")
    await #expect(throws: OffersError.self) { try await server.checkLogins() }
    let identity = try Identity(issuer: settings.issuer, subject: "me")
    try await home.database.addIdentity(identity, to: User.ownerID, at: clock.now)
    try await server.checkLogins()
  }

  @Test("behind TLS the cookie of a login is sent by https only, and the provider sends there")
  func secure() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.addUser("Ben", .member)
    let clock = SteppedClock()
    let provider = ScriptedProvider(clock)
    let client = try home.client(
      home.server(isBehindTLS: true, openID: provider.settings(), clock: clock))
    let answer = try await client.form("/login/oidc", "next=/", origin: "https://localhost")
    let cookie = try #require(answer.headers[.setCookie])
    #expect(cookie.hasPrefix("__Host-offers-openid="))
    #expect(cookie.contains("; Secure"))
    let refresh = try #require(HTTPField.Name("Refresh"))
    let url = try #require(answer.headers[refresh])
    #expect(url.contains("redirect_uri=https:%2F%2Flocalhost%2Flogin%2Foidc%2Fcallback&"))
  }
}
