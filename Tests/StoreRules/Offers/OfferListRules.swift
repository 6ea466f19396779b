import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Lists of offers")
struct OfferListRules {
  /// Two feeds; in the first, `ibotta:3` is gone and a favorite, `ibotta:5` is only gone.
  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    let offers = ["9", "3", "7", "5", "1"].map { FeedOffer($0) }
    try await store.sync(offers)
    try await store.sync((1...20).map { FeedOffer("\($0)") }, feed: "grocer")
    try await store.setFavorites(named: ["grocer:2", "ibotta:3", "ibotta:1"], to: true)
    try await store.sync(offers.filter { $0.id != "3" && $0.id != "5" }, at: 2000)
    return store
  }

  @Test(
    "offers are listed in the order in which syncs first found them, without gone ones",
    arguments: StoreKind.allCases)
  func keepsFeedOrder(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    #expect(
      try await store.refs(OfferQuery(feed: "ibotta")) == ["ibotta:9", "ibotta:7", "ibotta:1"])
    #expect(
      try await store.refs()
        == ["ibotta:9", "ibotta:7", "ibotta:1"] + (1...20).map { "grocer:\($0)" })
    // An offer that is back has its old place.
    try await store.sync(["1", "3", "7", "9"].map { FeedOffer($0) }, at: 3000)
    #expect(try await store.ids(OfferQuery(feed: "ibotta")) == ["9", "3", "7", "1"])
  }

  @Test(
    "a limit truncates the list; zero returns none and a large one returns all",
    arguments: StoreKind.allCases)
  func limits(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    #expect(try await store.refs(OfferQuery(limit: 2)) == ["ibotta:9", "ibotta:7"])
    #expect(try await store.refs(OfferQuery(limit: 0)) == [])
    #expect(try await store.refs(OfferQuery(limit: 1000)).count == 23)
  }

  @Test("pages list every offer exactly once", arguments: StoreKind.allCases, [1, 7, 23, 24])
  func pages(kind: StoreKind, size: Int) async throws {
    let store = try await Self.filled(kind)
    for feed in [nil, "grocer"] {
      var seen: [String] = []
      var query = OfferQuery(feed: feed, limit: size)
      while true {
        let page = try await store.fetchOffers(query)
        #expect(page.count <= size)
        guard let last = page.last, seen.count < 100 else { break }
        seen += page.map(\.ref.description)
        query.after = OfferPosition(last.ref)
      }
      #expect(try await seen == store.refs(OfferQuery(feed: feed)))
    }
  }

  @Test("a page continues after an offer that vanished meanwhile", arguments: StoreKind.allCases)
  func pagesBehindGone(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let gone = OfferQuery(
      feed: "ibotta", after: OfferPosition(OfferRef(feed: "ibotta", offerID: "3")))
    #expect(try await store.refs(gone) == ["ibotta:7", "ibotta:1"])
  }

  @Test("gone favorites are listed with favorites", arguments: StoreKind.allCases)
  func listsGoneFavorites(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let offers = try await store.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(offers.map(\.ref.description) == ["ibotta:3", "ibotta:1", "grocer:2"])
    #expect(offers.map(\.isGone) == [true, false, false])
    #expect(offers.map(\.isFavorite) == [true, true, true])
    let query = OfferQuery(feed: "grocer", favoritesOnly: true)
    #expect(try await store.refs(query) == ["grocer:2"])
  }

  @Test("counts agree with the lists, whatever the limit", arguments: StoreKind.allCases)
  func counts(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    for feed in [nil, "ibotta", "grocer"] {
      for favoritesOnly in [false, true] {
        let all = OfferQuery(feed: feed, favoritesOnly: favoritesOnly)
        let limited = OfferQuery(feed: feed, favoritesOnly: favoritesOnly, limit: 1, offset: 1)
        let count = try await store.refs(all).count
        #expect(try await store.countOffers(all) == count)
        #expect(try await store.countOffers(limited) == count)
      }
    }
  }

  @Test("an unknown feed is an error that names the known ones", arguments: StoreKind.allCases)
  func refusesUnknownFeed(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let query = OfferQuery(feed: "walmart")
    let calls: [() async throws -> Void] = [
      { _ = try await store.countOffers(query) },
      { _ = try await store.fetchOffers(query) },
      { _ = try await store.fetchOfferPage(query, maximumBytes: 1000) },
      { _ = try await store.search(SearchQuery("tea", feed: "walmart")) },
      { _ = try await store.fetchChanges(ChangeQuery(feed: "walmart", now: .at(1))) },
      { _ = try await store.fetchChangePage(ChangeQuery(feed: "walmart", now: .at(1))) },
    ]
    for call in calls {
      let error = await refusal(call)
      #expect(error?.code == .notFound)
      #expect(error?.hint?.text == "Feeds: grocer, ibotta.")
    }
    #expect(try await store.fetchRetailers(of: "walmart") == [])
  }

  @Test(
    "each field is read as the feed printed it, byte for byte", arguments: StoreKind.allCases)
  func keepsFields(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let texts = [
      "Caf\u{E9}", "Cafe\u{301}", "a\"b\\c\nd\te\r", "\u{1}\u{7F}\u{FEFF}\u{202E}", "🧑🏽‍🌾", "𐍈", " x ",
      "NULL",
      String(repeating: "é", count: 70_000),
    ]
    func json(_ texts: [String]) -> String {
      var json = JSONWriter()
      json.array { for text in texts { $0.value(text) } }
      return json.text
    }
    let attributes = texts.map { OfferAttribute(label: "L", value: $0) }
    let offers = texts.enumerated().map { place, text in
      FeedOffer(
        "\(place)", name: text, description: text, reward: Reward(text: text, isUpTo: true),
        more: [
          .terms: text, .imageURL: text, .url: text, .retailer: text, .categories: json(texts),
          .startsAt: "-5", .expiresAt: "9999999999", .latitude: "-52.123456789012345",
          .longitude: "179.99999", .attributes: OfferAttribute.json(attributes) ?? "",
        ])
    }
    try await store.sync(offers)
    let read = try await store.fetchOffers(OfferQuery(now: .at(1)))
    #expect(read.count == texts.count)
    for (offer, text) in zip(read, texts) {
      let bytes = Array(text.utf8)
      for read in [
        offer.name, offer.description, offer.terms, offer.imageURLText, offer.urlText,
        offer.retailer, offer.reward?.text,
      ] { #expect(read.map { Array($0.utf8) } == bytes) }
      #expect(offer.categories.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
      #expect(offer.attributes.map { Array($0.value.utf8) } == texts.map { Array($0.utf8) })
      #expect(offer.startsAt == .at(-5) && offer.expiresAt == .at(9_999_999_999))
      #expect(offer.latitude == -52.123456789012345 && offer.longitude == 179.99999)
      #expect(offer.reward?.isUpTo == true && offer.reward?.value == nil)
      #expect(offer.firstSeenAt == .at(1000) && offer.changedAt == .at(1000))
    }
    try await store.sync([FeedOffer("bare")], feed: "bare")
    let bare = try await store.fetchOffer(named: "bare")
    #expect(
      bare.offer
        == Offer(
          ref: OfferRef(feed: "bare", offerID: "bare"), name: "Milk", firstSeenAt: .at(1000),
          changedAt: .at(1000)))
  }
}
