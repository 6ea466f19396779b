import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Lists that are read page by page")
struct OfferQueryTests {
  /// A time before the first offer expires.
  static let now = Date(timeIntervalSince1970: 3000)

  /// Offers with many kinds of rewards, names and details. `old:1` and `shop:9` are gone, `shop:3`
  /// and `old:1` are favorites, and `old` was seen first.
  static func filled() async throws -> Store {
    let store = try await Store()
    try await store.sync(
      [FeedOffer("1", name: "Zwieback"), FeedOffer("2", name: "apple 10")], feed: "old", at: 500)
    try await store.sync(
      [
        shop("1", "Äpple 9", "$1.50", .amount(minorUnits: 150, currency: "USD")),
        shop("2", "Tea", "5%", .percent(hundredths: 500)),
        shop("3", "tea 2", "$2", .amount(minorUnits: 200, currency: "USD")),
        shop("4", "TEA 10", nil, nil),
        shop("5", "Jam", "€9", .amount(minorUnits: 900, currency: "EUR")),
        shop("6", "Milk", "Free", nil),
        shop("7", "Rice", "Up to $2", .amount(minorUnits: 200, currency: "USD"), isUpTo: true),
        shop("8", "Soba", "¥120", .amount(minorUnits: 120, currency: "JPY")),
        shop("9", "Gone", "$7", .amount(minorUnits: 700, currency: "USD")),
        shop("10", "Figs", "12.5%", .percent(hundredths: 1250)),
      ], feed: "shop", at: 1000)
    try await store.sync([FeedOffer("2", name: "apple 10")], feed: "old", at: 2000)
    _ = try await store.database.setFavorites(named: ["shop:3", "old:1"], to: true)
    try store.execute(
      """
      UPDATE offer SET gone_at = 2000 WHERE name = 'Gone';
      UPDATE feed SET current_count = current_count - 1 WHERE name = 'shop';
      INSERT INTO offer_detail (offer_key, retailer, categories, expires_at)
      SELECT offer_key,
        CASE id WHEN '1' THEN 'Café Lumière®' WHEN '2' THEN 'CAFE LUMIERE' ELSE 'Mart' END,
        CASE WHEN id < '3' THEN '["Food","Hot \\"Drinks\\""]' END,
        CASE id WHEN '1' THEN 5000 WHEN '2' THEN 4000 WHEN '9' THEN 4500 WHEN '3' THEN 6000 END
      FROM offer WHERE feed_key = (SELECT feed_key FROM feed WHERE name = 'shop')
      """)
    return store
  }

  private static func shop(
    _ id: String, _ name: String, _ text: String?, _ value: Reward.Value?, isUpTo: Bool = false
  ) -> FeedOffer {
    FeedOffer(
      id, name: name, reward: text.map { Reward(text: $0, value: value, isUpTo: isUpTo) })
  }

  @Test(
    "page by page, filters in every order list the same offers as at once",
    arguments: OfferQuery.Sort.allCases, [false, true])
  func pages(sort: OfferQuery.Sort, isReversed: Bool) async throws {
    let store = try await Self.filled()
    var random = SeededGenerator(number: 3)
    for bits in (0..<256).shuffled(using: &random).prefix(TestSize.scaled(256)) {
      var query = OfferQuery(
        feed: bits & 1 > 0 ? "shop" : nil, favoritesOnly: bits & 2 > 0, now: Self.now, sort: sort,
        isReversed: isReversed)
      query.goneOnly = bits & 4 > 0
      if bits & 8 > 0 { query.retailer = "Mart" }
      if bits & 16 > 0 { query.category = "food" }
      if bits & 32 > 0 { query.rewardMinimum = .anyAmount(minorUnits: 1, others: ["JPY": 1]) }
      if bits & 64 > 0 {
        query.expiring = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)
      }
      query.includesExpired = bits & 128 > 0
      let all = try await store.database.fetchOffers(query).map(\.ref)
      for (limit, offset) in [(nil, 0), (3, 2)] {
        query.limit = limit
        query.offset = offset
        var read: [OfferRef] = []
        var pages = store.database.pages(of: query)
        while case let page = try await pages.next(), !page.isEmpty { read += page.map(\.ref) }
        #expect(read == Array(all.dropFirst(offset).prefix(limit ?? .max)), "\(query)")
      }
    }
  }
}
