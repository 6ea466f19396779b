import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Import of exports")
struct ImportTests {
  private static func reward(_ cents: Int64) -> Reward {
    Reward(text: "\(cents) cents", value: .amount(minorUnits: cents, currency: "USD"))
  }

  /// A store in which tea was new, changed, gone and back, and milk gone; both and a third offer
  /// are favorites.
  private static func lived() async throws -> Store {
    let store = try await Store()
    try await store.sync([FeedOffer("tea", reward: reward(100)), FeedOffer("milk")], at: 1000)
    try await store.sync([FeedOffer("tea", reward: reward(200)), FeedOffer("milk")], at: 2000)
    try await store.sync([FeedOffer("jam"), FeedOffer("pie")], at: 3000)
    try await store.sync([FeedOffer("tea", reward: reward(200)), FeedOffer("jam")], at: 4000)
    try await store.sync([FeedOffer("tea", name: "Album")], feed: "albums", at: 4500)
    try store.execute(
      """
      INSERT INTO favorite (user_key, feed, id, created_at) VALUES
        (1, 'ibotta', 'tea', 1500), (1, 'ibotta', 'milk', 1600), (1, 'later', '7', 1700)
      """)
    return store
  }

  @Test("a favorite without an offer gets its offer with the next sync")
  func favoriteFirst() async throws {
    let store = try await Store()
    var favorite = ExportedFavorite()
    favorite.ref = OfferRef(feed: "ibotta", offerID: "tea")
    favorite.starredAt = 5
    try await store.take(MemoryExport(records: [.favorite(favorite)]))
    try await store.sync([FeedOffer("tea")])
    #expect(try await store.database.findOffer(favorite.ref)?.isFavorite == true)
  }

  @Test("offers missing from another document or from a selection are not gone")
  func otherDocument() async throws {
    let old = try await Self.lived()
    for isSelection in [true, false] {
      let new = try await Store()
      try await new.sync([FeedOffer("rice")], at: 9000)
      if !isSelection { try new.execute("UPDATE sync_run SET source = 'sample'") }
      try await new.take(try old.exported(), selections: isSelection ? ["ibotta"] : [])
      #expect(try await new.database.fetchOffer(named: "jam").goneAt == nil)
    }
  }

  @Test("the database's own named source stays, otherwise the imported one is added")
  func sources() async throws {
    let old = try await Self.lived()
    try old.execute(
      """
      UPDATE feed SET chosen_source = '/old.json';
      UPDATE feed SET unsubscribed_at = 4600 WHERE feed_key = 2
      """)
    let new = try await Store()
    try await new.sync([FeedOffer("rice")], at: 9000)
    try await new.take(try old.exported())
    let query = """
      SELECT name, chosen_source, unsubscribed_at FROM feed ORDER BY name
      """
    #expect(try new.rows(query) == ["albums|/old.json|4600", "ibotta|/old.json|NULL"])
    try new.execute("UPDATE feed SET chosen_source = '/mine.json'")
    try await new.take(try old.exported())
    #expect(try new.rows(query) == ["albums|/mine.json|4600", "ibotta|/mine.json|NULL"])
  }

  @Test("fingerprint and validators of a document are removed when its offers changed")
  func forgetsDocument() async throws {
    let old = try await Self.lived()
    let new = try await Store()
    try await new.sync([FeedOffer("rice")], at: 500)
    let known = """
      UPDATE feed SET document_hash = zeroblob(16), document_head_hash = zeroblob(16),
        document_bytes = 7;
      INSERT OR REPLACE INTO feed_fetch (feed_key, etag, validated_mark, validated_rules, wait_until)
      VALUES (1, 'x', 'y', 1, 99)
      """
    let query = "SELECT document_bytes, etag, wait_until FROM feed JOIN feed_fetch USING (feed_key)"
    try new.execute(known)
    try await new.take(try old.exported())
    #expect(try new.rows(query) == ["NULL|NULL|99"])
    try new.execute(known)
    try await new.take(try old.exported())
    #expect(try new.rows(query) == ["7|x|99"])
  }

  @Test("few imported offers update the search index, many rebuild it")
  func searchIndex() async throws {
    let old = try await Self.lived()
    let new = try await Store()
    try await new.sync(
      (0..<3000).map { FeedOffer("\($0)", name: "Bread") }, feed: "albums", at: 900)
    // A word without an offer stays in the index unless it is rebuilt.
    let ghosts = "SELECT count(*) FROM offer_search WHERE offer_search MATCH 'ghost'"
    try new.execute("INSERT INTO offer_search (rowid, name) VALUES (999999, 'ghost')")
    try await new.take(try old.exported())
    #expect(try new.rows(ghosts) == ["1"])
    #expect(
      try await new.database.search(SearchQuery("album")).hits.map(\.offer.ref.offerID) == ["tea"])
    var kept = try await old.exported()
    for (index, record) in kept.records.enumerated() {
      guard case .offer(var offer) = record, offer.ref.feed == "albums" else { continue }
      offer.name = "Songs"
      offer.changedAt = 9000
      kept.records[index] = .offer(offer)
    }
    #expect(try await new.take(kept).updatedOffers == 1)
    #expect(try new.rows(ghosts) == ["1"])
    #expect(try await new.database.search(SearchQuery("songs")).hits.count == 1)
    #expect(try await new.database.search(SearchQuery("album")).hits.count == 0)
    try new.execute(
      """
      INSERT INTO offer_search (offer_search, rowid, name) VALUES ('delete', 999999, 'ghost');
      INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)
      """)
    // An import without new offers leaves an outdated index to the next search.
    try new.execute("UPDATE search_state SET is_current = 0")
    #expect(try await new.take(kept).updatedOffers == 0)
    #expect(try new.rows("SELECT is_current FROM search_state") == ["0"])
  }
}
