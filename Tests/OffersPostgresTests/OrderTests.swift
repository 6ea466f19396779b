import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersPostgres

@Suite("The order of commits in PostgreSQL", .timeLimit(.minutes(2)))
struct OrderTests {
  @Test("nothing appears behind a cursor, with four writers at once and a reader that polls")
  func cursors() async throws {
    let made = try await TestDatabase.makeStore()
    let stores = [
      try await PostgresStore.open(url: made.url()),
      try await PostgresStore.open(url: made.url(by: .pooler)),
    ]
    let read = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for number in 0..<4 {
        group.addTask {
          for round in 1...8 {
            let offers = (1...round).map { FeedOffer("\($0)", name: "\(round)") }
            try await stores[number % 2].sync(offers, feed: "feed-\(number)", at: round)
          }
          return []
        }
      }
      group.addTask {
        var read: [Int64] = []
        var query = ChangeQuery(afterID: 0, limit: 7, now: Date(timeIntervalSince1970: 1))
        // Each feed has one change of its first sync, and each later sync one for each offer.
        while read.count < 4 * (1 + (2...8).reduce(0, +)) {
          let page = try await stores[1].fetchChangePage(query)
          read += page.changes.compactMap(\.changeID)
          query.afterID = page.lastID
        }
        return read
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(read == read.sorted() && Set(read).count == read.count)
    #expect(try await made.run("SELECT count(*) FROM change") == "\(read.count)")
  }

  @Test("names are sorted by their keys as they are by comparison")
  func naturalOrder() {
    let texts = [
      "", " ", "0", "00", "1", "01a", "2 oz.", "10 oz.", "a", "A", "é", "ß", "ss", "日本", "🍓",
      "img12", "img2", "７", String(repeating: "9", count: 300), String(repeating: "9", count: 254),
      String(repeating: "0", count: 300) + "5", "1®2", "x-1", "®",
    ]
    for left in texts {
      for right in texts {
        let (one, other) = (NaturalOrder.key(left), NaturalOrder.key(right))
        let order = one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        #expect(order == NaturalOrder.compare(left, right).signum(), "\(left) \(right)")
      }
    }
  }

  @Test("an offer with the longest texts is stored, and found by its words")
  func longTexts() async throws {
    let made = try await TestDatabase.makeStore()
    let store = try await PostgresStore.open(url: made.url())
    let words = (0..<30_000).map { "wörd\($0)" }.joined(separator: " ")
    let attributes = (0..<200).map { #"["L","value\#($0) \#(words.prefix(15_000))"]"# }
    try await store.sync([
      FeedOffer(
        "1", name: "Tea", description: words,
        more: [
          .terms: String(repeating: "x", count: 200_000),
          .attributes: "[\(attributes.joined(separator: ","))]",
        ])
    ])
    // The beginning of the long word, as long as a search may be.
    let long = String(repeating: "x", count: SearchWords.characterLimit)
    for search in ["word29999", "word17 word18", "value199", long] {
      #expect(try await store.search(SearchQuery(search)).hits.count == 1, "\(search.prefix(20))")
    }
  }
}
