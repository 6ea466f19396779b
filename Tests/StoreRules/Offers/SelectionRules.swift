import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersTestSupport
import Testing

@Suite("Selections by words and filters")
struct SelectionRules {
  private static let names = ["coffee", "tea", "pod", "cold", "brew", "iced"]
  private static let retailers = ["Mart", "Café Lumière", "Shop 7"]
  private static let categories = ["Drinks", "Food", "Hot drinks"]
  private static let now = Date.at(5000)

  private static func store(
    _ kind: StoreKind, _ random: inout SeededGenerator
  ) async throws -> OffersDatabase {
    let store = try await kind.open().store
    for (feed, count) in [("a", 30), ("b", 20), ("c", 10)] {
      let offers = (1...count).map { number in
        let words = (0...random.below(4)).map { _ in names[random.below(names.count)] }
        var more: [OfferField: String] = [:]
        if random.below(3) > 0 { more[.retailer] = retailers[random.below(retailers.count)] }
        if random.below(3) > 0 {
          more[.categories] = "[\"\(categories[random.below(categories.count)])\"]"
        }
        if random.below(2) == 0 { more[.expiresAt] = "\(4000 + random.below(4000))" }
        if random.below(2) == 0 {
          more[.latitude] = "\(52 + Double(random.below(100)) / 100)"
          more[.longitude] = "\(13 + Double(random.below(100)) / 100)"
        }
        let reward = random.below(4) == 0 ? nil : Reward.dollars(Int64(random.below(500)), "$")
        return FeedOffer(
          "\(number)", name: words.joined(separator: " "), reward: reward, more: more)
      }
      try await store.sync(offers, feed: feed, at: 1000)
      try await store.sync(offers.filter { _ in random.below(10) > 0 }, feed: feed, at: 2000)
    }
    let all = try await store.fetchOffers(OfferQuery(now: now))
    try await store.setFavorites(
      named: all.filter { _ in random.below(4) == 0 }.map(\.ref.description), to: true)
    return store
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    func one(_ texts: [String]) -> String { texts[random.below(texts.count)] }
    func word() -> String { one(names) }
    let terms = (0...random.below(4)).map { _ in
      switch random.below(17) {
      case 0, 1, 2: word()
      case 3: "-" + word()
      case 4: "\"\(word()) \(word())\""
      case 5: "\(word()) OR \(word())"
      case 6: one(["", "-"]) + "feed:" + one(["a", "b", "c"])
      case 7: one(["", "-"]) + "retailer:\"\(one(retailers).lowercased())\""
      case 8: one(["", "-"]) + "category:\"\(one(categories).uppercased())\""
      case 9: "reward:" + one([">=", "<="]) + "\(1 + random.below(4))"
      case 10: "price:" + one([">=", "<="]) + "\(1 + random.below(4))"
      case 11: "is:" + one(["favorite", "gone", "expired"])
      case 12: "ending:" + one(["15m", "1h", "30m"])
      case 13: "new:" + one(["60m", "2h"])
      case 14: "near:52.5,13.5," + one(["5", "20", "60"]) + "km"
      case 15: "-\"\(word()) \(word())\""
      default: word()
      }
    }
    return terms.joined(separator: " ")
  }

  /// The model: whether an offer is selected. Feed `c` has prices.
  private static func selects(_ selection: Selection, _ offer: UserOffer) -> Bool {
    let isPriced = offer.ref.feed == "c"
    func bound(_ bound: ValueBound?, _ isOfPrice: Bool, _ holds: (Int64, Int64) -> Bool) -> Bool {
      guard case .anyAmount(let units?, _)? = bound else { return true }
      return isPriced == isOfPrice && offer.reward?.minorUnits.map { holds($0, units) } ?? false
    }
    func choice(_ choice: NameChoice, _ own: [String]) -> Bool {
      let own = own.map { $0.lowercased() }
      return (choice.wanted.isEmpty || choice.wanted.contains { own.contains($0.lowercased()) })
        && !choice.unwanted.contains { own.contains($0.lowercased()) }
    }
    let isCurrent = selection.goneOnly ? offer.isGone : selection.favoritesOnly || !offer.isGone
    let isEnding = selection.expiring.map { range in offer.expiresAt.map(range.contains) ?? false }
    return isCurrent && (offer.isFavorite || !selection.favoritesOnly) && isEnding ?? true
      && !(selection.excludesExpired && offer.isExpired(at: now))
      && bound(selection.rewardMinimum, false, >=) && bound(selection.rewardMaximum, false, <=)
      && bound(selection.priceMinimum, true, >=) && bound(selection.priceMaximum, true, <=)
      && choice(selection.feeds, [offer.ref.feed]) && choice(selection.categories, offer.categories)
      && choice(selection.retailers, offer.retailer.map { [$0] } ?? [])
      && selection.newSince.map { offer.firstSeenAt >= $0 } ?? true
      && selection.near.map { circle in
        offer.latitude.map { circle.contains(latitude: $0, longitude: offer.longitude ?? 0) }
          ?? false
      } ?? true && hasWords(selection.words, offer.name)
  }

  private static func hasWords(_ text: String, _ name: String) -> Bool {
    let padded = " \(name) "
    var (wanted, isAlternative) = ([Bool](), false)
    let terms = text.matches(of: /-?"[^"]*"|[^ ]+/).map { String($0.output) }
    for (place, term) in terms.enumerated() where term != "OR" {
      let word = term.replacing("\"", with: "").drop { $0 == "-" }
      // The last word may be the beginning of a longer one, which only "pod" could be here.
      let isOpen = place == terms.count - 1 && !term.contains("\"") && !term.hasPrefix("-")
      let has = padded.contains(" \(word)\(isOpen ? "" : " ")")
      isAlternative = place > 0 && terms[place - 1] == "OR"
      if term.hasPrefix("-") {
        if has { return false }
      } else if isAlternative, let last = wanted.indices.last {
        wanted[last] = wanted[last] || has
      } else {
        wanted.append(has)
      }
    }
    return wanted.allSatisfy(\.self)
  }

  @Test(
    "lists, searches and tests in memory have what a model selects", arguments: StoreKind.allCases)
  func model(kind: StoreKind) async throws {
    var random = SeededGenerator(number: 60)
    let store = try await Self.store(kind, &random)
    var whole = OfferQuery(now: Self.now)
    whole.includesExpired = true
    let current = try await store.fetchOffers(whole)
    whole.goneOnly = true
    let all = current + (try await store.fetchOffers(whole))
    let candidates = all.enumerated().map { key, offer in
      let role: ValueRole = offer.ref.feed == "c" ? .price : .reward
      let candidate = OfferCandidate(
        key: Int64(key), offer.offer, ownAttributes: offer.attributes, role: role)
      return (candidate: candidate, isFavorite: offer.isFavorite)
    }
    let batch = OfferBatch(candidates.map(\.candidate))
    var counts: Set<Int> = []
    for _ in 0..<(TestSize.isLong ? 2000 : 300) {
      let text = Self.text(&random)
      let selection = try SelectionText(parsing: text).selection(at: Self.now, FilterTextParser())
      let expected = Set(all.filter { Self.selects(selection, $0) }.map(\.ref))
      var query = OfferQuery(now: Self.now)
      (query.selection, query.pricedFeeds) = (selection, ["c"])
      let listed = try await store.fetchOffers(query).map(\.ref)
      #expect(Set(listed) == expected && listed.count == expected.count, "list \(text)")
      #expect(try await store.countOffers(query) == expected.count, "count \(text)")
      var search = SearchQuery(selection, now: Self.now, limit: 1000)
      search.pricedFeeds = ["c"]
      let found = try await store.search(search).hits.map(\.offer.ref)
      #expect(Set(found) == expected && found.count == expected.count, "search \(text)")
      let matcher = try OfferMatcher(selection, at: Self.now)
      let matching = candidates.filter { matcher.matches($0.candidate, isFavorite: $0.isFavorite) }
      #expect(Set(matching.map(\.candidate.offer.ref)) == expected, "in memory \(text)")
      let places = batch.places(with: try SearchWords(selection.words).firstWords)
      #expect(
        Set(places.map { batch.offers[$0].offer.ref }).isSuperset(of: expected), "index \(text)")
      counts.insert(expected.count)
    }
    #expect(counts.count > 10 && counts.contains(0))
  }

  @Test("an unknown feed is refused, wanted or not", arguments: StoreKind.allCases)
  func unknownFeed(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    for change in [
      { (query: inout OfferQuery) in query.feeds.wanted = ["shop", "walmart"] },
      { $0.feeds.unwanted = ["walmart"] },
    ] {
      await #expect(throws: OffersError.self) { try await VariedOffers.refs(store, change) }
    }
  }

  @Test("a text of signs only selects nothing", arguments: StoreKind.allCases)
  func signs(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    #expect(try await VariedOffers.refs(store) { $0.words = "!!! ¶" } == [])
    #expect(try await store.search(SearchQuery("!!!")).hits.isEmpty)
  }
}
