import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersStore

@Suite("A first import, in a database that gets its name at the end")
struct FirstImportTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("offers.sqlite")
  }

  /// Enough that what a sync compares with is kept.
  private static let offers =
    (1...5000).map { FeedOffer("\($0)", name: "Milk \($0)") }
    + [
      FeedOffer(
        "last", name: "Tea", description: "Loose",
        reward: Reward(text: "5 %", value: .percent(hundredths: 500), isUpTo: false),
        more: [.retailer: "Corner Shop"])
    ]

  private func begin() throws -> FirstImport {
    try #require(try FirstImport.begin(at: path, expectedBytes: 9 << 20))
  }

  /// One that has been given offers while their document is still read.
  private func beginTaking(_ offers: [FeedOffer]) throws -> FirstImport {
    let store = try begin()
    let intake = try #require(try store.beginIntake(of: Self.plan().run, isIndexed: true))
    try intake.take(Self.records(offers, from: 1))
    return store
  }

  private static func records(_ offers: some Sequence<FeedOffer>, from position: Int) -> FeedRecords
  {
    FeedRecords(
      items: offers.enumerated().map { .init(offer: $1, position: position + $0, key: 0) })
  }

  private static func plan(_ records: FeedRecords = FeedRecords()) -> SyncPlan {
    SyncPlan(
      run: SyncRun(
        feed: "ibotta", source: "/feeds/ibotta.json", outcome: .updated, bytes: 10,
        startedAt: Date(timeIntervalSince1970: 1000), durationSeconds: 0),
      newRecords: records, knownRecords: FeedRecords(), vanishedKeys: [], rememberedSource: nil,
      document: nil)
  }

  /// Imports offers, some hundreds at a time, the last ones with the plan.
  private func fill(_ store: FirstImport, _ offers: [FeedOffer]) async throws -> SyncRun {
    let intake = try #require(try store.beginIntake(of: Self.plan().run, isIndexed: true))
    var position = 1
    var rest = offers[...]
    while rest.count > 700 {
      try intake.take(Self.records(rest.prefix(700), from: position))
      rest = rest.dropFirst(700)
      position += 700
    }
    return try await store.apply(Self.plan(Self.records(rest, from: position)))
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("it makes the database that a sync makes")
  func makesTheSame() async throws {
    let other = try Store()
    // The second of two offers of one id is left out on either way.
    let offers = Self.offers + [FeedOffer("7", name: "Milk again")]
    try await other.sync(Self.offers)
    let store = try begin()
    let run = try await fill(store, offers)
    #expect(run.counts.new == 5001)
    #expect(run.counts.skipped == 1)
    #expect(run.problems.map(\.position) == [5002])
    #expect(try await store.end())
    for table in ["offer", "offer_detail", "change", "new_offers", "feed_detail", "search_state"] {
      let query = "SELECT * FROM \(table) ORDER BY 1, 2"
      #expect(try Store.rows(path, query) == other.rows(query), "\(table)")
    }
    let query = "SELECT feed_key, name, source, current_count FROM feed"
    #expect(try Store.rows(path, query) == other.rows(query))
    #expect(
      try Store.rows(path, "SELECT outcome, new_count, skipped_count, rows_written FROM sync_run")
        == ["updated|5001|1|5001"])
    let database = try OffersDatabase(path: path)
    #expect(try await database.search(SearchQuery("corner")).hits.map(\.offer.ref.id) == ["last"])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
    #expect(try Store.rows(path, "PRAGMA foreign_key_check") == [])
  }

  @Test("nothing is to be seen before its end; then it is its owner's, with its log on")
  func isHidden() async throws {
    let store = try beginTaking(Self.offers)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(throws: OffersError.self) { try OffersDatabase(path: path, access: .readOnly) }
    #expect(try await store.apply(Self.plan()).counts.new == 5001)
    #expect(try names() == ["offers.sqlite", "offers.sqlite-lock"])
    #expect(try await store.end())
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // Of the room that was asked for nothing is left that it does not need.
    var information = stat()
    #expect(stat(path, &information) == 0)
    #expect(Int(information.st_blocks) * 512 < Int(information.st_size) + (64 << 10))
    #expect(
      try DatabaseFile(path: path).readHeader() == .ours(version: Schema.version, isReady: true))
    #expect(try Store.rows(path, "PRAGMA journal_mode") == ["wal"])
  }

  @Test("a small one, of which nothing was taken before its end, is the same")
  func takesSmallOnes() async throws {
    let store = try begin()
    #expect(
      try await store.apply(Self.plan(Self.records([FeedOffer("1")], from: 1))).counts.new == 1)
    #expect(try await store.end())
    #expect(try Store.rows(path, "SELECT id FROM offer") == ["1"])
  }

  @Test("one that is given up leaves nothing but the lock, and the next one begins anew")
  func leavesNothing() async throws {
    let store = try beginTaking(Self.offers)
    #expect(try await store.end())
    #expect(try names() == ["offers.sqlite-lock"])
    // As a killed one leaves it.
    try Data("half".utf8).write(to: URL(fileURLWithPath: path + "-setup"))
    let next = try begin()
    _ = try await fill(next, Array(Self.offers.prefix(3)))
    #expect(try await next.end())
    #expect(try Store.rows(path, "SELECT id FROM offer ORDER BY id") == ["1", "2", "3"])
  }

  @Test("a run that failed is noted in a database without offers")
  func notesFailures() async throws {
    let store = try beginTaking(Self.offers)
    let error = OffersError(.malformedFeed, "The document ends too early.")
    try await store.record(
      SyncRun(
        feed: "ibotta", source: "/feeds/ibotta.json", outcome: .failed, bytes: 10,
        startedAt: Date(timeIntervalSince1970: 1000), durationSeconds: 0, error: error),
      remember: nil, fetch: nil)
    #expect(try await store.end())
    #expect(
      try Store.rows(path, "SELECT outcome, error_message FROM sync_run") == [
        "failed|\(error.message)"
      ])
    #expect(try Store.rows(path, "SELECT count(*) FROM offer") == ["0"])
    #expect(!FileManager.default.fileExists(atPath: path + "-setup"))
  }

  @Test("what the schema refuses ends it, is told, and leaves nothing")
  func tellsOfRefusals() async throws {
    let store = try beginTaking([FeedOffer("1"), FeedOffer("2", name: "")])
    let error = await #expect(throws: OffersError.self) { try await store.apply(Self.plan()) }
    #expect(error?.code == .storageFailed)
    #expect(try await store.end())
    #expect(try names() == ["offers.sqlite-lock"])
  }

  @Test("a database that comes to stand there meanwhile stays as it is")
  func comesTooLate() async throws {
    let other = try Store()
    try await other.sync([FeedOffer("other")])
    let store = try beginTaking(Self.offers)
    try FileManager.default.copyItem(atPath: other.path, toPath: path)
    let error = await #expect(throws: OffersError.self) { try await store.apply(Self.plan()) }
    #expect(error?.code == .storageFailed)
    #expect(try await store.end() == false)
    #expect(!FileManager.default.fileExists(atPath: path + "-setup"))
    #expect(try Store.rows(path, "SELECT id FROM offer") == ["other"])
  }

  @Test("while one is under way no other begins, and none takes anything of it away")
  func isAlone() async throws {
    let store = try beginTaking(Self.offers)
    #expect(try FirstImport.begin(at: path, expectedBytes: 0) == nil)
    #expect(try await store.apply(Self.plan()).counts.new == 5001)
    #expect(try await store.end())
    #expect(try Store.rows(path, "SELECT count(*) FROM offer") == ["5001"])
  }

  @Test("whoever would write waits for its end, and finds the offers; readers are told of it")
  func keepsOthersWaiting() async throws {
    let store = try begin()
    let error = #expect(throws: OffersError.self) {
      try OffersDatabase(path: path, access: .readOnly)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("being made by its first import") == true)
    // On a thread that no task needs.
    async let waiting = withCheckedContinuation { continuation in
      DispatchQueue.global().async { [path] in
        continuation.resume(
          returning: Result {
            _ = try OffersDatabase(path: path)
            return try Store.rows(path, "SELECT count(*) FROM offer")
          })
      }
    }
    _ = try await fill(store, Self.offers)
    #expect(try await store.end())
    #expect(try await waiting.get() == ["5001"])
    // Afterwards they are told what they always were.
    try FileManager.default.removeItem(atPath: path)
    let after = #expect(throws: OffersError.self) {
      try OffersDatabase(path: path, access: .readOnly)
    }
    #expect(after?.message.contains("no database yet") == true)
  }

  @Test("what a killed one left goes with the next sync, where the database came from elsewhere")
  func clearsAway() async throws {
    let database = try OffersDatabase(path: path)
    try Data("half".utf8).write(to: URL(fileURLWithPath: path + "-setup"))
    try await database.clearAway(after: 1, at: Date(timeIntervalSince1970: 1000))
    #expect(!FileManager.default.fileExists(atPath: path + "-setup"))
  }

  @Test(
    "none begins where anything stands",
    arguments: ["a database", "an empty file", "a folder", "a link to nowhere"])
  func respectsWhatIsThere(what: String) throws {
    switch what {
    case "a database": _ = try OffersDatabase(path: path)
    case "an empty file": try Data().write(to: URL(fileURLWithPath: path))
    case "a folder":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default:
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: folder.file("nowhere"))
    }
    let before = try names()
    #expect(try FirstImport.begin(at: path, expectedBytes: 9 << 20) == nil)
    #expect(try names() == before)
  }

  @Test("one that cannot be made is left to whoever opens the database, and tells why")
  func isNotMadeAnywhere() throws {
    try Data().write(to: URL(fileURLWithPath: folder.file("file")))
    #expect(try FirstImport.begin(at: folder.file("file/offers.sqlite"), expectedBytes: 0) == nil)
    #expect(try FirstImport.begin(at: "/proc/offers.sqlite", expectedBytes: 0) == nil)
  }
}
