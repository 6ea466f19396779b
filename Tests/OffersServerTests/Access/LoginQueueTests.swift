import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Logins that wait for the check of their passphrases")
struct LoginQueueTests {
  /// A server of two users, in which no passphrase of a stranger is checked before a door is opened.
  private struct Served {
    let home: ServedHome
    let clock = SteppedClock()
    let responder: ServedResponder
    let ben: User
    let door = Door()
    private let held: [Task<Void, any Error>]

    init() async throws {
      let home = try await ServedHome(feeds: [])
      try await self.init(home, try await home.addUser("Ben", .member))
    }

    /// Another server of the same database, with a memory of its own.
    func again() async throws -> Served { try await Served(home, ben) }

    private init(_ home: ServedHome, _ ben: User) async throws {
      (self.home, self.ben) = (home, ben)
      let server = try home.server(proxies: ["127.0.0.1"], clock: clock)
      responder = server.responder()
      held = ["one", "two"].map { [responder, door] key in
        Task {
          try await responder.access.passphrases.strangers.run(for: key) { await door.pass() }
        }
      }
      await Door.wait { [door] in door.inside == 2 }
    }

    var waiting: Int { responder.access.passphrases.strangers.waitingCount }

    /// Begins a login, and waits until it waits.
    func begin(
      _ name: String, from address: String, cookie: String? = nil
    ) async -> Task<APIAnswer, any Error> {
      let count = waiting
      let task = Task { try await logIn(name, from: address, cookie: cookie) }
      await Door.wait { waiting == count + 1 }
      return task
    }

    func logIn(
      _ name: String, from address: String, cookie: String? = nil,
      _ passphrase: String = ServedHome.passphrase
    ) async throws -> APIAnswer {
      let passphrase = passphrase.replacingOccurrences(of: " ", with: "+")
      return try await TestClient(responder).by(cookie).with("X-Forwarded-For", address).form(
        "/login", "name=\(name)&passphrase=\(passphrase)&next=/")
    }

    func open() async throws {
      door.open()
      for task in held { try await task.value }
    }
  }

  @Test("64 strangers in 64 networks do not keep out the right passphrase")
  func strangers() async throws {
    let served = try await Served()
    var guesses: [Task<APIAnswer, any Error>] = []
    for number in 0..<64 {
      guesses.append(await served.begin("nobody\(number)", from: "10.0.\(number).1"))
    }
    let right = await served.begin("ben", from: "192.0.2.1")
    try await served.open()
    #expect(try await right.value.status == 303)
    for guess in guesses { #expect(try await guess.value.status == 401) }
  }

  @Test("a full queue has a place for another network, and who filled it waits")
  func fullQueue() async throws {
    let served = try await Served()
    var guesses: [Task<APIAnswer, any Error>] = []
    for number in 0..<64 {
      for host in 1...4 {
        guesses.append(await served.begin("nobody", from: "10.0.\(number).\(host)"))
        // The account waits otherwise.
        served.clock.advance(by: 3601)
      }
    }
    // A fifth of a network, and many of an IPv6 network, have no place.
    #expect(try await served.logIn("x", from: "10.0.0.5").status == 503)
    #expect(try await served.logIn("x", from: "10.0.0.5").status == 429)
    let right = Task { try await served.logIn("ben", from: "192.0.2.1") }
    let refused = try await guesses[255].value
    #expect(refused.status == 503)
    #expect(refused.headers[.retryAfter] == "1")
    try await served.open()
    #expect(try await right.value.status == 303)
    for guess in guesses.prefix(255) { #expect([401, 429].contains(try await guess.value.status)) }
  }

  @Test("networks of one /48 have four places together")
  func wideNetworks() async throws {
    let served = try await Served()
    var guesses: [Task<APIAnswer, any Error>] = []
    for number in 0..<4 {
      guesses.append(await served.begin("a\(number)", from: "2001:db8:1:\(number)::1"))
    }
    for number in 4..<40 {
      let answer = try await served.logIn("a\(number)", from: "2001:db8:1:\(number)::1")
      #expect(answer.status == 503)
    }
    let other = await served.begin("ben", from: "2001:db8:2::1")
    try await served.open()
    #expect(try await other.value.status == 303)
    for guess in guesses { #expect(try await guess.value.status == 401) }
  }

  @Test("who has logged in from a browser or network before waits for no stranger")
  func known() async throws {
    let served = try await Served()
    _ = try await served.home.cookie(of: served.ben, at: served.clock.now)
    // The session was begun at this address.
    #expect(try await served.logIn("ben", from: "192.0.2.1").status == 303)
    // Another user's network, and another network, are strange.
    let first = await served.begin("ben", from: "198.51.100.1")
    try await served.home.addUser("Ana", .member)
    let second = await served.begin("ana", from: "192.0.2.1")
    try await served.open()
    let answer = try await first.value
    #expect(try await second.value.status == 303)
    let cookies = answer.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }
    let browser = try #require(cookies.first { $0.hasPrefix("offers-browser=") })

    // After a logout and a restart the browser is known still, at any address, and no other browser.
    try await served.home.database.endSessions(
      try await served.home.database.fetchSessions().map(\.id))
    let later = try await served.again()
    #expect(try await later.logIn("ben", from: "203.0.113.9", cookie: browser).status == 303)
    let forged = browser.replacingOccurrences(of: "=\(served.ben.id).", with: "=1.")
    let strange = await later.begin("owner", from: "203.0.113.10", cookie: forged)
    try await later.open()
    #expect(try await strange.value.status == 401)
  }

  @Test("wrong passphrases of others do not count for a browser that has logged in before")
  func ownCounter() async throws {
    let served = try await Served()
    try await served.open()
    let answer = try await served.logIn("ben", from: "192.0.2.1")
    let cookies = answer.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }
    let browser = try #require(cookies.first { $0.hasPrefix("offers-browser=") })
    for number in 0..<6 { _ = try await served.logIn("ben", from: "10.0.\(number).1", "wrong") }
    #expect(try await served.logIn("ben", from: "10.9.0.1", "wrong").status == 429)
    #expect(try await served.logIn("ben", from: "10.9.0.1", cookie: browser, "wrong").status == 401)

    // With another passphrase, the browser is a stranger, and its guesses keep no other browser waiting.
    let new = try Passphrase.hash("seven green trams", cost: ServedHome.passphraseCost)
    try await served.home.database.setPassphrase(new, of: served.ben.id, keeping: nil)
    #expect(try await served.logIn("ben", from: "10.9.0.1", cookie: browser, "wrong").status == 429)
  }

  @Test("a passphrase that was changed while a login waited logs nobody in")
  func changed() async throws {
    let served = try await Served()
    let login = await served.begin("ben", from: "198.51.100.1")
    let new = try Passphrase.hash("seven green trams", cost: ServedHome.passphraseCost)
    try await served.home.database.setPassphrase(new, of: served.ben.id, keeping: nil)
    try await served.open()
    let answer = try await login.value
    #expect(answer.status == 401)
    #expect(answer.session == nil)
    #expect(try await served.home.database.fetchSessions().isEmpty)
  }

  @Test("a login with an account of one's own forgets no guess at another one")
  func ownAccount() async throws {
    let served = try await Served()
    try await served.open()
    // Whatever their names are: none shares the counter of another.
    for number in 0..<200 {
      try await served.home.addUser("mine\(number)", .viewer)
    }
    try await served.home.database.setPassphrase(nil, of: served.ben.id, keeping: nil)
    var looked = 0
    for number in 0..<200 {
      if try await served.logIn("ben", from: "10.0.\(number).1").status == 401 { looked += 1 }
      #expect(try await served.logIn("mine\(number)", from: "10.1.\(number).1").status == 303)
    }
    #expect(looked == 4)
    #expect(Set((0..<5000).map { LoginAttempts.account("mine\($0)") }).count == 5000)
  }
}
