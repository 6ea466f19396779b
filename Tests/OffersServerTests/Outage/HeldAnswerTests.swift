import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import OffersSQLite
import Synchronization
import Testing

@testable import OffersServer

@Suite("A server whose store cannot be reached")
struct HeldAnswerTests {
  private static let ref = "ibotta:900117"
  private static let reads = [
    "/", "/offers/\(ref)", "/favorites", "/api/v1/offers?limit=5",
    "/api/v1/feeds", "/api/v1/favorites", "/api/v1/changes",
  ]

  /// A server with two users and a clock.
  private struct Served {
    let home: ServedHome
    let clock = SteppedClock()
    let log = RecordedLog()
    let store: RemoteStore
    let server: OffersServer
    let ben: User
    let his: String
    let hers: String

    init() async throws {
      home = try await ServedHome()
      store = RemoteStore(home.database)
      ben = try await home.addUser("Ben", .member)
      his = try await home.cookie(of: ben, at: clock.now)
      hers = try await home.cookie(of: try await home.addUser("Ana", .member), at: clock.now)
      server = try home.server(token: ServedHome.token, clock: clock, log: log, store: store)
    }
  }

  private static func warning(_ answer: APIAnswer) -> String? {
    HTTPField.Name("Warning").flatMap { answer.headers[$0] }
  }

  @Test("what was answered before is answered again to the same credentials, with its age")
  func holds() async throws {
    let served = try await Served()
    let ways: [HTTPFields] = [
      [.cookie: served.his, .accept: "text/html"],
      [.authorization: "Bearer \(ServedHome.token)"],
      [
        .authorization: try await served.home.bearer(
          of: served.ben, .read, named: "reader", at: served.clock.now)
      ],
    ]
    try await served.home.ask(served.server) { client in
      for headers in ways {
        var before: [String: APIAnswer] = [:]
        for path in Self.reads {
          before[path] = try await client.get(path, headers: headers)
          #expect(before[path]?.status == 200, "\(path)")
          #expect(before[path].flatMap(Self.warning) == nil)
        }
        served.store.line.cut()
        served.clock.advance(by: 90)
        for path in Self.reads {
          let held = try await client.get(path, headers: headers)
          #expect(held.status == 200, "\(path)")
          #expect(held.text == before[path]?.text, "\(path)")
          #expect(held.headers[.eTag] == before[path]?.headers[.eTag])
          #expect(held.headers[.age] == "90")
          #expect(Self.warning(held) == #"110 - "Response is Stale""#)
          #expect(held.headers[.setCookie] == nil)
          var conditional = headers
          conditional[.ifNoneMatch] = held.headers[.eTag]
          let same = try await client.get(path, headers: conditional)
          #expect((same.status, same.headers[.age]) == (304, "90"))
          #expect(try await client.send(.head, path, headers: headers).status == 200)
        }
        served.store.line.mend()
        let after = try await client.get("/", headers: headers)
        #expect((after.status, after.headers[.age]) == (200, nil))
      }
    }
  }

  @Test("nobody else gets it, and nothing is made up: 503, which names no place")
  func refuses() async throws {
    let served = try await Served()
    try await served.home.ask(served.server) { client in
      let headers: HTTPFields = [.cookie: served.his, .accept: "text/html"]
      _ = try await client.get("/favorites", headers: headers)
      _ = try await client.get("/settings", headers: headers)
      _ = try await client.get("/", headers: [.cookie: served.hers])
      served.store.line.cut()
      let stranger = "offers-session=" + String(repeating: "0", count: 64)
      for (path, fields) in [
        ("/favorites", [.cookie: served.hers]), ("/favorites", [.cookie: stranger]),
        ("/favorites", [.cookie: served.his, .authorization: "Bearer x"]), ("/favorites", [:]),
        ("/changes", headers), ("/settings", headers), ("/login", [.accept: "text/html"]),
        ("/api/v1/events", headers), ("/api/v1/offers", headers),
      ] as [(String, HTTPFields)] {
        let answer = try await client.get(path, headers: fields)
        #expect(answer.status == 503, "\(path)")
        #expect(answer.headers[.retryAfter] == "5", "\(path)")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.text.contains("The database cannot be reached at present."), "\(path)")
        #expect(!answer.text.contains("db1"))
      }
      // Static files need no store.
      #expect(try await client.get("/sw.js", headers: headers).status == 200)
      #expect(try await client.get("/assets/icon-192.png").status == 200)
    }
    #expect(served.log.lines.filter { $0.contains("db1.internal") }.count == 1)
  }

  @Test("writes are refused, and change nothing; afterwards all is as usual")
  func refusesWrites() async throws {
    let served = try await Served()
    try await served.home.ask(served.server) { client in
      let cookie: HTTPFields = [.cookie: served.his]
      _ = try await client.get("favorites", headers: cookie)
      var (json, form) = (cookie, ServedHome.form)
      json[.contentType] = "application/json"
      form[.cookie] = served.his
      form[.accept] = "text/html"
      func star() async throws -> APIAnswer {
        try await client.write(.put, "offers/\(Self.ref)/favorite", headers: json)
      }
      served.store.line.cut()
      let refused = try await star()
      #expect(refused.status == 503)
      #expect(refused.headers[.retryAfter] == "5")
      #expect(
        refused.detail == "The database cannot be reached at present. Nothing was changed.")
      let page = try await client.send(
        .post, "/offers/\(Self.ref)/favorite", headers: form, body: "")
      #expect(page.status == 503)
      #expect(page.headers[.retryAfter] == "5")
      #expect(page.text.contains("Nothing was changed."))
      #expect(try await client.send(.post, "/login", headers: form, body: "name=Ben").status == 503)
      served.store.line.mend()
      #expect(try await client.get("favorites", headers: cookie).text == #"{"favorites":[]}"#)
      #expect(try await star().status == 200)
      #expect(try await client.get("favorites", headers: cookie).text.contains(Self.ref))
    }
    #expect(served.log.lines.last == "notice the database can be reached again")
  }

  @Test("after an hour, and once the login has ended, nothing is held")
  func ends() async throws {
    let served = try await Served()
    let path = "/api/v1/offers"
    try await served.home.ask(served.server) { client in
      func status(_ cookie: String) async throws -> Int {
        try await client.get(path, headers: [.cookie: cookie]).status
      }
      #expect(try await status(served.his) == 200)
      #expect(try await status(served.hers) == 200)
      served.store.line.cut()
      served.clock.advance(by: 3600)
      #expect(try await status(served.his) == 200)
      served.clock.advance(by: 1)
      #expect(try await status(served.his) == 503)
      served.store.line.mend()
      #expect(try await status(served.his) == 200)
      #expect(try await status(served.hers) == 200)
      var form = ServedHome.form
      form[.cookie] = served.his
      #expect(try await client.send(.post, "/logout", headers: form, body: "").status == 303)
      // A login that ended elsewhere ends here with the next request.
      #expect(try await status(served.hers) == 200)
      try await served.home.database.endSessions(
        try await served.home.database.fetchSessions().map(\.id))
      #expect(try await status(served.hers) == 401)
      served.store.line.cut()
      #expect(try await status(served.his) == 503)
      #expect(try await status(served.hers) == 503)
    }
  }

  @Test("a login, a token, a role and a user that ended elsewhere before do not count")
  func endsElsewhere() async throws {
    let served = try await Served()
    let (database, clock) = (served.home.database, served.clock)
    let responder = served.server.responder()
    let client = TestClient(responder)
    func fields(_ name: String) async throws -> (User, HTTPFields) {
      let user = try await served.home.addUser(name, .admin)
      return (user, [.cookie: try await served.home.cookie(of: user, at: clock.now)])
    }
    let (_, kept) = try await fields("Kim")
    let (demoted, hers) = try await fields("Dora")
    let (removed, his) = try await fields("Rolf")
    let bearer: HTTPFields = [
      .authorization: try await served.home.bearer(
        of: served.ben, .read, named: "reader", at: clock.now)
    ]
    let ended: [HTTPFields] = [[.cookie: served.his], bearer, hers, his]
    for headers in ended + [kept] {
      #expect(try await client.get("offers", headers: headers).status == 200)
    }
    try await database.setPassphrase(nil, of: served.ben.id, keeping: nil)
    try await database.revokeToken(
      try #require(try await database.fetchTokens(of: served.ben.id).first).id)
    try await database.changeUser(demoted.id, name: nil, role: .viewer)
    try await database.removeUser(removed.id)
    await responder.access.forgetEndedVisitors()
    served.store.line.cut()
    for headers in ended {
      #expect(try await client.get("offers", headers: headers).status == 503)
    }
    #expect(try await client.get("offers", headers: kept).status == 200)
    await responder.access.forgetEndedVisitors()
    #expect(try await client.get("offers", headers: kept).status == 200)
  }

  @Test("a token that was replaced in its file counts no more")
  func tokenFile() async throws {
    let served = try await Served()
    let headers: HTTPFields = [.authorization: "Bearer \(ServedHome.token)"]
    try await served.home.ask(served.server) { client in
      #expect(try await client.get("offers", headers: headers).status == 200)
      served.store.line.cut()
      #expect(try await client.get("offers", headers: headers).status == 200)
      try served.home.write(token: "Vw3-9hLkzQy7TnEa5cRu")
      served.clock.advance(by: 1)
      #expect(try await client.get("offers", headers: headers).status == 503)
    }
  }

  @Test("a request asks the store once who the users are, and once whether an answer is current")
  func asksOnce() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let count = Count()
    store.line.hold.withLock { $0 = { count.asked.withLock { $0 += 1 } } }
    let server = try home.server(store: store)
    try await home.ask(server) { client in
      let first = try await client.get("/api/v1/favorites")
      count.asked.withLock { $0 = 0 }
      let second = try await client.get("/api/v1/favorites")
      #expect((first.status, second.status) == (200, 200))
      #expect(count.asked.withLock { $0 } == 2)
    }
  }

  /// The number of questions to a store.
  private final class Count: Sendable {
    let asked = Mutex(0)
  }

  @Test("an event stream stays open meanwhile, and goes on afterwards")
  func events() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let hub = EventHub(signal: store, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    let events = try await hub.listen(.session([1]), of: 1) {
      try store.line.check()
      return true
    }
    var received = events.makeAsyncIterator()
    #expect(await received.next() != nil)
    store.line.cut()
    _ = try await home.database.setFavorites(named: [Self.ref], to: true)
    let refusal = await #expect(throws: OffersError.self) {
      try await hub.listen(.session([2]), of: 1)
    }
    #expect(refusal?.code == .storeUnreachable)
    #expect(hub.listenerCount == 1)
    store.line.mend()
    let event = try #require(await received.next())
    #expect(String(buffer: event).hasPrefix("event: changed\n"))
  }
}
