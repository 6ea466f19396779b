import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Pages of bounded size")
struct OfferPageRules {
  private static func store(_ kind: StoreKind, descriptionBytes: Int) async throws
    -> OffersDatabase
  {
    let store = try await kind.open().store
    let text = String(repeating: "x", count: descriptionBytes)
    try await store.sync((1...20).map { FeedOffer("\($0)", name: "Tea \($0)", description: text) })
    return store
  }

  @Test(
    "a page ends before an offer that exceeds its size; a larger offer has a page of its own",
    arguments: StoreKind.allCases)
  func bytes(kind: StoreKind) async throws {
    let store = try await Self.store(kind, descriptionBytes: 1000)
    for (maximum, count) in [(1, 1), (1000, 1), (2200, 2), (10_000, 9), (1 << 20, 20)] {
      for (sort, reversed) in [(OfferQuery.Sort.feed, false), (.name, true)] {
        var query = OfferQuery(limit: 50)
        query.sort = sort
        query.isReversed = reversed
        let all = try await store.fetchOffers(query)
        let page = try await store.fetchOfferPage(query, maximumBytes: maximum)
        #expect(page.offers == Array(all.prefix(count)), "\(maximum)")
        #expect((page.next != nil) == (count < 20))
      }
    }
  }

  @Test("a limit ends a page as well", arguments: StoreKind.allCases)
  func limit(kind: StoreKind) async throws {
    let store = try await Self.store(kind, descriptionBytes: 10)
    for (limit, hasMore) in [(5, true), (20, false), (21, false)] {
      let page = try await store.fetchOfferPage(
        OfferQuery(limit: limit), maximumBytes: .max)
      #expect(page.offers.count == min(20, limit))
      #expect((page.next != nil) == hasMore)
    }
  }

  @Test("an abridged list truncates long texts and lists", arguments: StoreKind.allCases)
  func abridged(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let long = String(repeating: "é", count: 5000)
    let list = "[" + (1...300).map { "\"category \($0)\"" }.joined(separator: ",") + "]"
    try await store.sync([
      FeedOffer("1", name: "Tea", description: long, more: [.terms: long, .categories: list]),
      FeedOffer("2", name: "Milk", description: "Fresh"),
    ])
    var query = OfferQuery()
    let whole = try await store.fetchOffers(query)
    query.textBytes = 101
    let short = try await store.fetchOffers(query)
    #expect(short[1] == whole[1])
    #expect(short[0].name == "Tea")
    #expect(short[0].description == String(repeating: "é", count: 49) + "…")
    #expect(short[0].terms == short[0].description)
    #expect(short[0].categories == Array(whole[0].categories.prefix(short[0].categories.count)))
    #expect(1..<100 ~= short[0].categories.count)
    // A page counts the texts as it returns them.
    let page = try await store.fetchOfferPage(query, maximumBytes: 4000)
    #expect(page.offers == short && page.next == nil)
    let first = try await store.fetchOfferPage(query, maximumBytes: 1)
    #expect(first.offers == [short[0]] && first.next == OfferPosition(short[0].ref))
  }
}
