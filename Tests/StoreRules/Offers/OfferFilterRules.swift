import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Filters of lists")
struct OfferFilterRules {
  @Test(
    "minimum amounts and minimum percentages are separate filters", arguments: StoreKind.allCases)
  func filtersByReward(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    func refs(_ minimum: ValueBound) async throws -> [String] {
      try await VariedOffers.refs(store) { $0.rewardMinimum = minimum }
    }
    #expect(
      try await refs(.amount(minorUnits: 200, currency: "USD")) == ["shop:3", "shop:7"])
    #expect(try await refs(.amount(minorUnits: 901, currency: "EUR")) == [])
    #expect(
      try await refs(.anyAmount(minorUnits: 200, others: ["JPY": 2, "KWD": 2000]))
        == ["shop:3", "shop:5", "shop:7", "shop:8"])
    #expect(
      try await refs(.anyAmount(minorUnits: 151, others: [:])) == ["shop:3", "shop:5", "shop:7"])
    #expect(
      try await refs(.anyAmount(minorUnits: nil, others: ["USD": 200, "JPY": 2, "XXX": 1]))
        == ["shop:3", "shop:7", "shop:8"])
    #expect(try await refs(.anyAmount(minorUnits: nil, others: [:])) == [])
    #expect(try await refs(.percent(hundredths: 500)) == ["shop:2", "shop:10"])
    #expect(try await refs(.percent(hundredths: 501)) == ["shop:10"])
  }

  @Test(
    "retailers and categories match regardless of case and accents", arguments: StoreKind.allCases)
  func filtersByLabels(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    #expect(
      try await VariedOffers.refs(store) { $0.retailer = "cafe lumière" } == ["shop:1", "shop:2"])
    #expect(try await VariedOffers.refs(store) { $0.retailer = "cafe" } == [])
    #expect(
      try await VariedOffers.refs(store) { $0.category = "hot \"drinks\"" }
        == ["shop:1", "shop:2", "shop:10"])
    #expect(try await VariedOffers.refs(store) { $0.category = "Foo" } == [])
    #expect(
      try await VariedOffers.refs(store) {
        $0.category = "FOOD"
        $0.retailer = "Mart"
      } == ["shop:10"])
    for feed in [nil, "shop"] {
      #expect(try await store.fetchRetailers(of: feed).first == "Mart")
      #expect(
        try await store.fetchCategories(of: feed) == ["Food", "Hot \"Drinks\""])
    }
    #expect(try await store.fetchRetailers(of: "ibotta") == [])
    #expect(try await store.fetchCategories(of: "ibotta") == [])
  }

  @Test(
    "time ranges include their bounds, and gone offers are omitted by default",
    arguments: StoreKind.allCases)
  func filtersByTime(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
    #expect(try await VariedOffers.refs(store) { $0.newSince = date(1000) }.count == 9)
    #expect(try await VariedOffers.refs(store) { $0.newSince = date(1000.5) } == [])
    #expect(
      try await VariedOffers.refs(store) { $0.expiring = date(4000)...date(5000) } == [
        "shop:1", "shop:2",
      ])
    #expect(try await VariedOffers.refs(store) { $0.expiring = date(4000.5)...date(4999.5) } == [])
    #expect(
      try await VariedOffers.refs(store) {
        $0.expiring = Date.distantPast...Date(timeIntervalSince1970: .infinity)
        $0.sort = .expiry
      } == ["shop:2", "shop:1", "shop:3"])
  }

  @Test(
    "gone offers can be listed, also among favorites and by feed", arguments: StoreKind.allCases)
  func filtersByGone(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    #expect(try await VariedOffers.refs(store) { $0.goneOnly = true } == ["old:1", "shop:9"])
    #expect(
      try await VariedOffers.refs(store) {
        $0.goneOnly = true
        $0.feed = "shop"
        $0.sort = .name
      } == ["shop:9"])
    #expect(
      try await VariedOffers.refs(store) {
        $0.goneOnly = true
        $0.favoritesOnly = true
      } == ["old:1"])
    #expect(
      try await VariedOffers.refs(store) {
        $0.goneOnly = true
        $0.expiring = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)
      } == ["shop:9"])
    #expect(
      try await VariedOffers.refs(store) {
        $0.favoritesOnly = true
        $0.retailer = "mart"
        $0.sort = .expiry
      } == ["shop:3"])
  }

  /// The combination of filters and orders that the bits of a number stand for.
  private static func query(_ bits: Int, _ sort: OfferQuery.Sort) -> OfferQuery {
    var query = OfferQuery(
      feed: bits & 1 > 0 ? "shop" : nil, favoritesOnly: bits & 2 > 0, now: .at(4200), sort: sort,
      isReversed: bits & 256 > 0)
    query.goneOnly = bits & 4 > 0
    if bits & 8 > 0 { query.retailer = "MART" }
    if bits & 16 > 0 { query.category = "food" }
    if bits & 32 > 0 { query.rewardMinimum = .anyAmount(minorUnits: 1, others: ["JPY": 1]) }
    if bits & 64 > 0 { query.expiring = .at(1) ... .at(9000) }
    if bits & 128 > 0 { query.pricedFeeds = ["old"] }
    query.includesExpired = bits & 512 > 0
    return query
  }

  /// Whether a query of `query(_:_:)` selects an offer, apart from what it says of the offer itself: its
  /// feed, retailer, category and reward.
  private static func hasState(_ offer: UserOffer, of query: OfferQuery) -> Bool {
    let isListed = query.goneOnly ? offer.goneAt != nil : query.favoritesOnly || offer.goneAt == nil
    let isEnding = query.expiring.map { range in offer.expiresAt.map(range.contains) ?? false }
    return isListed && (offer.isFavorite || !query.favoritesOnly) && isEnding ?? true
      && !(query.selection.excludesExpired && offer.isExpired(at: .at(4200)))
  }

  /// Whether an offer has the feed, the retailer, the category and the reward of a query.
  private static func hasFields(_ offer: UserOffer, of query: OfferQuery) -> Bool {
    let isRewarded =
      if case .amount? = offer.reward?.value { !query.pricedFeeds.contains(offer.ref.feed) } else {
        false
      }
    return (query.feed ?? offer.ref.feed) == offer.ref.feed
      && (query.retailer == nil || offer.retailer == "Mart")
      && (query.category == nil || offer.categories.contains("Food"))
      && (query.rewardMinimum == nil || isRewarded)
  }

  @Test(
    "every combination of filters and orders selects what a scan of all offers selects",
    arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func combines(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    let store = try await VariedOffers.store(kind)
    var current = OfferQuery(now: .at(4200))
    current.includesExpired = true
    var gone = current
    gone.goneOnly = true
    let all = try await store.fetchOffers(current) + store.fetchOffers(gone)
    #expect(all.count == VariedOffers.shop.count + 2)
    // Each order has combinations of its own. The step is odd, so that each bit varies.
    let first = OfferQuery.Sort.allCases.firstIndex(of: sort) ?? 0
    for bits in stride(from: TestSize.isLong ? 0 : first, to: 1024, by: TestSize.isLong ? 1 : 21) {
      let query = Self.query(bits, sort)
      var wider = query
      (wider.feed, wider.retailer, wider.category, wider.rewardMinimum) = (nil, nil, nil, nil)
      let scanned = try await store.fetchOffers(wider)
      #expect(
        Set(scanned) == Set(all.filter { Self.hasState($0, of: query) }), "\(query)")
      let refs = try await store.refs(query)
      #expect(
        refs == scanned.filter { Self.hasFields($0, of: query) }.map(\.ref.description), "\(query)")
      #expect(try await store.countOffers(query) == refs.count, "\(query)")
    }
  }
}
