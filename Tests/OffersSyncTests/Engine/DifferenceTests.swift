import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("What a sync finds different")
struct DifferenceTests {
  @Test("the first sync is all new, and the same bytes again are known by themselves")
  func recognisesTheSameBytes() async throws {
    let home = try await SyncedFolder()
    let first = try await home.sync(FeedText.feed(1...20))
    #expect(first.counts.all == [20, 0, 0, 0, 0, 0])
    #expect(first.outcome == .updated)
    let before = try await home.database.fetchOffers(OfferQuery())
    let again = try await home.sync(from: nil, at: 2_000)
    #expect(again.outcome == .unchanged)
    #expect(again.counts.all == [0, 0, 0, 0, 20, 0])
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
  }

  @Test("another order and another way of writing the same values change nothing")
  func ignoresOrderAndSpelling() async throws {
    let home = try await SyncedFolder()
    try await home.sync(#"[{"id":"1","name":"Café","terms":"a\r\nb"},{"id":"2","name":"Tea"}]"#)
    let before = try await home.database.fetchOffers(OfferQuery())
    let run = try await home.sync(
      """
      [ { "name" : "Tea", "id" : "2" },
        { "terms":"a\\u000d\\nb", "id":"1", "name":"Caf\\u00e9", "new_key": [1, {"a": null}] } ]
      """, at: 2_000)
    #expect(run.counts.all == [0, 0, 0, 0, 2, 0])
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
  }

  @Test("one edited, one removed and one added offer are one of each, and a favorite stays")
  func countsOneOfEach() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...20))
    _ = try await home.database.setFavorites(named: ["7"], to: true)
    var records = (1...20).filter { $0 != 7 }.map { FeedText.record($0) }
    records[2] = FeedText.record(3, reward: "$2.50 Cash Back")
    records.append(FeedText.record(21))
    let run = try await home.sync(FeedText.list(records), at: 2_000)
    #expect(run.counts.all == [1, 1, 1, 0, 18, 0])
    let favorites = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(favorites.map(\.ref.offerID) == ["7"])
    #expect(favorites.first?.isGone == true)
    let edited = try await home.database.fetchOffer(named: "3")
    #expect(edited.reward?.minorUnits == 250)
    #expect(edited.changedAt.timeIntervalSince1970 == 2_000)
    #expect(edited.firstSeenAt.timeIntervalSince1970 == 1_000)
  }

  @Test("a vanished offer that returns is back, with its first day and its star")
  func welcomesOffersBack() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    _ = try await home.database.setFavorites(named: ["2"], to: true)
    try await home.sync(FeedText.feed([1, 3, 4, 5]), at: 2_000)
    let run = try await home.sync(FeedText.feed(1...5), at: 3_000)
    #expect(run.counts.all == [0, 0, 0, 1, 4, 0])
    let offer = try await home.database.fetchOffer(named: "2")
    #expect(!offer.isGone && offer.isFavorite)
    #expect(offer.firstSeenAt.timeIntervalSince1970 == 1_000)
  }

  @Test("of repeated ids the first counts, among new offers and among known ones")
  func takesTheFirstOfRepeatedIDs() async throws {
    let home = try await SyncedFolder()
    let text = FeedText.list([
      FeedText.record(1, name: "First"), FeedText.record(2), FeedText.record(1, name: "Second"),
    ])
    for _ in 0..<2 {
      let run = try await home.sync(text + " ")
      #expect(run.counts.skipped == 1)
      #expect(run.problems.map(\.position) == [3])
      #expect(run.problems.first?.reason == "id 1 came before; the first one counts")
      #expect(try await home.database.fetchOffer(named: "1").name == "First 1")
      // Other bytes, so that the second round reads them.
      try await home.sync(text + "\n\n")
    }
  }

  @Test("an id that comes again is skipped wherever it stands, and no other offer takes its place")
  func skipsRepeatedIDs() async throws {
    let home = try await SyncedFolder()
    let count = 8200
    var records = (1...count).map { FeedText.record($0) }
    for place in stride(from: count, through: count - 20, by: -1) {
      records.insert(FeedText.record(place, name: "Other"), at: place)
    }
    let run = try await home.sync(FeedText.list(records))
    #expect(run.counts.all == [count, 0, 0, 0, 0, 21])
    #expect(try await home.database.fetchOffers(OfferQuery()).count == count)
    let changes = try await home.database.fetchChanges(ChangeQuery(now: Date())).changes
    #expect(changes.map(\.kind) == [.first] && changes.first?.offerCount == count)
  }

  @Test(
    "any rewriting of a document is told as what the offers in it are",
    arguments: 1...(TestSize.isLong ? 6 : 1))
  func ignoresAnyRewriting(number: Int) async throws {
    var random = SeededGenerator(number: number)
    let home = try await SyncedFolder()
    var names: [Int: String] = [:]
    for round in 1...25 {
      let before = names
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let id = Int.random(in: 1...40, using: &random)
        names[id] =
          Bool.random(using: &random) ? "Tea \(Int.random(in: 1...3, using: &random))" : nil
      }
      names[0] = "Always there"
      let records = names.keys.shuffled(using: &random).map {
        FeedText.record($0, name: names[$0] ?? "")
      }
      let text = FeedText.list(records).replacing(
        ",", with: Bool.random(using: &random) ? "," : " ,\n\t")
      let run = try await home.sync(text, acceptsRemovals: true, at: Double(1000 * round))
      let same = names.filter { before[$0.key] == $0.value }.count
      #expect(run.counts.unchanged == same, "round \(round)")
      #expect(run.counts.gone == before.keys.filter { names[$0] == nil }.count, "round \(round)")
      let offers = try await home.database.fetchOffers(OfferQuery())
      #expect(
        offers.map(\.name).sorted() == names.map { "\($0.value) \($0.key)" }.sorted(),
        "round \(round)")
    }
  }

  @Test(
    "an offer whose record is broken has not vanished, and a sound one later in the feed counts")
  func keepsOffersWithBrokenRecords() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let run = try await home.sync(#"[{"id":"1"},\#(FeedText.record(2)),\#(FeedText.record(3))]"#)
    #expect(run.counts.all == [0, 0, 0, 0, 2, 1])
    #expect(run.problems == [ReadProblem(position: 1, effect: .skipped, reason: "no name")])
    #expect(try await home.ids() == ["1", "2", "3"])
    let later = try await home.sync(
      FeedText.list([#"{"id":"1"}"#] + (1...3).map { FeedText.record($0, name: "New") }))
    #expect(later.counts.all == [0, 3, 0, 0, 0, 1])
  }
}
