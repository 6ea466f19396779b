import Foundation
import HTTPTypes
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Answers of an OpenID provider that are refused")
struct OpenIDRefusalTests {
  private static let discovery = ScriptedProvider.issuer + "/.well-known/openid-configuration"
  private static let start = SteppedClock().now.timeIntervalSince1970

  /// A server with a user whose login is connected.
  private static func served(
    log: RecordedLog? = nil
  ) async throws -> (ServedHome, ScriptedProvider, SteppedClock, OffersServer) {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let ben = try await home.addUser("Ben", .member)
    try await home.database.addIdentity(
      try Identity(issuer: ScriptedProvider.issuer, subject: "ben"), to: ben.id, at: clock.now)
    let provider = ScriptedProvider(clock)
    let server = try home.server(openID: provider.settings(), clock: clock, log: log)
    return (home, provider, clock, server)
  }

  /// A kind of tokens, and why they are refused; nil if they are accepted.
  struct Token<Making: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String?
    let make: Making

    init(_ name: String, _ reason: String?, _ make: Making) {
      testDescription = name
      self.reason = reason
      self.make = make
    }
  }

  /// A token with changed claims.
  typealias Change = Token<@Sendable (inout [String: ScriptedProvider.Claim]) -> Void>
  /// A token in another form.
  typealias Form = Token<@Sendable ([String: ScriptedProvider.Claim]) throws -> String>

  private static let changes = [
    Change("a slash more in the issuer", "is of another issuer") {
      $0["iss"] = .text(ScriptedProvider.issuer + "/")
    },
    Change("another audience", "is meant for another client") { $0["aud"] = .text("other") },
    Change("no audience", "lacks a claim") { $0["aud"] = nil },
    Change("an empty list of audiences", "is meant for another client") { $0["aud"] = .texts([]) },
    Change("several audiences without a party", "is meant for another client") {
      $0["aud"] = .texts([ScriptedProvider.clientID, "other"])
    },
    Change("several audiences for another party", "is meant for another client") {
      $0["aud"] = .texts([ScriptedProvider.clientID, "other"])
      $0["azp"] = .text("other")
    },
    Change("one audience for another party", "is meant for another client") {
      $0["azp"] = .text("other")
    },
    Change("several audiences for this client", nil) {
      $0["aud"] = .texts(["other", ScriptedProvider.clientID])
      $0["azp"] = .text(ScriptedProvider.clientID)
    },
    Change("expired a minute ago", "has expired") { $0["exp"] = .number(start - 60) },
    Change("expired less than a minute ago", nil) { $0["exp"] = .number(start - 59) },
    Change("no expiry", "lacks a claim") { $0["exp"] = nil },
    Change("issued in a minute", "is of a later time") { $0["iat"] = .number(start + 60) },
    Change("issued in less than a minute", nil) { $0["iat"] = .number(start + 59) },
    Change("no time of issue", "lacks a claim") { $0["iat"] = nil },
    Change("valid later", "is of a later time") { $0["nbf"] = .number(start + 60) },
    Change("another nonce", "belongs to another login") { $0["nonce"] = .text("x") },
    Change("no nonce", "belongs to another login") { $0["nonce"] = nil },
    Change("no subject", "lacks a claim") { $0["sub"] = nil },
    Change("no issuer", "lacks a claim") { $0["iss"] = nil },
    Change("an expiry that is a text", "has one of another type") { $0["exp"] = .text("never") },
    Change("an empty subject", "does not name a person") { $0["sub"] = .text("") },
    Change("a long subject", "does not name a person") {
      $0["sub"] = .text(String(repeating: "a", count: 256))
    },
  ]

  @Test("each claim of a token is checked", arguments: changes)
  func claims(change: Change) async throws {
    let (home, provider, _, server) = try await Self.served()
    provider.change { $0.alter = change.make }
    let client = try home.client(server)
    let answer = try await ProviderVisit(client, provider).finish(as: "ben")
    #expect(answer.endsVisit)
    guard let reason = change.reason else {
      #expect(answer.status == 303)
      return
    }
    #expect(answer.status == 502)
    #expect(answer.session == nil)
    #expect(answer.text.contains("login.example sent an answer that "))
    #expect(answer.text.contains(reason))
  }

  /// A token with another header.
  private static func form(_ name: String, _ reason: String?, header: String) -> Form {
    Form(name, reason) { try ScriptedProvider.token($0, header: header) }
  }

  private static let forms = [
    // TLS vouches for the token endpoint, so that the algorithm and the key are not looked at.
    form("an elliptic curve", nil, header: #"{"alg":"ES256"}"#),
    form("the client's secret", nil, header: #"{"alg":"HS256"}"#),
    form("alg none", "is not signed", header: #"{"alg":"none"}"#),
    form("alg none in capitals", "is not signed", header: #"{"alg":"NONE"}"#),
    form("no alg", "is not signed", header: #"{"kid":"one"}"#),
    form("alg null", "is not signed", header: #"{"alg":null}"#),
    Form("no signature", "is not signed") { try ScriptedProvider.token($0, signature: "") },
    form("an unknown extension", "has extensions", header: #"{"alg":"RS256","crit":["x"],"x":1}"#),
    form("extensions null", "has extensions", header: #"{"alg":"RS256","crit":null}"#),
    form("an alg that is no text", "is not an ID token", header: #"{"alg":1}"#),
    form("a header that is no object", "is not an ID token", header: "[]"),
    form("a header that is no JSON", "is not an ID token", header: "{"),
    Form("a body that is no JSON", "lacks a claim") { _ in "eyJhbGciOiJSUzI1NiJ9.e30x.c2ln" },
    Form("an empty body", "lacks a claim") { _ in "eyJhbGciOiJSUzI1NiJ9..c2ln" },
    Form("a body that is no base64", "is not an ID token") { _ in "eyJhbGciOiJSUzI1NiJ9.*.c2ln" },
    Form("a signature that is no base64", "is not an ID token") {
      try ScriptedProvider.token($0, signature: "*")
    },
    Form("two parts", "is not an ID token") { claims in
      try ScriptedProvider.token(claims).split(separator: ".").prefix(2).joined(separator: ".")
    },
    Form("five parts, as of an encrypted token", "is not an ID token") {
      try ScriptedProvider.token($0) + ".a.b"
    },
    Form("no token", "is not an ID token") { _ in "token" },
    Form("a huge token", "is not an ID token") {
      var claims = $0
      claims["x"] = .text(String(repeating: "x", count: 20_000))
      return try ScriptedProvider.token(claims)
    },
  ]

  @Test(
    "only a token in the form of a signed one without unknown extensions counts", arguments: forms)
  func tokens(form: Form) async throws {
    let (home, provider, _, server) = try await Self.served()
    provider.change { $0.makeToken = form.make }
    let client = try home.client(server)
    let answer = try await ProviderVisit(client, provider).finish(as: "ben")
    #expect(answer.status == (form.reason == nil ? 303 : 502))
    #expect((answer.session == nil) == (form.reason != nil))
    if let reason = form.reason { #expect(answer.text.contains(reason)) }
  }

  @Test("nothing but the description is pulled from the provider, once an hour")
  func pulls() async throws {
    let (home, provider, clock, server) = try await Self.served()
    let client = try home.client(server)
    for _ in 0..<2 {
      #expect(try await ProviderVisit(client, provider).finish(as: "ben").session != nil)
    }
    #expect(provider.state.withLock { $0.pulled } == [Self.discovery])
    clock.advance(by: 3600)
    #expect(try await ProviderVisit(client, provider).finish(as: "ben").session != nil)
    #expect(provider.state.withLock { $0.pulled } == [Self.discovery, Self.discovery])
  }

  @Test(
    "a description that is not that of the issuer, or not safe, is refused",
    arguments: [
      (#"{"issuer":"#, 200, "cannot be read"), ("", 404, "answered 404"), ("", 302, "answered 302"),
      (ScriptedProvider.description(["issuer": "https://login.example/"]), 200, "calls itself"),
      (ScriptedProvider.description(["issuer": "https://evil.example"]), 200, "calls itself"),
      (ScriptedProvider.description(["token_endpoint": "http://login.example/t"]), 200, "https"),
      (ScriptedProvider.description(["token_endpoint": "http://127.0.0.1/t"]), 200, "https"),
      (ScriptedProvider.description(["token_endpoint": "ftp://login.example/t"]), 200, "https"),
      (ScriptedProvider.description(["authorization_endpoint": "javascript:x"]), 200, "https"),
    ])
  func descriptions(text: String, status: Int, reason: String) async throws {
    let (home, provider, _, server) = try await Self.served()
    provider.change {
      $0.answers[Self.discovery] = ScriptedProvider.answer(text, status: status)
    }
    let client = try home.client(server)
    let answer = try await client.with(.accept, "text/html").form("/login/oidc", "next=/")
    #expect(answer.status == 502)
    #expect(answer.headers[.setCookie] == nil)
    #expect(answer.text.contains(reason))
    #expect(answer.text.contains("Log in another way"))
  }

  @Test("a provider that cannot be reached is asked again after ten seconds, and not before")
  func down() async throws {
    let (home, provider, clock, server) = try await Self.served()
    let failure = OffersError(.sourceFailed, "login.example cannot be reached.")
    provider.change { $0.failure = failure }
    let client = try home.client(server)
    for _ in 0..<3 {
      let answer = try await client.form("/login/oidc", "next=/")
      #expect(answer.status == 502)
      #expect(answer.text.contains("login.example cannot be reached."))
    }
    #expect(provider.state.withLock { $0.pulled.count } == 1)
    // The other ways to log in are not affected.
    #expect(try await client.get("/login").status == 200)
    provider.change { $0.failure = nil }
    clock.advance(by: 10)
    let visit = try await ProviderVisit(client, provider)
    provider.change { $0.failure = failure }
    let answer = try await visit.finish(as: "ben")
    #expect(answer.status == 502)
    #expect(answer.session == nil)
  }

  @Test(
    "an error of the token endpoint gives a page",
    arguments: [
      (400, #"{"error":"invalid_grant"}"#, 400, "does not accept this login any more"),
      (401, #"{"error":"invalid_client"}"#, 502, "the error “invalid_client”"),
      (400, #"{"error":"<b>Odd One</b>"}"#, 502, "the error “bddneb”"),
      (500, "<html>", 502, "with status 500"), (302, "", 502, "with status 302"),
      (200, "{", 502, "sent no ID token"), (200, #"{"access_token":"x"}"#, 502, "sent no ID token"),
    ])
  func tokenErrors(status: Int, body: String, shown: Int, words: String) async throws {
    let (home, provider, _, server) = try await Self.served()
    provider.change {
      $0.answers[ScriptedProvider.issuer + "/token"] = ScriptedProvider.answer(
        body, status: status)
    }
    let client = try home.client(server)
    let answer = try await ProviderVisit(client, provider).finish(as: "ben")
    #expect(answer.status == shown)
    #expect(answer.text.contains(words))
    #expect(answer.session == nil)
  }

  @Test("a cancelled login and other errors of the provider give a page")
  func errors() async throws {
    let (home, provider, _, server) = try await Self.served()
    let client = try home.client(server)
    for (more, status, words) in [
      ("&error=access_denied", 403, "cancelled or refused"),
      ("&error=server_error", 502, "“server_error”"),
      ("&error=%3Cscript%3E", 502, "“script”"),
      ("&iss=https://evil.example", 400, "of another provider"),
    ] {
      let visit = try await ProviderVisit(client, provider)
      let answer = try await visit.finish(
        code: provider.authorize("ben", visit.fields), more: more)
      #expect(answer.status == status)
      #expect(answer.text.contains(words))
      #expect(answer.endsVisit)
      #expect(answer.session == nil)
    }
    let visit = try await ProviderVisit(client, provider)
    #expect(try await visit.finish(code: "").status == 400)
    let named = try await ProviderVisit(client, provider)
    let code = provider.authorize("ben", named.fields)
    let answer = try await named.finish(code: code, more: "&iss=\(ScriptedProvider.issuer)")
    #expect(answer.session != nil)
  }

  @Test("the log says why a login was refused, and has no secret")
  func logged() async throws {
    let log = RecordedLog()
    let (home, provider, _, server) = try await Self.served(log: log)
    provider.change { $0.alter = { $0["aud"] = .text("other") } }
    let client = try home.client(server)
    let visit = try await ProviderVisit(client, provider)
    _ = try await visit.finish(as: "ben")
    _ = try await ProviderVisit(client, provider).finish(code: "code-guessed")
    let text = log.lines.joined(separator: "\n")
    #expect(text.contains("is meant for another client"))
    #expect(text.contains("does not accept this login any more"))
    let secrets = [visit.cookie, visit.fields["state"], visit.fields["nonce"], "code-", "eyJ"]
    for secret in secrets.compactMap(\.self) { #expect(!text.contains(secret)) }
  }

  @Test("without a provider there is no button, and its addresses lead nowhere")
  func none() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let cookie = try await home.cookie(ofNew: "Ben", .member, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    for path in ["/login/oidc", "/identity", "/identity/remove"] {
      #expect(try await client.by(cookie).form(path).status == 404)
    }
    #expect(try await client.get("/login/oidc/callback?state=x").status == 404)
    let login = try await client.get("/login")
    #expect(!login.text.contains("/login/oidc"))
    let settings = try await client.by(cookie).get("/settings/people")
    #expect(!settings.text.contains("/identity"))
  }
}
