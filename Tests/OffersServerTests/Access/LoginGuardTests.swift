import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersServer

@Suite("Failed logins")
struct LoginGuardTests {
  /// A database whose calls a test watches.
  private static func watched(
    _ before: @escaping @Sendable (WatchedEngine.Call) async throws -> Void = { _ in }
  ) async throws -> (database: OffersDatabase, engine: WatchedEngine) {
    let engine = WatchedEngine(
      try await OffersDatabase.inMemory(definitions: nil).engine, before: before)
    return (OffersDatabase(engine), engine)
  }

  /// The stored attempts by their networks.
  private static func stored(in database: OffersDatabase) async throws -> [String: LoginAttempts] {
    Dictionary(
      uniqueKeysWithValues: try await database.fetchAttempts().map { ($0.network, $0) })
  }

  private static func peer(_ text: String) throws -> Peer { try #require(Peer(text)) }

  @Test("a wrong token gets 401, one within a wait 429, and the connection is closed")
  func waits() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let log = RecordedLog()
    let client = try home.client(home.server(token: ServedHome.token, clock: clock, log: log))
    func bearer() async throws -> APIAnswer {
      try await client.bearing("wrong").get("offers")
    }
    for wait in [1, 2, 4, 8] {
      let first = try await bearer()
      #expect(first.status == 401)
      #expect(first.headers[.connection] == "close")
      #expect(first.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
      let second = try await bearer()
      #expect(second.status == 429)
      #expect(second.headers[.retryAfter] == "\(wait)")
      #expect(second.headers[.connection] == "close")
      let form = try await client.form("/login", "token=wrong")
      #expect(form.status == 429)
      #expect(form.headers[.retryAfter] == "\(wait)")
      #expect(form.headers[.connection] == "close")
      clock.advance(by: Double(wait))
    }
    #expect(log.lines.first == "warning login refused client=127.0.0.1 status=401")
  }

  @Test("the right token and a session are accepted during a wait, and a login ends the wait")
  func neverLocksOut() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let client = try home.client(home.server(token: ServedHome.token, clock: clock))
    func login(_ token: String) async throws -> APIAnswer {
      try await client.form("/login", "token=\(token)")
    }
    func wrong() async throws -> Int { try await login("wrong").status }
    let before = try await login(ServedHome.token)
    let cookie = try #require(before.cookie)
    for wait in [1.0, 2, 4, 8, 16, 32] {
      #expect(try await wrong() == 401)
      clock.advance(by: wait)
    }
    #expect(try await wrong() == 401)
    #expect(try await wrong() == 429)
    #expect(
      try await client.by(cookie).get("offers").status == 200)
    #expect(try await client.bearing(ServedHome.token).get("offers").status == 200)
    // The bearer has forgotten the failures of the network.
    #expect(try await wrong() == 401)
    #expect(try await wrong() == 429)
    #expect(try await login(ServedHome.token).status == 303)
    #expect(try await wrong() == 401)
  }

  @Test("a success forgets the failures of its network")
  func forgets() async throws {
    let clock = SteppedClock()
    let (database, _) = try await Self.watched()
    let login = LoginGuard(database, now: { clock.now }, logger: RecordedLog().logger)
    let client = try Self.peer("192.0.2.7")
    #expect(await login.fail(client) == nil)
    #expect(await login.fail(client) == 1)
    await login.writeNow()
    #expect(try await Self.stored(in: database)["192.0.2.7"]?.count == 1)
    await login.succeed(client)
    #expect(await login.fail(client) == nil)
    await login.succeed(client)
    await login.close()
    #expect(try await Self.stored(in: database).keys.sorted() == ["overall"])
  }

  @Test("a write waits for the one before it, and so does the end of the server")
  func writesInTurn() async throws {
    let clock = SteppedClock()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (database, _) = try await Self.watched { call in
      guard call == .transaction(.note) else { return }
      begin.yield()
      for await _ in ends {}
    }
    let login = LoginGuard(database, now: { clock.now }, logger: RecordedLog().logger)
    #expect(await login.fail(try Self.peer("192.0.2.7")) == nil)
    let first = Task { await login.writeNow() }
    // The second begins within the first, and finds nothing to write.
    for await _ in begun { break }
    let second = Task {
      await login.close()
      return try await Self.stored(in: database).count
    }
    for _ in 0..<100 { await Task.yield() }
    end.finish()
    await first.value
    #expect(try await second.value == 2)
  }

  @Test("the waits outlast a restart")
  func restarts() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    func responder() throws -> ServedResponder {
      try home.server(token: ServedHome.token, clock: clock).responder()
    }
    let first = try responder().access
    let client = try Self.peer("2001:db8::7")
    for wait in [1.0, 2, 4, 8] {
      #expect(await first.attempts.fail(client) == nil)
      clock.advance(by: wait)
    }
    #expect(await first.attempts.fail(client) == nil)
    await first.close()
    let second = try responder().access
    #expect(await second.attempts.fail(client) == 16)
    // Another address of the same network.
    #expect(await second.attempts.fail(try Self.peer("2001:db8::1:2:3:4")) == 16)
    #expect(await second.attempts.fail(try Self.peer("2001:db8:0:1::7")) == nil)
    await second.close()
  }

  @Test("however many attempts there are, few are counted, and writes are gathered")
  func bounds() async throws {
    let clock = SteppedClock()
    let (database, engine) = try await Self.watched()
    let log = RecordedLog()
    let login = LoginGuard(database, now: { clock.now }, logger: log.logger)
    for number in 0..<5000 {
      _ = await login.fail(try Self.peer("10.0.\(number / 256).\(number % 256)"))
    }
    await login.close()
    // The eleventh failure of any network makes all wait.
    let stored = try await Self.stored(in: database)
    #expect(stored.count == 12)
    #expect(stored["overall"]?.count == 11)
    #expect(engine.calls.count { $0 == .transaction(.note) } <= 2)
    #expect(log.lines.filter { $0.hasPrefix("warning login refused client=") }.count == 10)
    let leftOut = log.lines.compactMap { $0.split(separator: "count=").last.flatMap { Int($0) } }
    #expect(leftOut.reduce(0, +) == 4990)
  }

  @Test("a failed write is tried again, and does not answer a request")
  func survivesFailures() async throws {
    let clock = SteppedClock()
    let log = RecordedLog()
    let (database, _) = try await Self.watched { _ in
      throw OffersError(.storageFailed, "The disk is full.")
    }
    let login = LoginGuard(database, now: { clock.now }, logger: log.logger)
    #expect(await login.fail(.loopback) == nil)
    #expect(await login.fail(.loopback) == 1)
    await login.close()
    // The failures to read and to write are one error.
    #expect(log.lines.filter { $0.hasPrefix("error failed logins not stored") }.count == 1)
  }

  @Test("a forged X-Forwarded-For is ignored, and one of a trusted proxy names the client")
  func forwarded() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    func guess(_ proxies: [String], as claimed: String) async throws -> (Int, String?) {
      let log = RecordedLog()
      let client = try home.client(
        home.server(token: ServedHome.token, proxies: proxies, clock: clock, log: log)
      ).with("X-Forwarded-For", claimed)
      let answer = try await client.form("/login", "token=wrong")
      return (answer.status, log.lines.first)
    }
    // Loopback, from where the requests of this test come, is not trusted by itself.
    for claimed in ["192.0.2.1", "192.0.2.2, 127.0.0.1"] {
      let (_, line) = try await guess([], as: claimed)
      #expect(line?.contains("client=127.0.0.1 ") == true)
    }
    for (claimed, expected) in [
      ("192.0.2.1", "192.0.2.1"), ("192.0.2.9, 192.0.2.2", "192.0.2.2"),
      ("192.0.2.9, 192.0.2.3, 10.1.1.1", "192.0.2.3"), ("2001:db8::9", "2001:db8::9"),
      ("192.0.2.4, nonsense", "127.0.0.1"), ("nonsense, 10.2.2.2", "10.2.2.2"),
      ("10.3.3.3", "10.3.3.3"), ("", "127.0.0.1"), ("::ffff:192.0.2.5", "192.0.2.5"),
    ] {
      let (_, line) = try await guess(["127.0.0.0/8", "10.0.0.0/8"], as: claimed)
      #expect(line?.contains("client=\(expected) ") == true, "\(claimed): \(line ?? "-")")
    }
  }

  @Test(
    "a text that is no network, or one of all addresses, is refused",
    arguments: [
      "", "proxy.example", "10.0.0.0/33", "10.0.0.0/", "0.0.0.0/0", "::/0", "1.2.3",
      "::ffff:127.0.0.1", "::ffff:10.0.0.0/104",
    ])
  func networks(text: String) {
    let error = #expect(throws: OffersError.self) { try TrustedProxies([text]) }
    #expect(error?.code == .invalidRequest)
  }

  @Test("at most ten lines a second are logged, one for each client")
  func logs() throws {
    let log = RecordedLog()
    let refusals = LoginRefusalLog(log.logger)
    let start = Date(timeIntervalSince1970: 100)
    for number in 1...20 {
      for _ in 1...3 {
        refusals.note(try Self.peer("192.0.2.\(number)"), status: 401, at: start)
      }
    }
    #expect(log.lines.count == 10)
    refusals.noteLeftOut()
    refusals.noteLeftOut()
    refusals.note(try Self.peer("192.0.2.1"), status: 429, at: start + 1)
    #expect(
      log.lines.suffix(2) == [
        "warning login refusals not logged count=50",
        "warning login refused client=192.0.2.1 status=429",
      ])
  }
}
