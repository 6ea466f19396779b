import Foundation
import HTTPTypes
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersServer

@Suite("Sessions of browsers")
struct SessionTests {
  /// Logs a browser in and returns its `Cookie` field.
  private static func logIn(
    _ client: TestClient, agent: String? = nil, token: String = ServedHome.token
  ) async throws -> String {
    let answer = try await client.with(.userAgent, agent).form("/login", "token=\(token)")
    #expect(answer.status == 303)
    return try #require(answer.cookie)
  }

  /// The status of a read with a cookie.
  private static func status(
    _ client: TestClient, _ cookie: String
  ) async throws -> Int {
    try await client.by(cookie).get("offers").status
  }

  @Test("each login has a cookie of 256 bits, and the database has none of them")
  func hidesCookies() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token))
    var values: Set<Substring> = []
    for _ in 0..<5 {
      let value = try #require(try await Self.logIn(client).split(separator: "=").last)
      #expect(value.count == 64)
      values.insert(value)
    }
    #expect(values.count == 5)
    let sessions = try await home.database.fetchSessions()
    #expect(sessions.count == 5)
    for name in TestStore.isFile ? ["offers.sqlite", "offers.sqlite-wal"] : [] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: home.folder.file(name)))
      for value in values {
        #expect(bytes.firstRange(of: Data(value.utf8)) == nil)
        let raw = try [UInt8](hexadecimal: String(value))
        #expect(bytes.firstRange(of: Data(raw)) == nil)
      }
      #expect(bytes.firstRange(of: Data(ServedHome.token.utf8)) == nil)
    }
  }

  @Test("sessions outlast a restart; a cookie that was copied ends with the logout")
  func restartsAndLogouts() async throws {
    let home = try await ServedHome(feeds: [])
    func start() throws -> TestClient {
      try home.client(home.server(token: ServedHome.token))
    }
    var client = try start()
    let (phone, desk) = (try await Self.logIn(client), try await Self.logIn(client))
    // Another server on the same database, as after a restart.
    client = try start()
    #expect(try await Self.status(client, phone) == 200)
    #expect(try await Self.status(client, desk) == 200)
    #expect(try await client.by(phone).form("/logout").status == 303)
    // The thief of the cookie still has it.
    #expect(try await Self.status(client, phone) == 401)
    #expect(try await Self.status(client, desk) == 200)
    client = try start()
    #expect(try await Self.status(client, phone) == 401)
    #expect(try await Self.status(client, desk) == 200)
  }

  @Test("a session lasts for 30 days after its last request, which is noted every ten minutes")
  func expires() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let day = 86_400.0
    let client = try home.client(home.server(token: ServedHome.token, clock: clock))
    let cookie = try await Self.logIn(client)
    let start = clock.now
    func seen() async throws -> Date? {
      try await home.database.flushImageUses()
      return try await home.database.fetchSessions().first?.lastSeenAt
    }
    clock.advance(by: 599)
    let early = try await client.by(cookie).get("offers")
    #expect(early.headers[.setCookie] == nil)
    #expect(try await seen() == start)
    clock.advance(by: 1)
    let due = try await client.by(cookie).get("offers")
    #expect(due.headers[.setCookie]?.hasPrefix(cookie + "; Path=/; HttpOnly") == true)
    #expect(try await seen() == clock.now)
    clock.advance(by: 29 * day)
    #expect(try await Self.status(client, cookie) == 200)
    #expect(try await seen() == clock.now)
    clock.advance(by: 30 * day - 1)
    #expect(try await Self.status(client, cookie) == 200)
    #expect(try await seen() == clock.now)
    clock.advance(by: 30 * day)
    #expect(try await Self.status(client, cookie) == 401)
    // The next login removes it.
    _ = try await Self.logIn(client)
    #expect(try await home.database.fetchSessions().count == 1)
  }

  @Test("a session that was last seen in a far future is not valid")
  func survivesClock() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let client = try home.client(home.server(token: ServedHome.token, clock: clock))
    clock.advance(by: 401 * 86_400)
    let cookie = try await Self.logIn(client)
    clock.advance(by: -401 * 86_400)
    #expect(try await Self.status(client, cookie) == 401)
  }

  @Test("a changed token file ends all sessions and accepts the new token, without a restart")
  func followsFile() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let log = RecordedLog()
    let next = ServedHome.otherToken
    let client = try home.client(home.server(token: ServedHome.token, clock: clock, log: log))
    let cookie = try await Self.logIn(client)
    func bearer(_ token: String) async throws -> Int {
      try await client.bearing(token).get("offers").status
    }
    try home.write(token: next)
    clock.advance(by: 1)
    #expect(try await Self.status(client, cookie) == 401)
    #expect(try await bearer(ServedHome.token) == 401)
    #expect(try await bearer(next) == 200)
    #expect(try await home.database.fetchSessions().isEmpty)
    #expect(log.lines.contains("notice token file read again token=changed"))
    // The sessions stay ended if the first token returns.
    try home.write(token: ServedHome.token)
    clock.advance(by: 1)
    #expect(try await Self.status(client, cookie) == 401)
    #expect(try await bearer(ServedHome.token) == 200)
  }

  @Test("a token file that cannot be used lets nobody in, and its sessions return with its token")
  func refusesBadFile() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let log = RecordedLog()
    let client = try home.client(home.server(token: ServedHome.token, clock: clock, log: log))
    let cookie = try await Self.logIn(client)
    func bearer(_ token: String) async throws -> Int {
      try await client.bearing(token).get("offers").status
    }
    let path = home.folder.file("token")
    for spoil in [
      { try FileManager.default.removeItem(atPath: path) },
      { _ = try home.write(token: "passwordpassword") },
      { _ = try home.write(token: ServedHome.token, mode: 0o644) },
    ] as [() throws -> Void] {
      try spoil()
      clock.advance(by: 100)
      #expect(try await Self.status(client, cookie) == 401)
      #expect(try await bearer("passwordpassword") == 503)
      #expect(try await bearer(ServedHome.token) == 503)
      try home.write(token: ServedHome.token)
      clock.advance(by: 1)
      #expect(try await Self.status(client, cookie) == 200)
    }
    let errors = log.lines.filter { $0.hasPrefix("error token file unusable") }
    #expect(errors.count == 3)
    #expect(errors[1].contains("no token that was made by"))
    // The token of the requests may be right, so none is reported as a refused login.
    #expect(!log.lines.contains { $0.contains("login refused") })
  }

  @Test("a session that was written into the database without the token is not valid")
  func refusesPlanted() async throws {
    let home = try await ServedHome(feeds: [])
    let value = try SessionCookie.newValue()
    let id = try SessionCookie.sessionID(of: value)
    let planted = Session(
      id: id, user: User.ownerID,
      fingerprint: try ServerToken("some other token").fingerprint(of: id), createdAt: .now,
      lastSeenAt: .now, peer: "192.0.2.1", userAgent: "")
    try await home.database.putSession(planted, on: .token)
    let client = try home.client(home.server(token: ServedHome.token))
    #expect(try await Self.status(client, "offers-session=\(value)") == 401)
  }

  @Test("behind TLS the cookie is secure and bound to the host, and forms come from https only")
  func behindTLS() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token, isBehindTLS: true))
    let login = "token=\(ServedHome.token)"
    #expect(try await client.form("/login", login).status == 403)
    let answer = try await client.form("/login", login, origin: "https://localhost")
    let field = try #require(answer.headers[values: .setCookie].first)
    #expect(field.hasPrefix("__Host-offers-session="))
    let attributes = field.components(separatedBy: "; ").dropFirst()
    #expect(
      attributes == ["Path=/", "HttpOnly", "SameSite=Lax", "Secure", "Max-Age=2592000"])
    let pair = try #require(answer.cookie)
    #expect(try await Self.status(client, pair) == 200)
    // A cookie that another host of the domain may have set does not count.
    #expect(
      try await Self.status(client, pair.replacingOccurrences(of: "__Host-", with: "")) == 401)
  }

  @Test("the settings list the browsers in plain words, and end one or all others")
  func settings() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token))
    let phone = try await Self.logIn(
      client,
      agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
        + "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1")
    let desk = try await Self.logIn(
      client, agent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
    let odd = try await Self.logIn(client, agent: "<script>alert(1)</script>")
    func page(_ cookie: String) async throws -> String {
      try await client.by(cookie).get("/settings/devices").text
    }
    let text = try await page(phone)
    #expect(text.count(of: "This browser") == 1)
    let own = try #require(text.between("this-browser", "</li>"))
    #expect(own.contains("Safari on iPhone"))
    #expect(own.contains(#"action="/logout""#))
    #expect(text.contains("Firefox on Linux"))
    #expect(!text.contains("<script>alert"))
    #expect(!text.contains(String(phone.suffix(64))))
    // Another site cannot end a session.
    let desks = try #require(
      text.between("Firefox on Linux", "</li>")?.between(#"action=""#, #"""#))
    let foreign = try await client.by(phone).form(desks, origin: "http://evil.example")
    #expect(foreign.status == 403)
    #expect(try await client.form(desks).status == 401)
    #expect(try await Self.status(client, desk) == 200)
    let ended = try await client.by(phone).form(desks)
    #expect(
      (ended.status, ended.headers[.location]) == (303, "/settings/devices?done=browser#sessions")
    )
    #expect(try await Self.status(client, desk) == 401)
    #expect(try await client.by(phone).form(desks).status == 404)
    #expect(try await client.by(phone).form("/sessions/xyz/end").status == 404)
    #expect(try await Self.status(client, odd) == 200)
    #expect(try await client.by(phone).form("/sessions/end-others").status == 303)
    #expect(try await Self.status(client, odd) == 401)
    #expect(try await Self.status(client, phone) == 200)
    #expect(!(try await page(phone)).contains("end-others"))
    #expect(!(try await home.show("/settings/devices").text.contains("Logged in")))
  }

  @Test("a login of a logged in browser ends its session before")
  func replaces() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token))
    let first = try await Self.logIn(client)
    let again = try await client.by(first).form("/login", "token=\(ServedHome.token)")
    #expect(again.status == 303)
    #expect(try await Self.status(client, first) == 401)
    #expect(try await home.database.fetchSessions().count == 1)
  }

  @Test("the stream of events ends with the session, and with the token")
  func endsStreams() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let server = try home.server(token: ServedHome.token, clock: clock, port: 0)
    try await LiveServer.run(server) { live in
      func login() async throws -> String {
        let answer = try await live.exchange(
          "POST /login HTTP/1.1\r\n\(live.host)Origin: http://127.0.0.1:\(live.port)\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
            + "Content-Length: \(ServedHome.token.utf8.count + 6)\r\n\r\n"
            + "token=\(ServedHome.token)")
        return try #require(answer.between("Set-Cookie: ", ";"))
      }
      func listen(_ field: String) async throws -> RawConnection {
        let connection = try RawConnection(port: live.port)
        let greeting = try await connection.exchange(
          "GET /api/v1/events HTTP/1.1\r\n\(live.host)\(field)\r\nConnection: close\r\n\r\n"
        ) { $0.contains("event: sync\n") }
        #expect(greeting.contains("event: sync\n"), "\(greeting)")
        return connection
      }
      let mine = try await listen("Cookie: \(try await login())")
      let cookie = try await login()
      let other = try await listen("Cookie: \(cookie)")
      let all = try await home.database.fetchSessions()
      let ids = try all.map(\.id).filter {
        try $0 != SessionCookie.sessionID(of: String(cookie.suffix(64)))
      }
      try await home.database.endSessions(ids)
      // It is received until the server closes the connection.
      let last = try await mine.receive()
      #expect(last.hasSuffix("0\r\n\r\n"))
      #expect(!other.isClosedByServer)
      let bearer = try await listen("Authorization: Bearer \(ServedHome.token)")
      try home.write(token: ServedHome.otherToken)
      clock.advance(by: 1)
      _ = try await live.exchange(
        "GET /api/v1/offers HTTP/1.1\r\n\(live.host)Connection: close\r\n"
          + "Authorization: Bearer \(ServedHome.otherToken)\r\n\r\n")
      _ = try await bearer.receive()
      _ = try await other.receive()
    }
  }
}
