import Foundation
import HTTPTypes
import OffersCore
import TestStores
import Testing

@testable import OffersServer

@Suite("Pairing a phone")
struct PairingTests {
  private static let phone = "Mozilla/5.0 (Linux; Android 15) Chrome/131.0 Mobile Safari/537.36"

  /// Logs a browser in by the token, and returns its `Cookie` field.
  private static func logIn(_ client: TestClient) async throws -> String {
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
    let answer = try await client.with(.userAgent, agent).form(
      "/login", "token=\(ServedHome.token)")
    return try #require(answer.cookie)
  }

  /// Has a code made in the settings of a browser.
  ///
  /// - Parameter guest: the user whom the code is for, if it is not the maker.
  private static func makeCode(
    _ client: TestClient, _ cookie: String? = nil, for guest: String? = nil
  ) async throws -> String {
    let page = try await client.by(cookie).form("/pairing", guest.map { "user=\($0)" } ?? "")
    #expect(page.status == 200)
    #expect(page.headers[.cacheControl] == "no-store")
    return try #require(page.text.between(#"<p class="pair-code">"#, "</p>"))
  }

  /// Shows a code.
  private static func pair(
    _ client: TestClient, _ code: String, cookie: String? = nil, from peer: String? = nil
  ) async throws -> APIAnswer {
    try await client.by(cookie).with(.userAgent, phone).with("X-Forwarded-For", peer).form(
      "/pair", "code=\(code)&next=/favorites")
  }

  private static func cookie(of answer: APIAnswer) throws -> String {
    #expect(
      (answer.status, answer.headers[.location]) == (303, "/welcome?next=%2Ffavorites"))
    return try #require(answer.cookie)
  }

  @Test("a code of the settings makes a session like any other, which the settings list and end")
  func pairs() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token))
    let desk = try await Self.logIn(client)
    #expect(
      try await client.by(desk).get("/settings/devices").text.contains(
        "/pairing"))
    let code = try await Self.makeCode(client, desk)
    // Opening the address, as programs do ahead, uses up no code.
    for _ in 0..<2 {
      let page = try await client.get("/pair?code=\(code.replacing("-", with: ""))")
      #expect(page.status == 200)
      #expect(page.headers[.setCookie] == nil)
      #expect(page.text.contains(#"value="\#(code)""#))
      #expect(page.text.contains("Connect this phone"))
    }
    for name in TestStore.isFile ? ["offers.sqlite", "offers.sqlite-wal"] : [] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: home.folder.file(name)))
      for text in [code, code.replacing("-", with: "")] {
        #expect(bytes.firstRange(of: Data(text.utf8)) == nil)
      }
    }
    let answer = try await Self.pair(client, code.lowercased())
    let phone = try Self.cookie(of: answer)
    #expect(answer.headers[.setCookie]?.contains("HttpOnly; SameSite=Lax") == true)
    #expect(try await client.by(phone).get("offers").status == 200)
    let settings = try await client.by(desk).get("/settings/devices").text
    let row = try #require(settings.between("Chrome on Android", "</li>"))
    let end = try #require(row.between(#"action=""#, #"""#))
    #expect(
      try await client.by(desk).form(end).status == 303)
    #expect(try await client.by(phone).get("offers").status == 401)
  }

  @Test("a used, an expired and a wrong code are refused, each with a page that says so")
  func refuses() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let client = try home.client(home.server(token: ServedHome.token, clock: clock))
    let desk = try await Self.logIn(client)
    let used = try await Self.makeCode(client, desk)
    let phone = try Self.cookie(of: try await Self.pair(client, used))
    let again = try await Self.pair(client, used)
    #expect(again.status == 401)
    #expect(again.headers[.setCookie] == nil)
    #expect(again.text.contains("This code was used already."))
    // The phone that has used it may send the form twice.
    let twice = try await Self.pair(client, used, cookie: phone)
    #expect((twice.status, twice.headers[.setCookie]) == (303, nil))
    let late = try await Self.makeCode(client, desk)
    clock.advance(by: 600)
    let expired = try await Self.pair(client, late)
    #expect(expired.status == 401)
    #expect(expired.text.contains("This code has expired."))
    let wrong = try await Self.pair(client, "%3Cb%3E\(late)")
    #expect(wrong.status == 401)
    #expect(wrong.headers[.connection] == "close")
    #expect(wrong.text.contains("This code is not correct."))
    #expect(!wrong.text.contains("<b>"))
  }

  @Test("within the wait after a wrong code, its network's codes are not looked at, others' are")
  func waits() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let log = RecordedLog()
    let client = try home.client(
      home.server(token: ServedHome.token, proxies: ["127.0.0.1"], clock: clock, log: log))
    let desk = try await Self.logIn(client)
    let codes = [try await Self.makeCode(client, desk), try await Self.makeCode(client, desk)]
    for wait in [1.0, 2, 4] {
      #expect(try await Self.pair(client, "AAAA-AAAA", from: "192.0.2.7").status == 401)
      clock.advance(by: wait)
    }
    #expect(try await Self.pair(client, "AAAA-AAAA", from: "192.0.2.7").status == 401)
    clock.advance(by: 1)
    let early = try await Self.pair(client, codes[0], from: "192.0.2.7")
    #expect(early.status == 429)
    #expect(early.headers[.retryAfter] == "7")
    #expect(early.text.contains("Try again in 7 seconds."))
    _ = try Self.cookie(of: try await Self.pair(client, codes[1], from: "192.0.2.8"))
    clock.advance(by: 7)
    // It was not used up.
    _ = try Self.cookie(of: try await Self.pair(client, codes[0], from: "192.0.2.7"))
    // The success has forgotten the failures of the network.
    #expect(try await Self.pair(client, "AAAA-AAAA", from: "192.0.2.7").status == 401)
    clock.advance(by: 1)
    #expect(try await Self.pair(client, "AAAA-AAAA", from: "192.0.2.7").status == 401)
    #expect(log.lines.contains("warning login refused client=192.0.2.7 status=429"))
    #expect(!log.lines.contains { $0.contains("AAAA") })
  }

  @Test("an API token can have no code made, because a session would outlive and exceed it")
  func refusesTokens() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.addUser("Ben", .member)
    for scope in Right.allCases {
      let owner = try await home.database.fetchOwner()
      let bearer = try await home.bearer(of: owner, scope, named: scope.rawValue, at: .now)
      let client = try home.client()
      let answer = try await client.with(.authorization, bearer).form("/pairing")
      #expect(answer.status == 403)
      #expect(answer.text.between(#"<p class="pair-code">"#, "</p>") == nil)
    }
  }

  @Test("guesses wait also while those of all networks wait, and after the right token")
  func countsGuesses() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    try await home.addUser("Ben", .member)
    let owner = try await home.database.fetchOwner()
    let bearer = try await home.bearer(of: owner, .read, named: "reader", at: clock.now)
    let client = try home.client(home.server(proxies: ["127.0.0.1"], clock: clock))
    // Wrong tokens from many networks make all networks wait.
    for number in 1...20 {
      let stranger = try client.with("X-Forwarded-For", "192.0.2.\(number)")
      _ = try await stranger.bearing("wrong").get("offers")
    }
    var statuses: [Int] = []
    for number in 0..<20 {
      statuses.append(
        try await Self.pair(client, "AAAA-AA\(number + 22)", from: "198.51.100.1").status)
      let reader = try client.with("X-Forwarded-For", "198.51.100.1")
      #expect(
        try await reader.with(.authorization, bearer).get("offers").status == 200)
    }
    #expect(statuses == [401] + Array(repeating: 429, count: 19))
  }

  @Test("a code ends with the session that made it, with the token, and with the server")
  func ends() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let client = try home.client(try home.server(token: ServedHome.token, clock: clock))
    let desk = try await Self.logIn(client)
    let code = try await Self.makeCode(client, desk)
    #expect(
      try await client.by(desk).form("/logout").status == 303)
    #expect(try await Self.pair(client, code).text.contains("has expired"))
    let other = try await Self.logIn(client)
    let second = try await Self.makeCode(client, other)
    try home.write(token: ServedHome.otherToken)
    clock.advance(by: 1)
    #expect(try await Self.pair(client, second).text.contains("has expired"))
    try home.write(token: ServedHome.token)
    clock.advance(by: 1)
    let kept = try await Self.makeCode(client, try await Self.logIn(client))
    // Another server on the same database, as after a restart.
    let later = try home.client(home.server(token: ServedHome.token, clock: clock))
    #expect(try await Self.pair(later, kept).text.contains("not correct"))
  }

  @Test("a code for another user is good only while its maker may manage that user")
  func endsWithRight() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let ada = try await home.addUser("Ada", .admin)
    try await home.addUser("Eve", .admin)
    let ben = try await home.addUser("Ben", .member)
    let client = try home.client(home.server(clock: clock))
    let desk = try await home.cookie(of: ada, at: clock.now)
    let codes = [
      try await Self.makeCode(client, desk, for: "Eve"),
      try await Self.makeCode(client, desk, for: "Ben"),
      try await Self.makeCode(client, desk, for: "Ben"),
    ]
    _ = try Self.cookie(of: try await Self.pair(client, codes[1]))
    try await home.database.changeUser(ada.id, name: nil, role: .member)
    let late = try await Self.pair(client, codes[0])
    #expect((late.status, late.headers[.setCookie]) == (401, nil))
    #expect(late.text.contains("This code has expired."))
    // The user for whom a code was made is gone.
    try await home.database.changeUser(ada.id, name: nil, role: .admin)
    try await home.database.removeUser(ben.id)
    #expect(try await Self.pair(client, codes[2]).text.contains("This code has expired."))
  }

  @Test("a code of an admin whom a proxy has logged in ends when the admin is removed")
  func endsWithMaker() async throws {
    let home = try await ServedHome(feeds: [])
    let ada = try await home.addUser("Ada", .admin)
    try await home.addUser("Eve", .admin)
    let client = try home.client(
      home.server(proxies: ["127.0.0.1"], userHeader: "X-Forwarded-User"))
    let code = try await Self.makeCode(try client.with("X-Forwarded-User", "Ada"), for: "Eve")
    try await home.database.removeUser(ada.id)
    let late = try await Self.pair(client, code)
    #expect((late.status, late.headers[.setCookie]) == (401, nil))
  }

  @Test("neither a stranger nor another site can have a code made, and no other site can use one")
  func protects() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: ServedHome.token))
    #expect(
      try await client.form("/pairing").status == 401)
    #expect(try await client.get("/pairing").status == 401)
    let desk = try await Self.logIn(client)
    let (browser, foreign) = (client.by(desk), "http://evil.example")
    #expect(try await browser.form("/pairing", origin: foreign).status == 403)
    let code = try await Self.makeCode(client, desk)
    #expect(
      try await browser.form("/pair", "code=\(code)", origin: foreign).status == 403)
    // The page redirects to this server only, and escapes what it is given.
    let odd = try await client.get("/pair?code=%22%3E%3Cscript%3E&next=//evil.example")
    #expect(!odd.text.contains("<script>"))
    #expect(odd.text.contains(#"name="next" value="/""#))
    let answer = try await client.form("/pair", "code=\(code)&next=https://evil.example")
    #expect((answer.status, answer.headers[.location]) == (303, "/welcome?next=%2F"))
    // Without a login, everybody who can reach the server is let in.
    #expect(try await home.show("/pair?code=K7QM2XPD").status == 303)
    #expect(!(try await home.show("/settings/devices").text.contains("/pairing")))
  }

  @Test(
    "the page with a code has a QR code of the address that the browser uses, or of the machine")
  func showsAddress() async throws {
    let home = try await ServedHome(feeds: [])
    let server = try home.server(
      token: ServedHome.token, host: "192.0.2.5", port: 8080, allowedHosts: ["localhost"])
    let client = try home.client(server)
    let desk = try await Self.logIn(client)
    let page = try await client.by(desk).form("/pairing").text
    #expect(page.contains("http://192.0.2.5:8080/pair<"))
    let code = try #require(page.between(#"<p class="pair-code">"#, "</p>"))
    let drawn = try #require(
      QRCode("http://192.0.2.5:8080/pair?code=\(code.replacing("-", with: ""))"))
    #expect(page.contains(#"d="\#(drawn.path)""#))
    #expect(page.contains("no TLS"))
    let loopback = try home.client(home.server(token: ServedHome.token))
    let other = try await loopback.by(try await Self.logIn(loopback)).form("/pairing").text
    #expect(other.contains("No phone can reach this server"))
    #expect(other.contains(#"<p class="pair-code">"#))
    #expect(!other.contains("qr-code"))
  }

  @Test("the invitation of the operator's terminal lets one phone in, until the token changes")
  func invites() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let server = try home.server(token: ServedHome.token, clock: clock)
    let first = try #require(try await server.makeInvitation(to: "http://192.0.2.5:8080"))
    let second = try #require(try await server.makeInvitation(to: "http://192.0.2.5:8080"))
    #expect(first.page == "http://192.0.2.5:8080/pair")
    #expect(first.qrCode != nil)
    let client = try home.client(server)
    _ = try Self.cookie(of: try await Self.pair(client, first.code))
    try home.write(token: ServedHome.otherToken)
    clock.advance(by: 1)
    #expect(try await Self.pair(client, second.code).text.contains("has expired"))
  }
}
