import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("The words of offers in PostgreSQL", .timeLimit(.minutes(2)))
struct SearchWordTests {
  @Test("pruning removes the words that no offer has, and leaves all others")
  func prunes() async throws {
    let (made, store) = try await PostgresStore.openNew()
    _ = try await store.sync(
      [FeedOffer("1", name: "Oat Milk"), FeedOffer("2", name: "Straße")], feed: "tea")
    let words = "SELECT string_agg(word, ',' ORDER BY word) FROM search_word"
    let before = try await made.run(words)
    try await made.run(
      "INSERT INTO search_word SELECT 'old' || number FROM generate_series(1, 4500) AS number")
    _ = try await store.prune(
      goneBefore: Date(timeIntervalSince1970: 0), now: Date(), trustsClock: true, isTrial: true)
    #expect(try await made.run("SELECT count(*) > 4500 FROM search_word") == "t")
    _ = try await store.prune(
      goneBefore: Date(timeIntervalSince1970: 0), now: Date(), trustsClock: true, isTrial: false)
    #expect(try await made.run(words) == before)
    #expect(before.contains("milk"))
  }

  @Test("an upgrade computes the words of offers with unseen characters anew")
  func renews() async throws {
    let (made, store) = try await PostgresStore.openNew()
    _ = try await store.sync(
      [FeedOffer("1", name: "Wasch\u{AD}mittel"), FeedOffer("2", name: "Seife")], feed: "tea")
    try await store.close()
    try await made.run(
      """
      UPDATE offer SET search = '''wasch'':1A ''mittel'':2A'::tsvector WHERE id = '1';
      DELETE FROM search_word WHERE word = 'waschmittel';
      ALTER TABLE feed DROP COLUMN presentation;
      DROP TRIGGER image_cache_forgets_thumbnail ON image_cache;
      DROP FUNCTION image_cache_forgets_thumbnail;
      ALTER TABLE image_cache DROP COLUMN thumbnail, DROP COLUMN thumbnail_problem;
      DELETE FROM schema_migration WHERE number >= 7;
      """)
    let upgraded = try await PostgresStore.open(made)
    let found = try await upgraded.search(SearchQuery("waschmittel")).hits
    #expect(found.map(\.offer.ref.offerID) == ["1"])
    #expect(
      try await made.run("SELECT count(*) FROM search_word WHERE word = 'waschmittel'") == "1")
  }
}
