import Foundation
import OffersCore
import OffersStore
import OffersTestSupport

/// A store with offers of many kinds of rewards, names and details.
enum VariedOffers {
  /// A time before the first offer expires.
  static let now = Date.at(3000)

  /// The offers of the feed `shop`; 9 vanishes.
  static let shop = [
    offer("1", "Äpple 9", .dollars(150, "$1.50"), retailer: "Café Lumière®", end: 5000),
    offer(
      "2", "Tea", Reward(text: "5%", value: .percent(hundredths: 500)), retailer: "CAFE LUMIERE",
      end: 4000),
    offer("3", "tea 2", .dollars(200, "$2"), end: 6000),
    offer("4", "TEA 10", nil),
    offer("5", "Jam", Reward(text: "€9", value: .amount(minorUnits: 900, currency: "EUR"))),
    offer("6", "Milk", Reward(text: "Free")),
    offer("7", "Rice", .dollars(200, "Up to $2", upTo: true)),
    offer("8", "Soba", Reward(text: "¥120", value: .amount(minorUnits: 120, currency: "JPY"))),
    offer("9", "Gone", .dollars(700, "$7"), end: 4500),
    offer("10", "Figs", Reward(text: "12.5%", value: .percent(hundredths: 1250))),
  ]

  /// Of the kind of the feed `shop`. 1, 2 and 10 have categories.
  static func offer(
    _ id: String, _ name: String, _ reward: Reward?, retailer: String = "Mart", end: Int? = nil
  ) -> FeedOffer {
    var more: [OfferField: String] = [.retailer: retailer]
    if ["1", "2", "10"].contains(id) { more[.categories] = #"["Food","Hot \"Drinks\""]"# }
    if let end { more[.expiresAt] = "\(end)" }
    return FeedOffer(id, name: name, reward: reward, more: more)
  }

  /// `old:1` and `shop:9` are gone, `shop:3` and `old:1` are favorites, and `old` was seen first.
  static func store(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    let old = [FeedOffer("1", name: "Zwieback"), FeedOffer("2", name: "apple 10")]
    try await store.sync(old, feed: "old", at: 500)
    try await store.sync(shop, feed: "shop", at: 1000)
    try await store.sync([old[1]], feed: "old", at: 2000)
    try await store.sync(shop.filter { $0.id != "9" }, feed: "shop", at: 2000)
    try await store.setFavorites(named: ["shop:3", "old:1"], to: true)
    return store
  }

  static func refs(
    _ store: OffersDatabase, _ change: (inout OfferQuery) -> Void
  ) async throws -> [String] {
    var query = OfferQuery(now: now)
    change(&query)
    return try await store.refs(query)
  }
}
