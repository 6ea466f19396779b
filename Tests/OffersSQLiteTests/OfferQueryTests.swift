import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Filters and orders of lists")
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

  private static func refs(
    _ store: Store, _ change: (inout OfferQuery) -> Void
  ) async throws -> [String] {
    var query = OfferQuery(now: Self.now)
    change(&query)
    return try await refs(store, query)
  }

  /// The offers of a query, which must be the same read at once and page by page.
  private static func refs(_ store: Store, _ query: OfferQuery) async throws -> [String] {
    let all = try await store.database.fetchOffers(query).map(\.ref.description)
    var pages = store.database.pages(of: query)
    var read: [String] = []
    var page = try await pages.next()
    while !page.isEmpty {
      read += page.map(\.ref.description)
      page = try await pages.next()
    }
    #expect(read == all)
    if query.limit == nil && query.offset == 0 {
      #expect(try await store.database.countOffers(query) == all.count)
    }
    return all
  }

  @Test("rewards are ordered by kind, currency and value; offers without one come last")
  func sortsByReward() async throws {
    let store = try await Self.filled()
    #expect(
      try await Self.refs(store) { $0.sort = .reward } == [
        "shop:5", "shop:8", "shop:3", "shop:7", "shop:1", "shop:10", "shop:2", "shop:6", "old:2",
        "shop:4",
      ])
    #expect(
      try await Self.refs(store) {
        $0.sort = .reward
        $0.isReversed = true
      } == [
        "shop:5", "shop:8", "shop:1", "shop:7", "shop:3", "shop:2", "shop:10", "shop:6", "shop:4",
        "old:2",
      ])
  }

  @Test("names are in natural order, regardless of case and accents")
  func sortsByName() async throws {
    let store = try await Self.filled()
    let names = [
      "shop:1", "old:2", "shop:10", "shop:5", "shop:6", "shop:7", "shop:8", "shop:2", "shop:3",
      "shop:4",
    ]
    #expect(try await Self.refs(store) { $0.sort = .name } == names)
    let turned = try await Self.refs(store) {
      $0.sort = .name
      $0.isReversed = true
    }
    #expect(turned == names.reversed())
  }

  @Test("the newest offers come first, in the order of their feed")
  func sortsByAge() async throws {
    let store = try await Self.filled()
    let newest = try await Self.refs(store) { $0.sort = .newest }
    #expect(newest.first == "shop:1")
    #expect(newest.last == "old:2")
    let oldest = try await Self.refs(store) {
      $0.sort = .newest
      $0.isReversed = true
    }
    #expect(oldest.first == "old:2")
  }

  @Test("offers are ordered by expiry, those without one last, in either direction")
  func sortsByExpiry() async throws {
    let store = try await Self.filled()
    let others = ["old:2", "shop:4", "shop:5", "shop:6", "shop:7", "shop:8", "shop:10"]
    let soonest = ["shop:2", "shop:1", "shop:3"] + others
    #expect(try await Self.refs(store) { $0.sort = .expiry } == soonest)
    let latest = try await Self.refs(store) {
      $0.sort = .expiry
      $0.isReversed = true
    }
    #expect(latest == ["shop:3", "shop:1", "shop:2"] + others.reversed())
  }

  @Test("rewards and prices are sorted and filtered separately")
  func separatesPrices() async throws {
    let store = try await Self.filled()
    try await store.sync(
      [
        Self.shop("a", "Rug", "$9", .amount(minorUnits: 900, currency: "USD")),
        Self.shop("b", "Cup", "$3", .amount(minorUnits: 300, currency: "USD")),
        Self.shop("c", "Box", nil, nil),
      ], feed: "store", at: 3000)
    var query = OfferQuery(now: Date(timeIntervalSince1970: 3500))
    query.pricedFeeds = ["store", "unknown"]
    query.sort = .price
    let cheapest = try await Self.refs(store, query)
    #expect(cheapest.prefix(3) == ["store:b", "store:a", "store:c"])
    query.sort = .reward
    let best = try await Self.refs(store, query)
    #expect(best.prefix(2) == ["shop:5", "shop:8"])
    #expect(Set(best.suffix(3)) == ["store:a", "store:b", "store:c"])
    query.rewardMinimum = .amount(minorUnits: 200, currency: "USD")
    #expect(try await Self.refs(store, query) == ["shop:3", "shop:7"])
    query.rewardMinimum = nil
    query.priceMaximum = .amount(minorUnits: 500, currency: "USD")
    #expect(try await Self.refs(store, query) == ["store:b"])
    query.priceMaximum = .anyAmount(minorUnits: 900, others: ["JPY": 9])
    #expect(Set(try await Self.refs(store, query)) == ["store:a", "store:b"])
    query.pricedFeeds = []
    #expect(try await Self.refs(store, query) == [])
  }

  @Test(
    "the orders by reward and by price continue after an offer",
    arguments: [OfferQuery.Sort.reward, .price], [false, true])
  func goesOnAfterPrices(sort: OfferQuery.Sort, isReversed: Bool) async throws {
    let store = try await Self.filled()
    var query = OfferQuery(sort: sort, isReversed: isReversed)
    query.pricedFeeds = ["shop"]
    let all = try await store.database.fetchOffers(query)
    for (index, offer) in all.enumerated() {
      query.after = OfferPlace(of: offer, in: query)
      let rest = all.dropFirst(index + 1).map(\.ref.description)
      #expect(try await Self.refs(store, query) == rest)
    }
  }

  @Test("every order is the same page by page", arguments: OfferQuery.Sort.allCases, [false, true])
  func pages(sort: OfferQuery.Sort, isReversed: Bool) async throws {
    let store = try await Self.filled()
    var query = OfferQuery(now: Self.now)
    query.sort = sort
    query.isReversed = isReversed
    let all = try await Self.refs(store, query)
    #expect(all.count == 10)
    var seen: [String] = []
    query.limit = 3
    for page in 0..<4 {
      query.offset = page * 3
      seen += try await Self.refs(store, query)
    }
    #expect(seen == all)
    query.offset = 10
    #expect(try await Self.refs(store, query) == [])
    query.offset = -1
    query.limit = -1
    #expect(try await Self.refs(store, query) == [])
  }

  @Test("the order of feeds can be paged backwards")
  func readsBackwards() async throws {
    let store = try await Self.filled()
    #expect(
      try await Self.refs(store) {
        $0.isReversed = true
        $0.after = OfferPlace(OfferRef(feed: "shop", offerID: "3"))
      } == ["shop:2", "shop:1", "old:2"])
  }

  @Test(
    "every order continues after an offer, even if that offer has changed since",
    arguments: OfferQuery.Sort.allCases, [false, true])
  func goesOn(sort: OfferQuery.Sort, isReversed: Bool) async throws {
    let store = try await Self.filled()
    var query = OfferQuery(now: Self.now)
    query.sort = sort
    query.isReversed = isReversed
    let all = try await store.database.fetchOffers(query)
    for (index, offer) in all.enumerated() {
      let rest = all.dropFirst(index + 1).map(\.ref.description)
      query.after = OfferPlace(of: offer, in: query)
      #expect(try await Self.refs(store, query) == rest)
      query.after = OfferPlace(offer.ref)
      #expect(try await Self.refs(store, query) == rest)
    }
    let changed = try #require(all.first { $0.ref.offerID == "3" })
    let rest = all.drop { $0.ref != changed.ref }.dropFirst().map(\.ref.description)
    query.after = OfferPlace(of: changed, in: query)
    try await store.database.write(.ordinary) { database in
      try database.execute(
        sql: """
          UPDATE offer SET name = 'zzz', reward_text = NULL, reward_minor_units = NULL,
            reward_currency = NULL, reward_percent_hundredths = NULL WHERE id = '3'
          """)
    }
    #expect(try await Self.refs(store, query).filter { $0 != "shop:3" } == rest)
  }

  @Test("a position of another order, or of a removed offer, is refused")
  func refusesPlaces() async throws {
    let store = try await Self.filled()
    let ref = OfferRef(feed: "shop", offerID: "3")
    for place in [
      OfferPlace(ref, values: [.number(1), .number(2)]),
      OfferPlace(OfferRef(feed: "shop", offerID: "none")),
    ] {
      var asked = OfferQuery(now: Self.now, after: place)
      asked.sort = .name
      let query = asked
      let error = await #expect(throws: OffersError.self) {
        _ = try await store.database.fetchOffers(query)
      }
      #expect(error?.code == .invalidRequest)
    }
  }

  @Test("minimum amounts and minimum percentages are separate filters")
  func filtersByReward() async throws {
    let store = try await Self.filled()
    func refs(_ minimum: OfferQuery.RewardMinimum) async throws -> [String] {
      try await Self.refs(store) { $0.rewardMinimum = minimum }
    }
    #expect(
      try await refs(.amount(minorUnits: 200, currency: "USD")) == ["shop:3", "shop:7"])
    #expect(try await refs(.amount(minorUnits: 901, currency: "EUR")) == [])
    #expect(
      try await refs(.anyAmount(minorUnits: 200, others: ["JPY": 2, "KWD": 2000]))
        == ["shop:3", "shop:5", "shop:7", "shop:8"])
    #expect(
      try await refs(.anyAmount(minorUnits: 151, others: [:])) == ["shop:3", "shop:5", "shop:7"])
    #expect(try await refs(.percent(hundredths: 500)) == ["shop:2", "shop:10"])
    #expect(try await refs(.percent(hundredths: 501)) == ["shop:10"])
  }

  @Test("retailers and categories match regardless of case and accents")
  func filtersByLabels() async throws {
    let store = try await Self.filled()
    #expect(
      try await Self.refs(store) { $0.retailer = "cafe lumière" } == ["shop:1", "shop:2"])
    #expect(try await Self.refs(store) { $0.retailer = "cafe" } == [])
    #expect(
      try await Self.refs(store) { $0.category = "hot \"drinks\"" }
        == ["shop:1", "shop:2", "shop:10"])
    #expect(try await Self.refs(store) { $0.category = "Foo" } == [])
    #expect(
      try await Self.refs(store) {
        $0.category = "FOOD"
        $0.retailer = "Mart"
      } == ["shop:10"])
    for feed in [nil, "shop"] {
      #expect(try await store.database.fetchRetailers(of: feed).first == "Mart")
      #expect(
        try await store.database.fetchCategories(of: feed) == ["Food", "Hot \"Drinks\""])
    }
    #expect(try await store.database.fetchRetailers(of: "ibotta") == [])
    #expect(try await store.database.fetchCategories(of: "ibotta") == [])
  }

  @Test("time ranges include their bounds, and gone offers are omitted by default")
  func filtersByTime() async throws {
    let store = try await Self.filled()
    func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
    #expect(try await Self.refs(store) { $0.newSince = date(1000) }.count == 9)
    #expect(try await Self.refs(store) { $0.newSince = date(1000.5) } == [])
    #expect(
      try await Self.refs(store) { $0.expiring = date(4000)...date(5000) } == ["shop:1", "shop:2"])
    #expect(try await Self.refs(store) { $0.expiring = date(4000.5)...date(4999.5) } == [])
    #expect(
      try await Self.refs(store) {
        $0.expiring = Date.distantPast...Date(timeIntervalSince1970: .infinity)
        $0.sort = .expiry
      } == ["shop:2", "shop:1", "shop:3"])
  }

  @Test("gone offers can be listed, also among favorites and by feed")
  func filtersByGone() async throws {
    let store = try await Self.filled()
    #expect(try await Self.refs(store) { $0.goneOnly = true } == ["old:1", "shop:9"])
    #expect(
      try await Self.refs(store) {
        $0.goneOnly = true
        $0.feed = "shop"
        $0.sort = .name
      } == ["shop:9"])
    #expect(
      try await Self.refs(store) {
        $0.goneOnly = true
        $0.favoritesOnly = true
      } == ["old:1"])
    #expect(
      try await Self.refs(store) {
        $0.goneOnly = true
        $0.expiring = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)
      } == ["shop:9"])
    #expect(
      try await Self.refs(store) {
        $0.favoritesOnly = true
        $0.retailer = "mart"
        $0.sort = .expiry
      } == ["shop:3"])
  }

  @Test("every filter works with every order, and with a filter that excludes all")
  func combines() async throws {
    let store = try await Self.filled()
    for sort in OfferQuery.Sort.allCases {
      for bits in 0..<128 {
        var query = OfferQuery(feed: bits & 1 > 0 ? "shop" : nil, favoritesOnly: bits & 2 > 0)
        query.sort = sort
        query.goneOnly = bits & 4 > 0
        if bits & 8 > 0 { query.retailer = "Mart" }
        if bits & 16 > 0 { query.category = "food" }
        if bits & 32 > 0 { query.rewardMinimum = .anyAmount(minorUnits: 1, others: ["JPY": 1]) }
        if bits & 64 > 0 {
          query.expiring = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)
        }
        let one = try await Self.refs(store, query)
        query.sort = .feed
        #expect(try await Set(Self.refs(store, query)) == Set(one))
      }
    }
  }
}
