import Foundation
import OffersCore
import Testing

@Suite("Removals that are held back")
struct HeldBackRunTests {
  @Test(
    """
    removals of more than 10 offers and more than 10 %, or of all offers, are held back; fewer are \
    applied
    """,
    arguments: [
      (20, 10, false), (20, 11, true), (200, 11, false), (110, 11, false), (109, 11, true),
      (11, 10, false), (3, 2, false), (2, 1, false),
    ])
  func knowsTheBounds(known: Int, vanishing: Int, isHeld: Bool) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...known))
    let run = try await home.sync(FeedText.feed((vanishing + 1)...known))
    #expect(run.outcome == .updated && (run.held != nil) == isHeld)
    #expect(run.counts.gone == (isHeld ? 0 : vanishing))
    #expect(try await home.ids().count == (isHeld ? known : known - vanishing))
  }

  @Test("a source whose removals are held back is not remembered")
  func doesNotRememberTheSource() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let source = try await home.feed().source
    try await home.sync(from: try home.folder.write("[]", to: "other.json"))
    #expect(try await home.feed().source == source)
  }

  @Test("a real feed replaces the sample, but an empty one does not")
  func replacesTheSample() async throws {
    let home = try await SyncedFolder()
    let sample = try await home.sync(from: "sample")
    #expect(sample.source == "sample" && sample.counts.new >= 60)
    #expect(try await home.sync("[]").outcome == .heldBack)
    let database = home.database
    _ = try await database.setFavorites(named: ["900116"], to: true)
    let own = try await home.sync(FeedText.feed(1...12))
    #expect(own.outcome == .updated && own.counts.all == [12, 0, 1, 0, 0, 0])
    #expect(try await home.ids() == (1...12).map(String.init))
    // The favorite is gone; nothing else of the sample is left.
    #expect(try await database.fetchOffer(named: "900116").isGone)
    #expect(try await database.findOffer(OfferRef(feed: "ibotta", offerID: "900117")) == nil)
    #expect(try await database.search(SearchQuery("pasta sauce")).hits.isEmpty)
    let changes = try await database.fetchChanges(ChangeQuery(now: Date())).changes
    #expect(changes.map(\.kind) == [.first, .gone] && changes.first?.offerCount == 12)
    #expect(changes.last?.offer?.ref.offerID == "900116")
    let feed = try await home.feed()
    #expect(feed.currentCount == 12 && feed.goneCount == 1)
    #expect(try await home.sync(from: "sample").outcome == .heldBack)
  }

  @Test("the document before one whose removals are held back is read again")
  func readsTheDocumentBefore() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let shrunken = FeedText.list([FeedText.record(1, reward: "$9.00 Cash Back")])
    for _ in 0..<2 { #expect(try await home.sync(shrunken).held?.missingCount == 29) }
    // The stored offers are no longer those of this document: one has changed since.
    #expect(try await home.sync(FeedText.feed(1...30)).counts.all == [0, 1, 0, 0, 29, 0])
    let accepted = try await home.sync(shrunken, acceptsRemovals: true)
    #expect(accepted.counts.all == [0, 1, 29, 0, 0, 0])
    #expect(try await home.sync(shrunken).outcome == .unchanged)
  }

  @Test("a run that is held back as a whole is recorded and does not count as a success; others do")
  func recordsThatItIsHeldBack() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    _ = try await home.sync(FeedText.feed(1...2), at: 2_000)
    #expect(try await home.feed().lastRun?.outcome == .updated)
    #expect(try await home.feed().lastSuccessAt?.timeIntervalSince1970 == 2_000)
    let run = try await home.sync("[]", at: 3_000)
    let feed = try await home.feed()
    #expect(feed.lastRun?.outcome == .heldBack)
    #expect(feed.lastRun?.error == run.error && run.error?.code == .heldBack)
    #expect(run.error?.hint?.command == "offers sync ibotta --accept-removals")
    #expect(run.error?.message == "The feed is empty: the removal of 30 of 30 offers is held back.")
    #expect(feed.lastSuccessAt?.timeIntervalSince1970 == 2_000)
    #expect(feed.currentCount == 30 && feed.goneCount == 0)
    let accepted = try await home.sync("[]", acceptsRemovals: true, at: 4_000)
    #expect(accepted.counts.gone == 30)
  }
}
