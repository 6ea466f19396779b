import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("The search index")
struct SearchIndexTests {
  /// Expects the index to equal a rebuilt one.
  private static func check(_ store: Store, _ comment: String = "") throws {
    try #require(try store.rows("SELECT is_current FROM search_state") == ["1"], "\(comment)")
    // With a rank of 1, FTS5 compares the index with the offers' texts as well.
    try store.execute("INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
    let words = "SELECT term, doc, cnt FROM search_term ORDER BY term"
    let before = try store.rows(words)
    let sizes = "SELECT id, hex(sz) FROM offer_search_docsize ORDER BY id"
    let sizesBefore = try store.rows(sizes)
    try store.execute("INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    #expect(try store.rows(words) == before, "\(comment)")
    #expect(try store.rows(sizes) == sizesBefore, "\(comment)")
  }

  private static let vocabulary = ["tea", "Café", "milk", "7-Up", "C++", "日本", "®", "jam jar"]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      vocabulary.randomElement(using: &random) ?? ""
    }.joined(separator: " ")
  }

  private static func offer(_ id: Int, _ random: inout SeededGenerator) -> FeedOffer {
    var offer = FeedOffer("\(id)", name: text(&random))
    if Bool.random(using: &random) { offer.description = text(&random) }
    func list(_ count: Int, _ element: () -> String) -> String {
      "[" + (0..<count).map { _ in element() }.joined(separator: ",") + "]"
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      offer.more[.terms] = text(&random) + "\n" + text(&random)
      offer.more[.categories] = list(.random(in: 0...6, using: &random)) {
        "\"\(text(&random))\\n\""
      }
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      offer.more[.retailer] = text(&random)
      offer.more[.attributes] = list(.random(in: 0...9, using: &random)) {
        "[\"Label\",\"\(text(&random))\"]"
      }
    }
    return offer
  }

  @Test(
    "after random syncs and prunes it equals a rebuilt one",
    arguments: 0..<(TestSize.isLong ? 6 : 2))
  func model(number: Int) async throws {
    var random = SeededGenerator(number: number)
    let store = try await Store()
    var feeds: [String: [Int: FeedOffer]] = [:]
    for step in 1...30 {
      let feed = ["ibotta", "grocer"].randomElement(using: &random) ?? "ibotta"
      var offers = feeds[feed] ?? [:]
      switch Int.random(in: 0..<10, using: &random) {
      case 0: offers = [:]
      case 1: for id in 1...60 { offers[id] = Self.offer(id, &random) }
      default:
        for _ in 0..<Int.random(in: 0...15, using: &random) {
          let id = Int.random(in: 1...60, using: &random)
          offers[id] = Bool.random(using: &random) ? Self.offer(id, &random) : nil
        }
      }
      let isIndexed = Int.random(in: 0..<6, using: &random) > 0
      // Unordered, as feeds are.
      let list = offers.values.sorted { $0.id < $1.id }.shuffled(using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        _ = try await store.database.preview(store.plan(list, feed: feed, at: step * 1000))
      } else {
        try await store.sync(
          list, feed: feed, at: step * 1000,
          isIndexed: isIndexed)
        feeds[feed] = offers
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        _ = try await store.database.prune(
          goneBefore: ChangeTests.date(step * 1000 - 1500), now: ChangeTests.date(step * 1000),
          trustsClock: true, isTrial: false)
      }
      if try store.rows("SELECT is_current FROM search_state") == ["0"] {
        guard Bool.random(using: &random) else { continue }
        _ = try await store.database.search(SearchQuery("tea"))
      }
      try Self.check(store, "number \(number), step \(step)")
    }
  }

  @Test("many changes rebuild it, few are applied to it")
  func largeChanges() async throws {
    let store = try await Store()
    let first = (1...5000).map { FeedOffer("\($0)", name: "Tea \($0)") }
    try await store.sync(first)
    try Self.check(store)
    for changed in [30, 4000] {
      let offers = first.prefix(changed).map { FeedOffer($0.id, name: "Jam \($0.id) \(changed)") }
      try await store.sync(
        (offers + first.dropFirst(changed)).reversed(), at: 2000 + changed)
      try Self.check(store, "\(changed)")
      let found = try await store.database.search(SearchQuery("jam", limit: 6000))
      #expect(found.hits.count == changed)
    }
  }

  @Test("changes of rewards and vanished or returned offers do not change it")
  func leavesItAlone() async throws {
    let store = try await Store()
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: 1000)
    let blocks = "SELECT id, hex(block) FROM offer_search_data ORDER BY id"
    let before = try store.rows(blocks)
    try await store.sync(
      (1...4).map { FeedOffer("\($0)", reward: Reward(text: "$1", value: nil, isUpTo: false)) },
      at: 2000)
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: 3000)
    #expect(try store.rows(blocks) == before)
    try Self.check(store)
  }

  @Test("after a sync without indexing, the next sync or search rebuilds it")
  func leavesOut() async throws {
    let store = try await Store()
    func state() throws -> [String] { try store.rows("SELECT is_current FROM search_state") }
    try await store.sync([FeedOffer("1", name: "Tea")], isIndexed: false)
    #expect(try state() == ["0"])
    try await store.sync([FeedOffer("1", name: "Tea")], at: 2000)
    try Self.check(store)
    // No indexed field differs, so it stays current.
    try await store.sync([FeedOffer("1", name: "Tea")], at: 3000, isIndexed: false)
    #expect(try state() == ["1"])
    try await store.sync([FeedOffer("1", name: "Jam")], at: 4000, isIndexed: false)
    #expect(try state() == ["0"])
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    #expect(try await reader.search(SearchQuery("jam")).hits.count == 1)
    #expect(try await reader.search(SearchQuery("tea")).hits.count == 0)
    try Self.check(store)
    try await store.sync([FeedOffer("1", name: "Milk")], at: 5000, isIndexed: false)
    var rebuilds = 0
    let found = try await reader.search(SearchQuery("milk")) { rebuilds += 1 }
    _ = try await reader.search(SearchQuery("milk")) { rebuilds += 1 }
    #expect(found.hits.count == 1 && rebuilds == 1)
    // A prune does not repair an outdated index.
    try await store.sync([FeedOffer("2", name: "Rye")], at: 6000, isIndexed: false)
    try await store.sync([FeedOffer("3", name: "Oat")], at: 7000, isIndexed: false)
    let counts = try await store.database.prune(
      goneBefore: ChangeTests.date(7000), now: ChangeTests.date(8000), trustsClock: true,
      isTrial: false)
    #expect(try counts.offers > 0 && state() == ["0"])
    try await store.database.prepareSearch()
    try Self.check(store)
  }

  @Test("few imported offers update it, many rebuild it")
  func imports() async throws {
    let old = try await Store()
    try await old.sync([FeedOffer("jam"), FeedOffer("pie")], at: 3000)
    try await old.sync([FeedOffer("tea", name: "Album")], feed: "albums", at: 4500)
    let new = try await Store()
    try await new.sync(
      (0..<3000).map { FeedOffer("\($0)", name: "Bread") }, feed: "bakery", at: 900)
    // A word without an offer stays in the index unless it is rebuilt.
    let ghosts = "SELECT count(*) FROM offer_search WHERE offer_search MATCH 'ghost'"
    try new.execute("INSERT INTO offer_search (rowid, name) VALUES (999999, 'ghost')")
    let kept = try await old.database.exported()
    try await new.database.take(kept)
    #expect(try new.rows(ghosts) == ["1"])
    #expect(try await SearchTests.ids("album", in: new) == ["tea"])
    try new.execute(
      """
      INSERT INTO offer_search (offer_search, rowid, name) VALUES ('delete', 999999, 'ghost');
      INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)
      """)
    // An import without new offers leaves an outdated index to the next search.
    try new.execute("UPDATE search_state SET is_current = 0")
    #expect(try await new.database.take(kept).newOffers == 0)
    #expect(try new.rows("SELECT is_current FROM search_state") == ["0"])
  }

  @Test("a failed write leaves it unchanged")
  func staysWhole() async throws {
    let store = try await Store()
    try await store.sync((1...50).map { FeedOffer("\($0)", name: "Tea") })
    try store.execute(
      """
      CREATE TRIGGER fails BEFORE UPDATE OF is_current ON search_state
      BEGIN SELECT RAISE(ABORT, 'no'); END;
      CREATE TRIGGER fails_late BEFORE UPDATE OF outcome, duration_milliseconds ON sync_run
      BEGIN SELECT RAISE(ABORT, 'no'); END;
      """)
    await #expect(throws: OffersError.self) {
      try await store.sync((1...60).map { FeedOffer("\($0)", name: "Jam") }, at: 2000)
    }
    try Self.check(store)
    #expect(try await SearchTests.ids("jam", in: store) == [])
    #expect(try await store.database.search(SearchQuery("tea", limit: 99)).hits.count == 50)
  }
}
