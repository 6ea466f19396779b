import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Closing a database")
struct ClosingTests {
  private static func image(_ url: String) throws -> CachedImage {
    let bytes = TinyImage.png(filling: [1, 2, 3])
    return CachedImage(
      url: url, bytes: bytes, header: try ImageHeader(reading: bytes), etag: nil,
      lastModified: nil, fetchedAt: Date(timeIntervalSince1970: 1000),
      freshUntil: Date(timeIntervalSince1970: 2000))
  }

  /// The number of image look-ups that found one, as stored.
  private static func hits(_ path: String) async throws -> Int {
    let database = try await OffersDatabase.open(path: path, access: .readOnly)
    return try await database.fetchImageContents(now: Date()).hits
  }

  @Test("closing writes the gathered image uses and closes the connections")
  func flushes() async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    let database = try await OffersDatabase.open(path: path)
    try await database.putImage(Self.image("a"))
    for _ in 0..<3 { _ = try await database.findImage("a") }
    _ = try await database.fetchDataVersion()
    #expect(OpenFiles.count(of: path) > 0)
    try await database.close()
    #expect(OpenFiles.count(of: path) == 0)
    #expect(try await Self.hits(path) == 3)
  }

  @Test("a database that is released without being closed loses no image use")
  func losesNothing() async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    func use() async throws {
      let database = try await OffersDatabase.open(path: path)
      try await database.putImage(Self.image("a"))
      _ = try await database.findImage("a")
    }
    try await use()
    // The write may still be under way; the limit is for a failing test only.
    let deadline = ContinuousClock.now + .seconds(60)
    while try await Self.hits(path) == 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await Self.hits(path) == 1)
  }

  @Test(
    "closing waits for the write under way, also that of a database that is open for reading",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func waits(access: OffersDatabase.Access) async throws {
    let store = try await Store()
    let database = try await OffersDatabase.open(path: store.path, access: access)
    let hold = Hold()
    let events = Events()
    let writing = Task {
      try await database.sqlite.writing(always: true) { writer in
        try await writer.write { database in
          hold.begin()
          try database.execute(
            sql: """
              INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', '1', 1500)
              """)
          events.add("write")
        }
      }
    }
    await hold.begun()
    let closing = Task {
      try await database.close()
      events.add("close")
    }
    // Closing has begun as soon as operations are refused.
    while (try? database.sqlite.checkOpen()) != nil { await Task.yield() }
    // A closing that does not wait ends within this time.
    try await Task.sleep(for: .milliseconds(200))
    hold.end()
    try await writing.value
    try await closing.value
    #expect(events.all == ["write", "close"])
    #expect(try store.rows("SELECT id FROM favorite") == ["1"])
  }

  @Test("closing twice, also at the same time, or after a cancelled closing, is fine")
  func closesTwice() async throws {
    let store = try await Store()
    let database = try await OffersDatabase.open(path: store.path)
    _ = try await database.fetchFeeds()
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await database.close()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { try await database.close() } }
      try await group.waitForAll()
    }
    try await cancelled.value
    try await database.close()
    #expect(throws: OffersError.self) { try database.sqlite.checkOpen() }
  }

  @Test(
    "every operation on a closed database throws invalidRequest, whatever the access",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func refuses(access: OffersDatabase.Access) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let plan = try await store.plan([FeedOffer("2")])
    let database = try await OffersDatabase.open(path: store.path, access: access)
    try await database.close()
    let operations: [@Sendable () async throws -> Void] = [
      { _ = try await database.fetchOffers(OfferQuery()) },
      { _ = try await database.fetchFeeds() },
      { _ = try await database.search(SearchQuery("tea")) },
      { _ = try await database.fetchDataVersion() },
      { _ = try await database.findImage("a") },
      { _ = try await database.touchImage("a") },
      { try await database.putImage(Self.image("a")) },
      { _ = try await database.setFavorites(named: ["1"], to: true) },
      { _ = try await database.apply(plan) },
      { _ = try await database.preview(plan) },
      { try await database.withSyncLock(on: "ibotta", waitSeconds: 0) {} },
      {
        _ = try await database.prune(
          goneBefore: Date(), now: Date(), trustsClock: true, isTrial: false)
      },
      { try await database.sqlite.backUp(to: store.folder.file("copy.sqlite")) },
    ]
    for (number, operation) in operations.enumerated() {
      let error = await #expect(throws: OffersError.self, "operation \(number)") {
        try await operation()
      }
      #expect(error?.code == .invalidRequest, "operation \(number)")
      #expect(error?.message == "The database \(store.path) is closed.", "operation \(number)")
    }
    #expect(try await store.database.countOffers(OfferQuery()) == 1)
  }

  @Test("closing waits for another writer two seconds at most, and drops the image uses then")
  func waitsBriefly() async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    let database = try await OffersDatabase.open(path: path)
    try await database.putImage(Self.image("a"))
    _ = try await database.findImage("a")
    let lock = try DatabaseLock(path: DatabaseFile(path: path).lockPath)
    #expect(try lock.tryLock())
    let begun = ContinuousClock.now
    await #expect(throws: OffersError.self) { try await database.flushImageUses() }
    try await database.close()
    // The limit allows for a machine under load; without a bound it waits for two minutes.
    #expect(ContinuousClock.now - begun < .seconds(60))
    lock.unlock()
    #expect(OpenFiles.count(of: path) == 0)
    #expect(try await Self.hits(path) == 0)
  }

  @Test("a database that is open for reading writes into its own file, wherever its path leads now")
  func keepsItsFile() async throws {
    let store = try await Store()
    let other = try await Store()
    let link = store.folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    let database = try await OffersDatabase.open(path: link, access: .readOnly)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other.path)
    let search = RecentSearch(words: "tea", searchedAt: Date(timeIntervalSince1970: 1000))
    try await database.noteSearch(search)
    #expect(try await store.database.fetchRecentSearches() == [search])
    #expect(try await other.database.fetchRecentSearches().isEmpty)
    try FileManager.default.removeItem(atPath: store.path)
    let later = RecentSearch(words: "jam", searchedAt: Date(timeIntervalSince1970: 2000))
    await #expect(throws: OffersError.self) { try await database.noteSearch(later) }
    #expect(!FileManager.default.fileExists(atPath: store.path))
  }
}
