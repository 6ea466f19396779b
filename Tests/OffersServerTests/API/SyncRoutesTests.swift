import Hummingbird
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Synchronization
import TestStores
import Testing

@testable import OffersServer

/// A syncer whose syncs end when a test lets them.
final class HeldSyncer: FeedSyncer {
  private let release = AsyncStream.makeStream(of: Void.self)
  let wasCancelled = Mutex(false)
  let interval = Mutex<Int?>(nil)
  /// The request of the last sync.
  let parameters = Mutex<SyncParameters?>(nil)

  func letGo() { release.continuation.finish() }

  func fetchKnownFeeds() -> [KnownFeed] {
    [
      KnownFeed(name: "ibotta", source: "sample", everySeconds: 86_400, isSearchable: false),
      KnownFeed(
        name: "club", source: "https://club.example/", everySeconds: 86_400, hasHeaders: true,
        isSearchable: false),
    ]
  }

  func setInterval(_ everySeconds: Int?, of feed: String) -> Bool {
    interval.withLock { interval in
      defer { interval = everySeconds }
      return interval != everySeconds
    }
  }

  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    self.parameters.withLock { $0 = parameters }
    progress(
      SyncProgress(feed: "ibotta", bytes: 10, totalBytes: 20, records: 1, isWriting: false))
    for await _ in release.stream {}
    if Task.isCancelled {
      wasCancelled.withLock { $0 = true }
      throw CancellationError()
    }
    finished("ibotta", .failure(OffersError(.sourceFailed, "Nothing came.")))
  }

  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults {
    throw OffersError(.sourceFailed, "Nothing came.")
  }
}

/// Whether a client is let in.
private final class Door: Sendable {
  let isOpen = Mutex(true)
}

@Suite("Syncs over the API")
struct SyncRoutesTests {
  /// Polls the status of the sync until a condition holds.
  private static func wait(
    _ client: TestClient, until isSo: ([String: Any]) throws -> Bool
  ) async throws {
    while try await !isSo(client.get("sync").object) { await Task.yield() }
  }

  @Test(
    "a source that only the command line may set, or without a single feed, is refused",
    arguments: [
      #"{"feeds":["ibotta"],"source":"/etc/passwd"}"#, #"{"feeds":["ibotta"],"source":"-"}"#,
      #"{"feeds":["ibotta"],"source":"file:///etc/passwd"}"#,
      #"{"feeds":["ibotta"],"source":"https://shop.example/?key={env:HOME}"}"#,
      #"{"feeds":["club"],"source":"https://shop.example/"}"#,
      #"{"feeds":["club"],"source":"sample"}"#,
      #"{"feeds":["ibotta"],"source":"http:///x"}"#, #"{"feeds":["ibotta"],"source":""}"#,
      #"{"source":"https://example.com"}"#, #"{"feeds":["ibotta"],"source":1}"#,
      #"{"accept_removals":1}"#, #"{"accept_removals":"true"}"#,
    ])
  func refusesSources(body: String) async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(syncer: HeldSyncer()))
    let answer = try await client.write(.post, "sync", body)
    #expect(answer.status == 400)
    #expect(try await client.get("sync").object["state"] as? String == "idle")
  }

  @Test("the source and the acceptance of removals are passed to the sync")
  func passesWishes() async throws {
    let home = try await ServedHome(feeds: [])
    let syncer = HeldSyncer()
    let client = try home.client(home.server(syncer: syncer))
    let body = #"{"feeds":["ibotta"],"source":"https://example.com/a","accept_removals":true}"#
    #expect(try await client.write(.post, "sync", body).status == 202)
    syncer.letGo()
    try await Self.wait(client) { $0["state"] as? String == "done" }
    #expect(
      syncer.parameters.withLock { $0 }
        == SyncParameters(["ibotta"], source: .url("https://example.com/a"), acceptsRemovals: true))
  }

  @Test("one sync runs at a time, and reports its progress and its result")
  func oneAtATime() async throws {
    let home = try await ServedHome(feeds: [])
    let syncer = HeldSyncer()
    let client = try home.client(home.server(syncer: syncer))
    #expect(try await client.get("sync").object["state"] as? String == "idle")
    let started = try await client.write(.post, "sync", #"{"feeds":["ibotta","ibotta"]}"#)
    #expect(started.status == 202)
    #expect(try started.object["id"] as? Int == 1)
    #expect(try started.objects("feeds").count == 1)
    try await Self.wait(client) {
      ($0["feeds"] as? [[String: Any]])?.first?["state"] as? String == "reading"
    }
    let second = try await client.write(.post, "sync")
    #expect(second.status == 409)
    #expect(try second.object["id"] as? Int == 1)
    syncer.letGo()
    try await Self.wait(client) { $0["state"] as? String == "done" }
    let feed = try #require(try await client.get("sync").objects("feeds").first)
    #expect(feed["state"] as? String == "failed")
    #expect((feed["error"] as? [String: Any])?["message"] as? String == "Nothing came.")
    let next = try await client.write(.post, "sync", "{}")
    #expect(try next.object["id"] as? Int == 2)
    try await Self.wait(client) { $0["state"] as? String == "done" }
  }

  @Test("unknown feeds and invalid bodies are refused")
  func refusals() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    for (body, status) in [
      (#"{"feeds":["nothing"]}"#, 404), (#"{"feeds":"ibotta"}"#, 400), (#"{"feed":[]}"#, 400),
      (#"{"feeds":[1]}"#, 400), ("null", 400), ("\u{FEFF}x", 400),
    ] {
      let answer = try await client.write(.post, "sync", body)
      #expect(answer.status == status, "\(body)")
    }
    #expect(try await client.get("sync").object["state"] as? String == "idle")
  }

  @Test("the shutdown cancels a running sync, and no other can be started")
  func close() async throws {
    let home = try await ServedHome(feeds: [])
    let syncer = HeldSyncer()
    let jobs = SyncJobs(syncer: syncer, now: { .now })
    _ = try await jobs.start(SyncParameters([]))
    await jobs.close()
    #expect(syncer.wasCancelled.withLock { $0 })
    #expect(jobs.status.phase == .done)
    await #expect(throws: Problem.self) { try await jobs.start(SyncParameters([])) }
    withExtendedLifetime(home) {}
  }

  @Test("listeners receive events of writes by this server and other processes, and of syncs")
  func events() async throws {
    let home = try await ServedHome()
    let other = try await home.store.open()
    try await LiveServer.run(try home.server(port: 0)) { server in
      func ask(_ method: String, _ path: String) async throws {
        let answer = try await server.exchange(
          "\(method) /api/v1/\(path) HTTP/1.1\r\n\(server.host)Connection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 20"), "\(answer)")
      }
      let connection = try RawConnection(port: server.port)
      let greeting = try await connection.exchange(
        "GET /api/v1/events HTTP/1.1\r\n\(server.host)\r\n"
      ) { $0.contains("event: sync\n") && $0.hasSuffix("\n\n\r\n") }
      #expect(greeting.contains("Content-Type: text/event-stream"))
      #expect(greeting.contains("X-Accel-Buffering: no\r\n"))
      #expect(greeting.contains(":\n\nretry: 2000\n\nevent: changed\ndata: {\"version\":"))
      #expect(greeting.contains("\"state\":\"idle\""))
      try await ask("PUT", "offers/ibotta:900117/favorite")
      _ = try await connection.receive { $0.contains("event: changed\n") }
      _ = try await other.setFavorites(named: ["ibotta:900117"], to: false)
      _ = try await connection.receive { $0.contains("event: changed\n") }
      try await ask("POST", "sync")
      _ = try await connection.receive { $0.contains("\"state\":\"done\",\"started_at\"") }
    }
  }

  @Test("a stream ends with the connection of its client, whose place is free then")
  func endsWithConnection() async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      @Sendable func open() async throws -> (RawConnection, String) {
        let connection = try RawConnection(port: server.port)
        let head = try await connection.exchange(
          "GET /api/v1/events HTTP/1.1\r\n\(server.host)\r\n"
        ) { $0.contains("\r\n\r\n") }
        return (connection, head)
      }
      var streams: [RawConnection] = []
      for _ in 0..<EventHub.clientLimit {
        let (stream, head) = try await open()
        #expect(head.hasPrefix("HTTP/1.1 200"))
        streams.append(stream)
      }
      #expect(try await open().1.hasPrefix("HTTP/1.1 503"))
      streams.removeLast()
      while try await open().1.hasPrefix("HTTP/1.1 503") {}
    }
  }

  @Test("the database is polled only while there are listeners, and their number is limited")
  func listeners() async throws {
    let home = try await ServedHome(feeds: [])
    let hub = EventHub(
      store: home.database, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    var all: [AsyncStream<ByteBuffer>] = []
    func client(_ number: Int) -> EventHub.Client { .session([UInt8(number)]) }
    for number in 0..<EventHub.listenerLimit {
      all.append(try await hub.listen(client(number / 20), of: Int64(number / 40)))
    }
    await #expect(throws: Problem.self) { try await hub.listen(client(200), of: 200) }
    #expect(hub.listenerCount == EventHub.listenerLimit)
    all = []
    #expect(hub.listenerCount == 0)
    _ = try await hub.listen(client(1), of: 1)
  }

  /// A database whose versions and commits are those of a test.
  private static func database(
    _ commits: AsyncStream<DataCommit>, version: @escaping @Sendable () -> Int64
  ) async throws -> OffersDatabase {
    OffersDatabase(
      WatchedEngine(
        try await OffersDatabase.inMemory(definitions: nil).engine, version: version,
        commits: commits))
  }

  private final class Counter: Sendable {
    private let number = Mutex<Int64>(0)

    func next() -> Int64 {
      number.withLock { number in
        number += 1
        return number
      }
    }
  }

  @Test("a commit between the greeting of a stream and its registration is told")
  func tellsOfEarlyCommits() async throws {
    let number = Counter()
    let store = try await Self.database(AsyncStream { _ in }) { number.next() }
    let hub = EventHub(
      store: store, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    let events = try await hub.listen(.session([1]), of: 1)
    var texts: [String] = []
    for await event in events.prefix(2) { texts.append(String(buffer: event)) }
    #expect(texts.first?.contains("\"version\":1") == true)
    #expect(texts.last?.contains("\"version\":2") == true)
  }

  @Test("a commit of favorites is told with them to their user, and to others without")
  func tellsFavorites() async throws {
    let (tea, milk) = (try #require(OfferRef("tea:1")), try #require(OfferRef("tea:2")))
    let commits = AsyncStream<DataCommit> { commits in
      commits.yield(DataCommit(version: 5))
      commits.yield(
        DataCommit(
          version: 6, changes: DataChanges(favorites: [1: [tea: true, milk: false]])))
      commits.yield(DataCommit(version: 7))
    }
    let store = try await Self.database(commits) { 5 }
    let hub = EventHub(
      store: store, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    let own = try await hub.listen(.session([1]), of: 1)
    let others = try await hub.listen(.session([2]), of: 2)
    func data(_ stream: AsyncStream<ByteBuffer>) async -> [String] {
      var texts: [String] = []
      for await event in stream.prefix(3) { texts.append(String(buffer: event)) }
      return texts.dropFirst().map { $0.split(separator: "data: ").last.map(String.init) ?? "" }
    }
    async let told = data(own)
    #expect(
      await data(others) == [
        #"{"version":6,"previous":5,"user":"2","favorites":[]}"# + "\n\n",
        #"{"version":7}"# + "\n\n",
      ])
    let favorites =
      #"[{"ref":"tea:1","favorite":true},{"ref":"tea:2","favorite":false}]"#
    #expect(
      await told.first
        == #"{"version":6,"previous":5,"user":"1","favorites":"# + favorites + "}\n\n")
  }

  @Test("a client with 20 streams gets no more, and locks nobody out")
  func listenersOfClient() async throws {
    let home = try await ServedHome(feeds: [])
    let hub = EventHub(
      store: home.database, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    var all: [AsyncStream<ByteBuffer>] = []
    let greedy = EventHub.Client.peer(.loopback)
    for _ in 0..<20 { all.append(try await hub.listen(greedy, of: 1)) }
    let refusal = await #expect(throws: Problem.self) { try await hub.listen(greedy, of: 1) }
    #expect(refusal?.status == .serviceUnavailable)
    all.append(try await hub.listen(.session([1]), of: 2))
    all.removeFirst()
    all.append(try await hub.listen(greedy, of: 1))
    #expect(hub.listenerCount == 21)
  }

  @Test("a user with 50 streams of several sessions gets no more, and locks nobody out")
  func listenersOfUser() async throws {
    let home = try await ServedHome(feeds: [])
    let hub = EventHub(
      store: home.database, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    var all: [AsyncStream<ByteBuffer>] = []
    for number in 0..<50 {
      all.append(try await hub.listen(.session([UInt8(number / 10)]), of: 7))
    }
    let refusal = await #expect(throws: Problem.self) {
      try await hub.listen(.session([99]), of: 7)
    }
    #expect(refusal?.status == .serviceUnavailable)
    all.append(try await hub.listen(.session([100]), of: 8))
    #expect(hub.listenerCount == 51)
  }

  @Test("a stream ends when its client is not let in any more, and the others stay")
  func endsUnwelcome() async throws {
    let home = try await ServedHome()
    let hub = EventHub(
      store: home.database, jobs: SyncJobs(syncer: HeldSyncer(), now: { .now }))
    let door = Door()
    let mine = try await hub.listen(.session([1]), of: 1) { door.isOpen.withLock { $0 } }
    let other = try await hub.listen(.session([2]), of: 2) { true }
    door.isOpen.withLock { $0 = false }
    _ = try await home.database.setFavorites(named: ["ibotta:900117"], to: true)
    // Without the end this would wait for ever.
    for await _ in mine {}
    #expect(hub.listenerCount == 1)
    withExtendedLifetime(other) {}
  }
}
