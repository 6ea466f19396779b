import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Recognition of unchanged documents")
struct RecognitionTests {
  @Test("the same bytes under another path change nothing, and the path is remembered")
  func knowsBytesFromElsewhere() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await home.database.fetchOffers(OfferQuery())
    let path = try home.folder.write(FeedText.feed(1...5), to: "copy.json")
    #expect(try await home.sync(from: path, at: 2_000).outcome == .unchanged)
    let feed = try await home.feed()
    #expect(feed.source == path)
    #expect(feed.lastRun?.counts.unchanged == 5)
    #expect(feed.lastSuccessAt?.timeIntervalSince1970 == 2_000)
    let other = try await OffersDatabase.open(path: home.database.place, access: .readOnly)
    #expect(try await other.fetchOffers(OfferQuery()) == before)
  }

  @Test("the same bytes are read again under other rules")
  func dependsOnRules() {
    func fingerprint(_ seed: UInt64) -> DocumentFingerprint {
      let hasher = DocumentHasher(seed: seed)
      Array(FeedText.feed(1...5).utf8).withUnsafeBytes { hasher.update($0) }
      return hasher.finish()
    }
    #expect(fingerprint(1) == fingerprint(1))
    #expect(fingerprint(1).hash != fingerprint(2).hash)
    #expect(fingerprint(1).headHash != fingerprint(2).headHash)
  }

  @Test(
    "a changed letter is noticed anywhere in a document of the same size",
    arguments: [1, 1_000, 2_000])
  func noticesEachLetter(id: Int) async throws {
    let home = try await SyncedFolder()
    // Longer than the head of 64 KiB, whose hash tells most documents apart.
    let records = (1...2_000).map { FeedText.record($0) }
    try await home.sync(FeedText.list(records))
    var edited = records
    edited[id - 1] = FeedText.record(id, name: "Tee")
    let run = try await home.sync(FeedText.list(edited), at: 2_000)
    #expect(run.counts.all == [0, 1, 0, 0, 1_999, 0])
    #expect(try await home.database.fetchOffer(named: "\(id)").name == "Tee \(id)")
  }

  @Test("a large document from a server is recognized by its whole hash, up to the last letter")
  func putsMegabytesAside() async throws {
    let home = try await SyncedFolder()
    let name = String(repeating: "Tea ", count: 300)
    let records = (1...3_000).map { FeedText.record($0, name: name) }
    let edited = Array(records.dropLast()) + [FeedText.record(3_000, name: "Tee")]
    let documents = [FeedText.list(records), FeedText.list(records), FeedText.list(edited)]
    let server = try ScriptedServer(documents.map { .answer("200 OK", [], $0) })
    var counts: [[Int]] = []
    for seconds in [1_000.0, 2_000, 3_000] {
      counts.append(try await home.sync(from: server.url(), at: seconds).counts.all)
    }
    #expect(counts == [[3_000, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3_000, 0], [0, 1, 0, 0, 2_999, 0]])
    #expect(try await home.database.fetchOffer(named: "3000").name == "Tee 3000")
  }

  @Test("the document before the stored one is not recognized")
  func knowsOnlyTheLast() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    try await home.sync(FeedText.feed(1...6), at: 2_000)
    let run = try await home.sync(FeedText.feed(1...5), at: 3_000)
    #expect(run.counts.all == [0, 0, 1, 0, 5, 0])
  }

  @Test("an accepted empty list is recognized")
  func knowsTheEmptyList() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    try await home.sync("[]", acceptsRemovals: true)
    #expect(try await home.sync("[]").outcome == .unchanged)
    #expect(try await home.sync(" []").counts.all == [0, 0, 0, 0, 0, 0])
  }

  @Test("an offer that returns with other texts is back and changed, and stays a favorite")
  func takesTheTextsOfAReturn() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    _ = try await home.database.setFavorites(named: ["2"], to: true)
    try await home.sync(FeedText.feed([1, 3]), at: 2_000)
    let records = [1, 2, 3].map { FeedText.record($0, name: $0 == 2 ? "Mate" : "Tea") }
    let run = try await home.sync(FeedText.list(records), at: 3_000)
    #expect(run.counts.all == [0, 0, 0, 1, 2, 0])
    let offer = try await home.database.fetchOffer(named: "2")
    #expect(offer.name == "Mate 2" && offer.isFavorite && offer.goneAt == nil)
    #expect(offer.firstSeenAt.timeIntervalSince1970 == 1_000)
    #expect(offer.changedAt.timeIntervalSince1970 == 3_000)
  }

  @Test("a gone offer that is repeated in the document is counted as back once")
  func returnsOnce() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    try await home.sync(FeedText.feed([1, 3]), at: 2_000)
    let records = [1, 2, 3, 2, 2].enumerated().map { place, id in
      FeedText.record(id, name: place > 2 ? "Late" : "Tea")
    }
    let run = try await home.sync(FeedText.list(records), at: 3_000)
    #expect(run.counts.all == [0, 0, 0, 1, 2, 2])
    #expect(run.problems.map(\.position) == [4, 5])
    #expect(try await home.database.fetchOffer(named: "2").name == "Tea 2")
  }

  @Test("an invalid record does not bring a gone offer back")
  func staysGone() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    try await home.sync(FeedText.feed([1, 3]), at: 2_000)
    let run = try await home.sync(
      FeedText.list([FeedText.record(1), #"{"id":"2"}"#, FeedText.record(3)]), at: 3_000)
    #expect(run.counts.all == [0, 0, 0, 0, 2, 1])
    let offer = try await home.database.fetchOffer(named: "2")
    #expect(offer.goneAt?.timeIntervalSince1970 == 2_000)
  }
}
