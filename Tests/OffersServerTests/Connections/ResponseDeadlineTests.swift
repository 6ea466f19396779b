import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Deadlines of reads", .timeLimit(.minutes(1)))
struct ResponseDeadlineTests {
  /// A store whose reads hang until they are cancelled.
  private struct HangingStore {
    let store: RemoteStore
    /// `begun` for each read, and `cancelled` when it is.
    let events: AsyncStream<String>

    init(_ home: ServedHome) {
      store = RemoteStore(home.database)
      let (events, noted) = AsyncStream.makeStream(of: String.self)
      self.events = events
      store.line.hold.withLock {
        $0 = {
          noted.yield("begun")
          defer { if Task.isCancelled { noted.yield("cancelled") } }
          try await Task.sleep(for: .seconds(1000))
        }
      }
    }

    func wait(for event: String) async {
      for await next in events where next == event { return }
    }
  }

  @Test(
    "a read beyond its deadline is cancelled, and answered by 503 with a sentence and Retry-After",
    arguments: [
      "/api/v1/offers", "/api/v1/feeds/ibotta", "/", "/offer/ibotta:1",
    ])
  func ends(path: String) async throws {
    let home = try await ServedHome()
    let hanging = HangingStore(home)
    var responder = try home.server(store: hanging.store.database).responder()
    responder.readLimit = .milliseconds(20)
    let answer = try await TestClient(responder).get(
      path, headers: [.accept: "text/html, application/json"])
    #expect(answer.status == 503)
    #expect(answer.headers[.retryAfter] == "10")
    #expect(answer.text.contains("The answer would have taken longer than"))
    await hanging.wait(for: "cancelled")
  }

  @Test("the next read is answered after one that was given up")
  func recovers() async throws {
    let home = try await ServedHome()
    let hanging = HangingStore(home)
    var responder = try home.server(store: hanging.store.database).responder()
    responder.readLimit = .milliseconds(20)
    let client = TestClient(responder)
    // More reads than there are turns.
    for _ in 0..<20 { _ = try await client.get("offers") }
    hanging.store.line.hold.withLock { $0 = nil }
    responder.readLimit = ServedContext.usualReadLimit
    let answer = try await TestClient(responder).get("offers")
    #expect(answer.status == 200)
  }

  @Test(
    "a read is cancelled when its client closes the connection, or its sending side",
    arguments: [false, true], [1, 3])
  func clientGone(closesSending: Bool, requestCount: Int) async throws {
    let home = try await ServedHome()
    let hanging = HangingStore(home)
    try await LiveServer.run(home.server(store: hanging.store.database, port: 0)) { server in
      var connection: RawConnection? = try RawConnection(port: server.port)
      for _ in 1...requestCount {
        connection?.send("GET /api/v1/offers HTTP/1.1\r\n\(server.host)\r\n")
      }
      await hanging.wait(for: "begun")
      let time = await ContinuousClock().measure {
        if closesSending { connection?.closeSending() } else { connection = nil }
        await hanging.wait(for: "cancelled")
      }
      #expect(time < .seconds(4), "\(time)")
      // The server is fine.
      hanging.store.line.hold.withLock { $0 = nil }
      let answer = try await server.exchange(
        "GET /api/v1/offers HTTP/1.1\r\nConnection: close\r\n\(server.host)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("a connection is used again after a read")
  func keepsAlive() async throws {
    let home = try await ServedHome()
    try await LiveServer.run(home.server(port: 0)) { server in
      let connection = try RawConnection(port: server.port)
      for _ in 1...3 {
        let answer = try await connection.exchange(
          "GET /api/v1/feeds HTTP/1.1\r\n\(server.host)\r\n"
        ) { $0.hasSuffix("}") }
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("the server stops within 5 s, whatever it reads")
  func stops() async throws {
    let home = try await ServedHome()
    let hanging = HangingStore(home)
    let clock = ContinuousClock()
    let (connection, stopped) = try await LiveServer.run(
      home.server(store: hanging.store.database, port: 0)
    ) { server in
      let connection = try RawConnection(port: server.port)
      connection.send("GET /api/v1/offers HTTP/1.1\r\n\(server.host)\r\n")
      await hanging.wait(for: "begun")
      return (connection, clock.now)
    }
    #expect(clock.now - stopped < .seconds(5))
    withExtendedLifetime(connection) {}
  }

  @Test(
    "a read that may wait for other servers has a longer time, and its search of the store the usual one"
  )
  func ofNetwork() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    store.line.hold.withLock { $0 = { try await Task.sleep(for: .milliseconds(50)) } }
    var responder = try home.server(store: store.database).responder()
    responder.readLimit = .milliseconds(20)
    let client = TestClient(responder)
    #expect(try await client.get("images/ibotta:none").status == 404)
    #expect(try await client.get("search?q=tea").status == 503)
    #expect(try await client.get("offers").status == 503)
  }

  @Test("however many reads a user has, those of another, images and writes do not wait for them")
  func fair() async throws {
    let home = try await ServedHome()
    let (responder, door) = (try home.server().responder(), Door())
    let held = (0..<9).map { _ in
      Task { [turns = responder.turns] in try await turns.run(for: 77) { await door.pass() } }
    }
    await Door.wait { door.inside == 8 && responder.turns.waitingCount == 1 }
    let client = TestClient(responder)
    #expect(try await client.get("offers").status == 200)
    let others = (0..<8).map { _ in
      Task { [turns = responder.turns] in try await turns.run(for: 78) { await door.pass() } }
    }
    await Door.wait { door.inside == 16 }
    async let page = client.get("offers?limit=2")
    await Door.wait { responder.turns.waitingCount == 2 }
    #expect(try await client.get("health").status == 200)
    #expect(try await client.get("images/ibotta:none").status == 404)
    let star = try await client.write(.put, "offers/ibotta:900117/favorite")
    #expect(star.status == 200)
    door.open()
    #expect(try await page.status == 200)
    for task in held + others { try await task.value }
  }
}
