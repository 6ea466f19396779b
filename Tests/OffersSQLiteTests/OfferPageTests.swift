import Foundation
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Pages of bounded size")
struct OfferPageTests {
  private static func store(descriptionBytes: Int) async throws -> Store {
    let store = try await Store()
    let text = String(repeating: "x", count: descriptionBytes)
    try await store.sync((1...20).map { FeedOffer("\($0)", name: "Tea \($0)", description: text) })
    return store
  }

  @Test("a page ends before an offer that exceeds its size; a larger offer has a page of its own")
  func bytes() async throws {
    let store = try await Self.store(descriptionBytes: 1000)
    for (maximum, count) in [(1, 1), (1000, 1), (2200, 2), (10_000, 9), (1 << 20, 20)] {
      for (sort, reversed) in [(OfferQuery.Sort.feed, false), (.name, true)] {
        var query = OfferQuery(limit: 50)
        query.sort = sort
        query.isReversed = reversed
        let all = try await store.database.fetchOffers(query)
        let page = try await store.database.fetchOfferPage(query, maximumBytes: maximum)
        #expect(page.offers == Array(all.prefix(count)), "\(maximum)")
        #expect(page.hasMore == (count < 20))
      }
    }
  }

  @Test("a limit ends a page as well")
  func limit() async throws {
    let store = try await Self.store(descriptionBytes: 10)
    for (limit, hasMore) in [(5, true), (20, false), (21, false)] {
      let page = try await store.database.fetchOfferPage(
        OfferQuery(limit: limit), maximumBytes: .max)
      #expect(page.offers.count == min(20, limit))
      #expect(page.hasMore == hasMore)
    }
  }

  @Test("page-wise reading returns each offer once, whatever their sizes")
  func pieces() async throws {
    let store = try await Self.store(descriptionBytes: 1 << 20)
    var pages = store.database.pages(of: OfferQuery())
    var ids: [String] = []
    while true {
      let piece = try await pages.next()
      if piece.isEmpty { break }
      #expect(piece.count <= 8)
      ids += piece.map(\.ref.offerID)
    }
    #expect(ids == (1...20).map { "\($0)" })
  }

  @Test("an abridged list truncates long texts and lists")
  func abridged() async throws {
    let store = try await Store()
    let long = String(repeating: "é", count: 5000)
    let list = "[" + (1...300).map { "\"category \($0)\"" }.joined(separator: ",") + "]"
    try await store.sync([
      FeedOffer("1", name: "Tea", description: long, more: [.terms: long, .categories: list]),
      FeedOffer("2", name: "Milk", description: "Fresh"),
    ])
    var query = OfferQuery()
    let whole = try await store.database.fetchOffers(query)
    query.textBytes = 101
    let short = try await store.database.fetchOffers(query)
    #expect(short[1] == whole[1])
    #expect(short[0].name == "Tea")
    #expect(short[0].description == String(repeating: "é", count: 49) + "…")
    #expect(short[0].terms == short[0].description)
    #expect(short[0].categories == Array(whole[0].categories.prefix(short[0].categories.count)))
    #expect(1..<100 ~= short[0].categories.count)
    // A page counts the texts as it returns them.
    let page = try await store.database.fetchOfferPage(query, maximumBytes: 4000)
    #expect(page.offers == short && !page.hasMore)
    let first = try await store.database.fetchOfferPage(query, maximumBytes: 1)
    #expect(first.offers == [short[0]] && first.hasMore)
  }

  @Test("the pages of a history together equal the whole history")
  func history() async throws {
    let store = try await Store()
    for (place, cents) in [75, 75, 80, 85, 85, 90, 60].enumerated() {
      let others = [FeedOffer("2")]
      let offer = FeedOffer(
        "1", name: "Tea \(place % 3)", reward: ChangeTests.dollars(Int64(cents)))
      try await store.sync(
        place == 4 ? others : [offer] + others, at: 1000 * (place + 1))
    }
    let whole = try await store.database.fetchHistory(named: "1").points
    for (limit, bytes) in [(1, Int.max), (2, .max), (.max, 1), (.max, 12), (.max, .max)] {
      var points: [RewardPoint] = []
      var bounds = HistoryBounds(limit: limit, maximumBytes: bytes)
      repeat {
        let page = try await store.database.fetchHistory(named: "1", bounds)
        #expect(!page.points.isEmpty && page.points.count <= limit)
        points = page.points + points
        bounds.before = page.before
      } while bounds.before != nil
      #expect(points == whole, "\(limit) \(bytes)")
    }
  }
}
