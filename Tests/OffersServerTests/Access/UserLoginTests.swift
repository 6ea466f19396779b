import Foundation
import HTTPTypes
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Logins of users")
struct UserLoginTests {
  private static func logIn(
    _ client: TestClient, _ name: String, _ passphrase: String,
    cookie: String? = nil, address: String? = nil
  ) async throws -> APIAnswer {
    let sent = passphrase.replacingOccurrences(of: " ", with: "+")
    return try await client.by(cookie).with("X-Forwarded-For", address).form(
      "/login", "name=\(name)&passphrase=\(sent)&next=/")
  }

  @Test("without another user, a server for this machine requires no login; with one, it does")
  func begins() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    #expect(try await client.get("offers").status == 200)
    #expect(try await client.get("/login").status == 303)
    let added = try await client.form("/users", "name=Ben&role=member")
    #expect(added.status == 303)
    #expect(try await client.get("offers").status == 401)
    // The browser of the owner, who added the user, stays logged in.
    let cookie = try #require(added.cookie)
    #expect(try await client.by(cookie).get("offers").status == 200)
    #expect(
      try await client.by(cookie).get("/users").text.contains("Ben"))
  }

  @Test("a name without regard to case and a passphrase log in; a wrong one of either does not")
  func logsIn() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    try await home.addUser("Zoë", .viewer)
    let client = try home.client(home.server(clock: clock))
    for (name, passphrase) in [("zo%C3%AB", "wrong one here"), ("nobody", ServedHome.passphrase)] {
      let refused = try await Self.logIn(client, name, passphrase)
      #expect(refused.status == 401)
      #expect(refused.text.contains("This name or passphrase is not correct."))
      clock.advance(by: 3601)
    }
    // Another keyboard composes the letter of two characters.
    let answer = try await Self.logIn(client, "ZOE%CC%88", ServedHome.passphrase)
    #expect(answer.status == 303)
    let user = try await home.database.fetchUser(named: "zoë")
    #expect(try await home.database.fetchSessions().map(\.user) == [user.id])
    #expect(user.lastSeenAt == clock.now)
  }

  @Test("of thousands of guesses from many addresses within an hour, at most ten are looked at")
  func guesses() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let session = try await home.cookie(ofNew: "Ben", .member, at: clock.now)
    let client = try home.client(home.server(proxies: ["127.0.0.1"], clock: clock))
    var looked = 0
    let count = TestSize.scaled(10_000)
    for number in 0..<count {
      clock.advance(by: 3500 / Double(count))
      let answer = try await Self.logIn(
        client, "ben", "guess number \(number)", address: "198.51.\(number % 8).\(number % 250)")
      if answer.status == 401 { looked += 1 } else { #expect(answer.status == 429) }
    }
    #expect(looked <= 10)
    #expect(looked > 3)
    // The account is not locked for a browser that is logged in, nor for a living session.
    let again = try await Self.logIn(
      client, "ben", ServedHome.passphrase, cookie: session, address: "203.0.113.7")
    #expect(again.status == 303)
    // A stranger with the right passphrase waits.
    let stranger = try await Self.logIn(
      client, "ben", ServedHome.passphrase, address: "203.0.113.7")
    #expect(stranger.status == 429)
    #expect(stranger.headers[.retryAfter] != nil)
    #expect(stranger.text.contains("use a code"))
    // Other accounts do not wait.
    try await home.addUser("Ana", .member)
    let other = try await Self.logIn(client, "ana", ServedHome.passphrase, address: "203.0.113.7")
    #expect(other.status == 303)
  }

  @Test("attempts at the same time are counted before any is looked at")
  func concurrent() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    try await home.addUser("Ben", .member)
    let client = try home.client(home.server(proxies: ["127.0.0.1"], clock: clock))
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await Self.logIn(client, "ben", "a wrong one", address: "198.51.100.\(number)")
            .status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 401 } == 4)
    #expect(statuses.count { $0 == 429 } == 46)
  }

  @Test("the browsers of a user are counted together when they guess the present passphrase")
  func guessesOfSessions() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let user = try await home.addUser("Ben", .member)
    let client = try home.client(home.server(clock: clock))
    var statuses: [Int] = []
    for _ in 0..<3 {
      let cookie = try await home.cookie(of: user, at: clock.now)
      for _ in 0..<4 {
        let answer = try await client.by(cookie).form(
          "/passphrase", "present=x&new=seven+green+trams&again=seven+green+trams")
        statuses.append(answer.status)
      }
    }
    #expect(statuses.count { $0 == 403 } == 4)
    #expect(statuses.count { $0 == 429 } == 8)
  }

  @Test("a changed passphrase ends the other sessions, and requires the present one")
  func changes() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let user = try await home.addUser("Ben", .member)
    let (desk, phone) = (
      try await home.cookie(of: user, at: clock.now), try await home.cookie(of: user, at: clock.now)
    )
    let client = try home.client(home.server(clock: clock))
    let new = "new=seven+green+trams&again=seven+green+trams"
    #expect(try await client.by(desk).form("/passphrase", "present=x&" + new).status == 403)
    let present =
      "present=" + ServedHome.passphrase.replacingOccurrences(of: " ", with: "+") + "&"
    let short = try await client.by(desk).form("/passphrase", present + "new=short&again=short")
    #expect(short.status == 400)
    #expect(short.text.contains("at least 10 characters"))
    let differing = try await client.by(desk).form(
      "/passphrase", present + "new=seven+green+trams&again=seven")
    #expect(differing.status == 400)
    #expect(try await client.by(phone).get("offers").status == 200)
    #expect(try await client.by(desk).form("/passphrase", present + new).status == 303)
    #expect(try await client.by(desk).get("offers").status == 200)
    #expect(try await client.by(phone).get("offers").status == 401)
    #expect(try await Self.logIn(client, "ben", "seven green trams").status == 303)
  }

  @Test("a token is shown once, works with its scope, and is refused after it was revoked")
  func tokens() async throws {
    let home = try await ServedHome()
    let clock = SteppedClock()
    let user = try await home.addUser("Ben", .member)
    let cookie = try await home.cookie(of: user, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let made = try await client.by(cookie).form("/tokens", "name=kitchen&scope=favorites&days=30")
    #expect(made.status == 200)
    let start = try #require(made.text.range(of: "offers_"))
    let text = String(made.text[start.lowerBound...].prefix(50))
    let settings = try await client.by(cookie).get("/settings/devices")
    #expect(settings.text.contains("kitchen"))
    #expect(!settings.text.contains(text))
    let bearer = client.bearing(text)
    let star = try await bearer.write(.put, "offers/ibotta:900117/favorite", "{}")
    #expect(star.status == 200)
    let sync = try await bearer.write(.post, "sync", "{}")
    #expect(sync.status == 403)
    #expect(sync.detail.contains("scope"))
    // More than the user may do is not given to a token either.
    let above = try await client.by(cookie).form("/tokens", "name=root&scope=admin&days=30")
    #expect(above.status == 403)
    try await home.database.flushImageUses()
    let token = try #require(try await home.database.fetchTokens(of: user.id).first)
    #expect(token.lastUsedAt == clock.now)
    #expect(
      try await client.by(cookie).form("/tokens/\(token.id)/revoke").status == 303)
    #expect(try await bearer.get("favorites").status == 401)
  }

  @Test("a user can neither end the sessions nor revoke the tokens of others")
  func keepsOut() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let (ben, ana) = (try await home.addUser("Ben", .admin), try await home.addUser("Ana", .viewer))
    let his = try await home.cookie(of: ben, at: clock.now)
    let hers = try await home.cookie(of: ana, at: clock.now)
    _ = try await home.bearer(of: ana, .read, named: "hers", at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let value = String(hers.dropFirst("offers-session=".count))
    let id = try SessionCookie.sessionID(of: value).hexadecimal
    #expect(try await client.by(his).form("/sessions/\(id)/end").status == 404)
    #expect(try await client.by(his).form("/sessions/end-others").status == 303)
    #expect(try await client.by(hers).get("offers").status == 200)
    let token = try #require(try await home.database.fetchTokens(of: ana.id).first)
    #expect(try await client.by(his).form("/tokens/\(token.id)/revoke").status == 404)
  }

  @Test(
    "an admin invites a user by a code; a member cannot, and neither can hold removals back off")
  func invites() async throws {
    let home = try await ServedHome()
    let clock = SteppedClock()
    let admin = try await home.addUser("Ada", .admin)
    let member = try await home.addUser("Max", .member)
    let hers = try await home.cookie(of: admin, at: clock.now)
    let his = try await home.cookie(of: member, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    #expect(try await client.by(his).form("/pairing", "user=Ada").status == 403)
    let page = try await client.by(hers).form("/pairing", "user=Max")
    #expect(page.text.contains("Invite Max"))
    let start = try #require(page.text.range(of: #"pair-code">"#))
    let code = String(page.text[start.upperBound...].prefix(9))
    let paired = try await client.form("/pair", "code=\(code)&next=/")
    let cookie = try #require(paired.cookie)
    let settings = try await client.by(cookie).get("/settings/people")
    #expect(settings.text.contains("<bdi>Max</bdi>"))
    #expect(!settings.text.contains("Manage users"))
    for body in [#"{"accept_removals": true}"#, #"{"feeds": ["ibotta"], "source": "sample"}"#] {
      #expect(try await client.by(his).write(.post, "sync", body).status == 403)
    }
    #expect(try await client.by(his).form("/sync", "accept-removals=1").status == 403)
    #expect(try await client.by(his).form("/feeds/ibotta", "every=3600").status == 403)
  }

  @Test("a page of another user changes nothing")
  func named() async throws {
    let home = try await ServedHome()
    let clock = SteppedClock()
    let user = try await home.addUser("Ben", .member)
    let cookie = try await home.cookie(of: user, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let page = try await client.by(cookie).get("/")
    #expect(page.text.contains("data-user=\"\(user.id)\""))
    let name = try #require(HTTPField.Name("X-Offers-User"))
    func star(as number: String) async throws -> APIAnswer {
      try await client.by(cookie).with(name, number).write(
        .put, "offers/ibotta:900117/favorite", "{}")
    }
    let refused = try await star(as: "1")
    #expect(refused.status == 409)
    #expect(refused.headers[name] == String(user.id))
    #expect(try await star(as: String(user.id)).status == 200)
  }

  @Test("other machines cannot reach a server on which no admin can log in")
  func needsLogin() async throws {
    let home = try await ServedHome(feeds: [])
    let open = try home.server(host: "0.0.0.0")
    await #expect(throws: OffersError.self) { try await open.checkLogins() }
    try await home.addUser("Max", .member)
    await #expect(throws: OffersError.self) { try await open.checkLogins() }
    try await home.addUser("Ada", .admin)
    try await open.checkLogins()
  }
}
