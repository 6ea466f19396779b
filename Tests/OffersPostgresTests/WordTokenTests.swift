import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("The words of offers in PostgreSQL", .timeLimit(.minutes(2)))
struct WordTokenTests {
  @Test("pruning removes the words that no offer has, and leaves all others")
  func prunes() async throws {
    let (made, store) = try await OffersDatabase.openNew()
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
}
