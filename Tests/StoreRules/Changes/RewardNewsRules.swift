import OffersCore
import OffersTestSupport
import Testing

@Suite("Rewards that are printed or read in another way")
struct RewardNewsRules {
  private static func usd(_ units: Int64, _ text: String) -> Reward {
    Reward(text: text, value: .amount(minorUnits: units, currency: "USD"))
  }

  private static func plain(_ units: Int64, _ text: String) -> Reward {
    Reward(text: text, value: .amount(minorUnits: units, currency: nil))
  }

  @Test(
    "the same amount in other digits is no change, and is stored",
    arguments: StoreKind.allCases,
    [
      (usd(990, "9.90"), usd(990, "9.9")), (usd(1000, "10"), usd(1000, "10.00")),
      (usd(990, "$9.90"), usd(990, "9.90 USD")), (usd(990, "$9.90 off"), usd(990, "$9.9 off")),
      (
        Reward(text: "5%", value: .percent(hundredths: 500)),
        Reward(text: "5.0 %", value: .percent(hundredths: 500))
      ),
      // The feed's currency was set.
      (plain(990, "9.90"), usd(990, "9.90")), (plain(990, "9.90"), usd(990, "9.9")),
      // The program learned to read a text.
      (
        Reward(text: "1 299 Kč"),
        Reward(text: "1 299 Kč", value: .amount(minorUnits: 129_900, currency: "CZK"))
      ),
    ] as [(Reward, Reward)])
  func isNoChange(kind: StoreKind, example: (old: Reward, new: Reward)) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", reward: example.old)])
    var again = FeedOffer("1", reward: example.new)
    // Another seed, as after a change of the rules, makes the sync compare equal texts.
    again.seed = 1
    let run = try await store.sync([again], at: 2000)
    #expect(run.counts.unchanged == 1 && run.counts.changed == 0)
    #expect(
      try await store.fetchChanges(ChangeQuery(now: .at(3000))).changes.map(\.kind) == [.first])
    let offer = try #require(try await store.fetchOffers(OfferQuery(now: .at(3000))).first)
    #expect(offer.reward == example.new)
    #expect(offer.changedAt == .at(1000))
  }

  @Test(
    "another amount, currency or word is a change", arguments: StoreKind.allCases,
    [
      (usd(990, "9.90"), usd(980, "9.80")),
      (
        usd(990, "9.90"), Reward(text: "9.90 EUR", value: .amount(minorUnits: 990, currency: "EUR"))
      ),
      (usd(990, "$9.90 off"), usd(990, "$9.90 back")),
      (usd(990, "9.90"), Reward(text: "9.90 or so")),
    ] as [(Reward, Reward)])
  func isChange(kind: StoreKind, example: (old: Reward, new: Reward)) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", reward: example.old)])
    try await store.sync([FeedOffer("1", reward: example.new)], at: 2000)
    #expect(try await store.fetchChanges(ChangeQuery(now: .at(3000))).changes.count == 2)
  }

  @Test("an amount without a currency sorts, filters and rises", arguments: StoreKind.allCases)
  func withoutCurrency(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([
      FeedOffer("1", reward: Self.plain(2100, "21")),
      FeedOffer("2", reward: Self.plain(1999, "19.99")),
      FeedOffer("3", reward: Reward(text: "Free")),
    ])
    try await store.sync(
      [
        FeedOffer("1", reward: Self.plain(2200, "22")),
        FeedOffer("2", reward: Self.plain(1999, "19.99")),
        FeedOffer("3", reward: Reward(text: "Free")),
      ], at: 2000)
    func refs(_ edit: (inout OfferQuery) -> Void) async throws -> [String] {
      var query = OfferQuery(now: .at(3000))
      query.pricedFeeds = ["ibotta"]
      edit(&query)
      return try await store.ids(query)
    }
    #expect(try await refs { $0.sort = .price } == ["2", "1", "3"])
    #expect(
      try await refs { $0.priceMaximum = .anyAmount(minorUnits: 2000, others: [:]) } == ["2"])
    #expect(
      try await refs { $0.priceMaximum = .amount(minorUnits: 2000, currency: "USD") } == [])
    #expect(try await store.fetchChanges(ChangeQuery(now: .at(3000))).changes.last?.kind == .up)
  }
}
