import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import OffersSQLite
import Synchronization
import Testing

@testable import OffersServer

@Suite("A server whose store cannot be reached")
struct StoreOutageTests {
  private static let ref = "ibotta:900117"
  /// A server with a second user and a clock.
  private struct Served {
    let home: ServedHome
    let clock = SteppedClock()
    let log = RecordedLog()
    let store: RemoteStore
    let server: OffersServer
    let ben: User
    let his: String

    init() async throws {
      home = try await ServedHome()
      store = RemoteStore(home.database)
      ben = try await home.addUser("Ben", .member)
      his = try await home.cookie(of: ben, at: clock.now)
      server = try home.server(
        token: ServedHome.token, clock: clock, log: log, store: store.database)
    }
  }

  @Test("reads get 503, which names no place, and the log has a line")
  func refuses() async throws {
    let served = try await Served()
    let client = try served.home.client(served.server)
    let headers: HTTPFields = [.cookie: served.his, .accept: "text/html"]
    _ = try await client.get("/favorites", headers: headers)
    _ = try await client.get("/settings", headers: headers)
    served.store.line.cut()
    let stranger = "offers-session=" + String(repeating: "0", count: 64)
    for (path, fields) in [
      ("/favorites", headers), ("/favorites", [.cookie: stranger]),
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
    #expect(served.log.lines.filter { $0.contains("db1.internal") }.count == 1)
  }

  @Test("writes are refused, and change nothing; afterwards all is as usual")
  func refusesWrites() async throws {
    let served = try await Served()
    let client = try served.home.client(served.server).by(served.his)
    _ = try await client.get("favorites")
    func star() async throws -> APIAnswer {
      try await client.write(.put, "offers/\(Self.ref)/favorite")
    }
    served.store.line.cut()
    let refused = try await star()
    #expect(refused.status == 503)
    #expect(refused.headers[.retryAfter] == "5")
    #expect(refused.detail == "The database cannot be reached at present.")
    let browser = client.with(.accept, "text/html")
    let page = try await browser.form("/offers/\(Self.ref)/favorite")
    #expect(page.status == 503)
    #expect(page.headers[.retryAfter] == "5")
    #expect(try await browser.form("/login", "name=Ben").status == 503)
    served.store.line.mend()
    #expect(try await client.get("favorites").text == #"{"favorites":[]}"#)
    #expect(try await star().status == 200)
    #expect(try await client.get("favorites").text.contains(Self.ref))
    #expect(served.log.lines.last == "notice the database can be reached again")
  }

  @Test("a request asks the store once who the users are, and once whether an answer is current")
  func asksOnce() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let count = Count()
    store.line.hold.withLock { $0 = { count.asked.withLock { $0 += 1 } } }
    let client = try home.client(home.server(store: store.database))
    let first = try await client.get("/api/v1/favorites")
    count.asked.withLock { $0 = 0 }
    let second = try await client.get("/api/v1/favorites")
    #expect((first.status, second.status) == (200, 200))
    #expect(count.asked.withLock { $0 } == 2)
  }

  /// The number of questions to a store.
  private final class Count: Sendable {
    let asked = Mutex(0)
  }

  @Test("an event stream stays open meanwhile, and goes on afterwards")
  func events() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let hub = EventHub(store: store.database, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
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
