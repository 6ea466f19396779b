import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import TestStores
import Testing

/// Two processes sync one feed from a server whose document changes. Both are killed at random
/// moments: while they start, fetch, read, write, or wait for each other. The tests sleep until
/// these moments.
@Suite("kill -9 of two concurrent syncs from a server", .serialized)
struct KilledFetchTests {
  private let home: Home
  private let server: ChangingServer

  private static let killCount = TestSize.isLong ? 200 : 24
  /// The number of rounds after which the database is deleted, so that a first import follows.
  private static let roundsPerDatabase = 25
  private static let latestMicroseconds = 150_000.0

  init() throws {
    home = try Home()
    server = try ChangingServer(requestsPerVersion: 2) { Self.document($0) }
  }

  /// Returns the names in a version of the document. Each version renames all offers, removes ten
  /// and adds ten: few enough removals not to be held back.
  private static func names(_ version: Int) -> [String] {
    (version * 10..<version * 10 + 400).map { "Offer \($0) of version \(version)" }
  }

  private static func document(_ version: Int) -> String {
    let records = names(version).enumerated().map { place, name in
      #"{"id":"\#(version * 10 + place)","name":"\#(name)","current_value":"$1.00 Cash Back"}"#
    }
    return "[\(records.joined(separator: ",\n"))]"
  }

  /// Returns the version of the document that the stored offers come from, or nil if there are
  /// none.
  private static func version(of offers: [UserOffer]) -> Int? {
    offers.first.flatMap { $0.name.split(separator: " ").last }.flatMap { Int($0) }
  }

  /// Starts two syncs and kills each at a random moment. Returns how many were killed before they
  /// ended.
  ///
  /// - Parameter isFetching: Whether the moments count from the first request instead of from the
  ///   start.
  private func killTwo(
    onceOneIsFetching isFetching: Bool, meanwhile body: () async throws -> Void
  ) async throws -> Int {
    let requestCount = server.statuses.count
    let processes = try (0..<2).map { _ in
      try OffersProgram.start(
        ["sync", "--quiet", "--from", server.url], environment: home.environment)
    }
    if isFetching {
      while server.statuses.count == requestCount, processes.contains(where: \.isRunning) {
        usleep(500)
      }
    }
    let begun = ContinuousClock.now
    try await body()
    let moments = processes.map { _ in Double.random(in: 0...Self.latestMicroseconds) }.sorted()
    for (process, moment) in zip(processes.shuffled(), moments) {
      let gone = (ContinuousClock.now - begun) / .microseconds(1)
      usleep(UInt32(max(0, moment - gone)))
      process.send(SIGKILL)
    }
    return processes.count { $0.wait() == -SIGKILL }
  }

  /// Opens the database that a kill left, or returns nil if there is none.
  private func openDatabase() async throws -> OffersDatabase? {
    do {
      return try await home.store.open(.readOnly)
    } catch let error as OffersError where error.code == .notFound {
      // A first import that was killed very early leaves no database, or an empty file.
      return nil
    }
  }

  /// Checks that the offers are those of one whole document, that the stored validator belongs to
  /// it, and that no favorite is lost. Returns the version and its ids.
  @discardableResult
  private func check(favorites: Set<String>) async throws -> (version: Int?, ids: [String]) {
    guard let database = try await openDatabase() else {
      #expect(favorites.isEmpty)
      return (nil, [])
    }
    let offers = try await database.fetchOffers(OfferQuery())
    let marked = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(Set(marked.map(\.ref.offerID)) == favorites)
    let etag = try await database.fetchFeeds().first?.fetch.etag
    let version = Self.version(of: offers)
    let expected = version.map { Self.names($0).sorted() } ?? []
    #expect(offers.map(\.name).sorted() == expected, "half of a document")
    #expect(etag == version.map(ChangingServer.etag), "the validator of another document")
    #expect(version.map { $0 <= server.version } ?? true)
    return (version, offers.map(\.ref.offerID))
  }

  @Test(
    "Two syncs killed at any moment leave one whole document with its own validator",
    .aboutFile)
  func killsTwoSyncs() async throws {
    server.setPaces([.atOnce, .dripping, .dripping, .atOnce, .atOnce])
    var killCount = 0
    var round = 0
    var versions: Set<Int> = []
    var favorites: Set<String> = []
    var ids: [String] = []
    while killCount < Self.killCount {
      if round % Self.roundsPerDatabase == 0 {
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(home.database + suffix) }
        favorites = []
        ids = []
      }
      round += 1
      killCount += try await killTwo(onceOneIsFetching: round % 4 != 0) {
        guard let id = ids.randomElement() else { return }
        _ = try await home.store.open().setFavorites(named: [id], to: true)
        favorites.insert(id)
      }
      let found = try await check(favorites: favorites)
      ids = found.ids
      if let version = found.version { versions.insert(version) }
      if round % 2 == 0 { try await syncWhole(favorites) }
    }
    #expect(server.statuses.contains(304))
    #expect(versions.count > Self.killCount / 20)
  }

  /// Runs a sync to its end while the document does not change.
  private func syncWhole(_ favorites: Set<String>) async throws {
    // Two syncs that were killed before they created a database leave none to check.
    if try await openDatabase() != nil {
      let integrity = try home.integrity()
      #expect(integrity == "ok\n", "\(integrity)")
    }
    server.setChanging(false)
    defer { server.setChanging(true) }
    let result = try home.offers("sync", "--quiet", "--force", "--from", server.url)
    #expect(result.status == 0, "\(result.errors)")
    let found = try await check(favorites: favorites)
    #expect(found.version == server.version, "after a \(server.statuses.last ?? 0)")
  }

  @Test(
    "A sync that was killed while fetching releases the feed's lock at once",
    .aboutFile)
  func freesTheFeed() async throws {
    let silent = try ScriptedServer([.silence])
    let process = try OffersProgram.start(
      ["sync", "--quiet", "--from", silent.url()], environment: home.environment)
    let database = try await home.store.open()
    while silent.requests.isEmpty, process.isRunning { await Task.yield() }
    let error = await #expect(throws: OffersError.self) {
      try await database.withSyncLock(on: "ibotta", waitSeconds: 0) {}
    }
    #expect(error?.code == .locked)
    process.send(SIGKILL)
    process.wait()
    #expect(try await database.withSyncLock(on: "ibotta", waitSeconds: 0) { true })
  }

  @Test("Of two concurrent syncs of a due feed, one fetches and the other finds it fresh")
  func fetchesOnce() async throws {
    server.setPaces([.dripping])
    let configuration = try home.define(
      "own", from: server.url, "fields: {name: name, reward: current_value}")
    let names = ["first", "second"]
    let processes = try names.map { name in
      try home.folder.write("", to: name)
      return try OffersProgram.start(
        ["sync", "own", "--due", "--json", "--explain", "--config", configuration],
        environment: home.environment,
        output: FileHandle(forWritingTo: URL(fileURLWithPath: home.folder.file(name))))
    }
    for process in processes {
      #expect(process.wait() == 0)
    }
    let outcomes = try names.map { name in
      let runs = try Home.parse(home.folder.text(of: name))["runs"] as? [[String: Any]]
      let run = try #require(runs?.first)
      let putOff = run["put_off"] as? [String: Any]
      return "\(run["outcome"] ?? "none") \(putOff?["why"] ?? "")"
    }
    #expect(Set(outcomes) == ["updated ", "skipped fresh"])
    #expect(server.statuses == [200])
  }
}
