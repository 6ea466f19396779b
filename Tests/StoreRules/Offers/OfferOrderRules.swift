import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Orders of lists")
struct OfferOrderRules {
  @Test(
    "rewards are ordered by kind, currency and value; offers without one come last",
    arguments: StoreKind.allCases)
  func sortsByReward(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    #expect(
      try await VariedOffers.refs(store) { $0.sort = .reward } == [
        "shop:5", "shop:8", "shop:3", "shop:7", "shop:1", "shop:10", "shop:2", "shop:6", "old:2",
        "shop:4",
      ])
    #expect(
      try await VariedOffers.refs(store) {
        $0.sort = .reward
        $0.isReversed = true
      } == [
        "shop:5", "shop:8", "shop:1", "shop:7", "shop:3", "shop:2", "shop:10", "shop:6", "shop:4",
        "old:2",
      ])
  }

  @Test("names are in natural order, regardless of case and accents", arguments: StoreKind.allCases)
  func sortsByName(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let names = [
      "shop:1", "old:2", "shop:10", "shop:5", "shop:6", "shop:7", "shop:8", "shop:2", "shop:3",
      "shop:4",
    ]
    #expect(try await VariedOffers.refs(store) { $0.sort = .name } == names)
    let turned = try await VariedOffers.refs(store) {
      $0.sort = .name
      $0.isReversed = true
    }
    #expect(turned == names.reversed())
  }

  @Test("the newest offers come first, in the order of their feed", arguments: StoreKind.allCases)
  func sortsByAge(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let newest = try await VariedOffers.refs(store) { $0.sort = .newest }
    #expect(newest.first == "shop:1")
    #expect(newest.last == "old:2")
    let oldest = try await VariedOffers.refs(store) {
      $0.sort = .newest
      $0.isReversed = true
    }
    #expect(oldest.first == "old:2")
  }

  @Test(
    "offers are ordered by expiry, those without one last, in either direction",
    arguments: StoreKind.allCases)
  func sortsByExpiry(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let others = ["old:2", "shop:4", "shop:5", "shop:6", "shop:7", "shop:8", "shop:10"]
    let soonest = ["shop:2", "shop:1", "shop:3"] + others
    #expect(try await VariedOffers.refs(store) { $0.sort = .expiry } == soonest)
    let latest = try await VariedOffers.refs(store) {
      $0.sort = .expiry
      $0.isReversed = true
    }
    #expect(latest == ["shop:3", "shop:1", "shop:2"] + others.reversed())
  }

  @Test("rewards and prices are sorted and filtered separately", arguments: StoreKind.allCases)
  func separatesPrices(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    try await store.sync(
      [
        VariedOffers.offer("a", "Rug", .dollars(900)),
        VariedOffers.offer("b", "Cup", .dollars(300)),
        VariedOffers.offer("c", "Box", nil),
      ], feed: "store", at: 3000)
    var query = OfferQuery(now: .at(3500))
    query.pricedFeeds = ["store", "unknown"]
    query.sort = .price
    let cheapest = try await store.refs(query)
    #expect(cheapest.prefix(3) == ["store:b", "store:a", "store:c"])
    query.sort = .reward
    let best = try await store.refs(query)
    #expect(best.prefix(2) == ["shop:5", "shop:8"])
    #expect(Set(best.suffix(3)) == ["store:a", "store:b", "store:c"])
    query.rewardMinimum = .amount(minorUnits: 200, currency: "USD")
    #expect(try await store.refs(query) == ["shop:3", "shop:7"])
    query.rewardMinimum = nil
    query.priceMaximum = .amount(minorUnits: 500, currency: "USD")
    #expect(try await store.refs(query) == ["store:b"])
    query.priceMaximum = .anyAmount(minorUnits: 900, others: ["JPY": 9])
    #expect(Set(try await store.refs(query)) == ["store:a", "store:b"])
    query.pricedFeeds = []
    #expect(try await store.refs(query) == [])
    // Without prices, a highest price together with each of the other filters selects nothing.
    query.expiring = Date.at(0)...Date.at(9999)
    #expect(try await store.refs(query) == [])
    query.expiring = nil
    query.retailer = "Shop"
    #expect(try await store.refs(query) == [])
    #expect(try await store.countOffers(query) == 0)
  }

  @Test(
    "every order is the same page by page", arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func pages(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    for isReversed in [false, true] {
      let store = try await VariedOffers.store(kind)
      var query = OfferQuery(now: VariedOffers.now)
      query.sort = sort
      query.isReversed = isReversed
      let all = try await store.refs(query)
      #expect(all.count == 10)
      var seen: [String] = []
      query.limit = 3
      for page in 0..<4 {
        query.offset = page * 3
        seen += try await store.refs(query)
      }
      #expect(seen == all)
      query.offset = 10
      #expect(try await store.refs(query) == [])
      query.offset = -1
      query.limit = -1
      #expect(try await store.refs(query) == [])
    }
  }

  @Test(
    "every order continues after an offer, even if that offer has changed since",
    arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func goesOn(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    // Prices matter to these orders only.
    let priced: [Set<String>] = [.reward, .price].contains(sort) ? [[], ["shop"]] : [[]]
    for (isReversed, pricedFeeds) in [false, true].flatMap({ turn in priced.map { (turn, $0) } }) {
      let store = try await VariedOffers.store(kind)
      var query = OfferQuery(now: VariedOffers.now)
      query.sort = sort
      query.isReversed = isReversed
      query.pricedFeeds = pricedFeeds
      let all = try await store.fetchOffers(query)
      for (index, offer) in all.enumerated() {
        let rest = all.dropFirst(index + 1).map(\.ref.description)
        query.after = OfferPosition(of: offer.offer, in: query)
        #expect(try await store.refs(query) == rest)
        query.after = OfferPosition(offer.ref)
        #expect(try await store.refs(query) == rest)
      }
      let changed = try #require(all.first { $0.ref.offerID == "3" })
      let rest = all.drop { $0.ref != changed.ref }.dropFirst().map(\.ref.description)
      query.after = OfferPosition(of: changed.offer, in: query)
      try await store.sync(
        VariedOffers.shop.filter { $0.id != "9" }.map { offer in
          offer.id == "3" ? FeedOffer("3", name: "zzz", more: offer.more) : offer
        }, feed: "shop", at: 2500)
      #expect(try await store.refs(query).filter { $0 != "shop:3" } == rest)
    }
  }

  @Test(
    "a position of another order, or of a removed offer, is refused", arguments: StoreKind.allCases)
  func refusesPlaces(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let ref = OfferRef(feed: "shop", offerID: "3")
    let removed = OfferRef(feed: "shop", offerID: "none")
    let cases: [(OfferQuery.Sort, OfferPosition)] = [
      (.name, OfferPosition(ref, values: [.number(1), .number(2)])),
      (.name, OfferPosition(ref, values: [.number(1)])), (.name, OfferPosition(removed)),
      (.name, OfferPosition(removed, values: [.text("Tea")])), (.feed, OfferPosition(removed)),
      (.newest, OfferPosition(ref, values: [.text("Tea")])),
      (.newest, OfferPosition(ref, values: [.none])),
      (.expiry, OfferPosition(ref, values: [.text("Tea")])),
      (.expiry, OfferPosition(ref, values: [.none, .none])),
      (.reward, OfferPosition(ref, values: [.text("0"), .none, .none, .none, .number(0)])),
    ]
    for (sort, position) in cases {
      let query = OfferQuery(now: VariedOffers.now, sort: sort, after: position)
      let error = await refusal { _ = try await store.fetchOffers(query) }
      #expect(error?.code == .invalidRequest, "\(sort) \(position)")
      #expect(error?.hint?.text == "Start the list from the beginning.")
    }
  }
}
