import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("What a user hides")
struct HidingRules {
  private static func refs(_ store: OffersDatabase) async throws -> Set<String> {
    Set(try await VariedOffers.refs(store) { _ in })
  }

  private static func hiddenRefs(_ store: OffersDatabase) async throws -> Set<String> {
    Set(try await VariedOffers.refs(store) { $0.selection.hiddenOnly = true })
  }

  @Test(
    "what a list with a text has is left out of lists and searches once it is hidden, but for favorites",
    arguments: StoreKind.allCases)
  func leavesOut(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let all = try await store.fetchOffers(OfferQuery(now: VariedOffers.now))
    let whole = Set(all.map(\.ref.description))
    let favorites = Set(all.filter(\.isFavorite).map(\.ref.description))
    for text in [
      "tea", "ri OR so", "retailer:\"Café Lumière\"", "category:FOOD", "feed:shop -category:food",
      "tea -10", "feed:old feed:shop", "retailer:Mart -retailer:none tea", "category:none",
    ] {
      let subject = try Hiding.Subject(parsing: text)
      let selection = try #require(SelectionText(parsing: text).namedSelection)
      let selected = Set(try await VariedOffers.refs(store) { $0.selection = selection })
      let hidden = selected.subtracting(favorites)
      let inMemory = try HiddenOffers([subject])
      let found = all.filter { offer in
        inMemory.has(
          OfferCandidate(
            key: 1, offer.offer, ownAttributes: offer.attributes, role: .reward))
      }
      #expect(Set(found.map(\.ref.description)) == selected, "\(text)")
      #expect(try await store.hide(text).didChange)
      #expect(try await Self.refs(store) == whole.subtracting(hidden), "\(text)")
      #expect(try await Self.hiddenRefs(store) == hidden, "\(text)")
      let count = try await store.countOffers(OfferQuery(now: VariedOffers.now))
      #expect(count == whole.count - hidden.count)
      let hiding = try #require(try await store.fetchHidings().first)
      let counts = try await store.countOffers(hiddenBy: hiding, now: VariedOffers.now)
      #expect(counts.hidden == hidden.count)
      if text == "tea" { #expect(counts.favorites == 1) }
      for isHidden in [false, true] {
        var query = SearchQuery("tea", now: VariedOffers.now)
        query.selection.hiddenOnly = isHidden
        let hits = try await store.search(query).hits.map(\.offer.ref.description)
        let teas: Set = ["shop:2", "shop:3", "shop:4"]
        #expect(
          Set(hits) == (isHidden ? teas.intersection(hidden) : teas.subtracting(hidden)),
          "\(text)")
      }
      try await store.unhide(text.uppercased())
      #expect(try await Self.refs(store) == whole, "\(text)")
      #expect(try await Self.hiddenRefs(store).isEmpty)
    }
  }

  @Test("single offers and selections are hidden together", arguments: StoreKind.allCases)
  func union(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let whole = try await Self.refs(store)
    // A bare id that one feed has, and a reference.
    for text in ["8", "old:2", "category:food", "jam", "JAM"] { try await store.hide(text) }
    let texts = try await store.fetchHidings().map(\.text)
    #expect(texts == ["shop:8", "old:2", "category:food", "jam"])
    #expect(try await store.fetchHidings()[0].name == "Soba")
    let hidden: Set = ["shop:8", "old:2", "shop:1", "shop:2", "shop:10", "shop:5"]
    #expect(try await Self.refs(store) == whole.subtracting(hidden))
    #expect(try await Self.hiddenRefs(store) == hidden)
    let found = try await store.findHidden(among: [
      OfferRef(feed: "shop", offerID: "8"), OfferRef(feed: "shop", offerID: "3"),
    ])
    #expect(found.map(\.description) == ["shop:8"])
    #expect(try await store.unhide("8").text == "shop:8")
    #expect(try await Self.refs(store).contains("shop:8"))
    // An offer is found by its reference.
    #expect(try await store.fetchOffer(named: "old:2").name == "apple 10")
  }

  @Test(
    "a favorite is never hidden, and a star shows a hidden offer", arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let error = await refusal { try await store.hide("shop:3") }
    #expect(error?.code == .invalidRequest)
    #expect(error?.hint?.command?.contains("--remove") == true)
    try await store.hide("shop:5")
    for isFavorite in [true, false] {
      try await store.setFavorites(named: ["shop:5"], to: isFavorite)
      #expect(try await Self.refs(store).contains("shop:5") == isFavorite)
      #expect(try await Self.hiddenRefs(store).contains("shop:5") != isFavorite)
    }
    try await store.hide("feed:shop")
    #expect(try await Self.refs(store) == ["shop:3", "old:2"])
    #expect(try await store.stars() == ["old:1", "shop:3"])
    #expect(
      try await VariedOffers.refs(store) {
        ($0.favoritesOnly, $0.selection.hiddenOnly) = (true, true)
      }.isEmpty)
  }

  @Test("each user hides for themselves", arguments: StoreKind.allCases)
  func users(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let whole = try await Self.refs(store)
    let ana = store.bound(to: try await store.addUser(named: "Ana", role: .member))
    try await ana.hide("feed:shop")
    #expect(try await Self.refs(store) == whole)
    #expect(try await Self.refs(ana) == ["old:2"])
    #expect(try await store.fetchHidings().isEmpty)
    #expect(await refusal { try await store.unhide("feed:shop") }?.code == .notFound)
  }

  @Test("changes of hidden offers are left out", arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    func offers(_ cents: Int64) -> [FeedOffer] {
      ["Tea", "Jam", "Rye"].enumerated().map { place, name in
        FeedOffer(
          "\(place)", name: name, reward: .dollars(cents),
          more: [.retailer: name, .expiresAt: "\(90_000 + place)"])
      }
    }
    try await store.sync(offers(100), at: 1000)
    try await store.sync(offers(200), at: 2000)
    try await store.setFavorites(named: ["2"], to: true)
    for text in ["tea", "retailer:Rye"] { try await store.hide(text) }
    func told(_ edit: (inout ChangeQuery) -> Void = { _ in }) async throws -> [String] {
      var query = ChangeQuery(now: .at(80_000))
      edit(&query)
      let page = try await store.fetchChangePage(query).changes
      let changes = try await store.fetchChanges(query).changes
      #expect(
        Set(page.map { $0.offer?.name ?? "-" }) == Set(changes.map { $0.offer?.name ?? "-" }))
      return changes.map { "\($0.kind.rawValue) \($0.offer?.name ?? "-")" }.sorted()
    }
    #expect(
      try await told() == ["expiring Jam", "expiring Rye", "first -", "up Jam", "up Rye"])
    #expect(try await told { $0.favoritesOnly = true } == ["expiring Rye", "up Rye"])
    let tea = OfferRef(feed: "ibotta", offerID: "0")
    #expect(try await told { $0.offers = [tea] } == ["expiring Tea", "up Tea"])
  }

  @Test("a watch tells nothing of hidden offers")
  func watches() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Tea", 300)], at: 1000)
      try await home.watch("coffee")
      try await home.watch("coffee is:hidden")
      try await home.store.hide("pods")
      let offers = [("1", "Tea", Int64(300)), ("2", "Coffee", 200), ("3", "Coffee pods", 200)]
      try await home.sync(offers, at: 2000)
      let notices = try await home.store.fetchNotices()
      #expect(
        Set(notices.map { "\($0.watchID ?? 0) \($0.name)" }) == ["1 Coffee", "2 Coffee pods"])
    }
  }

  @Test("hidden words need no prepared search", arguments: StoreKind.allCases)
  func prepares(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let offers = [FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Jam")]
    try await store.sync(offers, isIndexed: false)
    try await store.hide("tea")
    #expect(try await store.ids() == ["2"])
    #expect(try await store.countOffers(OfferQuery()) == 1)
  }

  @Test("an offer with a new id stays hidden", arguments: StoreKind.allCases)
  func renames(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let url = "https://s/tea"
    try await store.sync([
      FeedOffer("http://s/1", name: "Tea", more: [.url: url]), FeedOffer("2", name: "Jam"),
    ])
    try await store.hide("ibotta:http://s/1")
    let keys = try await store.fetchKnownOffers(of: "ibotta").vanishedKeys()
    let renamed = RenameCandidate(id: "https://s/1", url: url.utf8, name: "Tea".utf8)
    #expect(try await store.renameOffers(of: "ibotta", as: [renamed], missingKeys: keys) == 1)
    #expect(try await store.fetchHidings().map(\.text) == ["ibotta:https://s/1"])
    #expect(try await store.ids() == ["2"])
  }

  @Test(
    "what cannot be hidden is refused, and nothing is written", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    let cases: [(String, OffersError.Code)] = [
      ("", .invalidRequest), ("!!", .invalidRequest), ("-tea", .invalidRequest),
      ("-feed:shop", .invalidRequest), ("reward:>=2", .invalidRequest),
      ("tea is:gone", .invalidRequest), ("fed:shop", .invalidRequest),
      ("feed:nowhere", .notFound), ("shop:none", .notFound), ("2", .ambiguous),
    ]
    for (text, code) in cases {
      #expect(await refusal { try await store.hide(text) }?.code == code, "\(text)")
    }
    #expect(try await store.fetchHidings().isEmpty)
    let gone = store.bound(to: try await store.addUser(named: "Ana", role: .member))
    try await store.removeUser(gone.user)
    #expect(await refusal { try await gone.hide("tea") }?.code == .notFound)
  }

  @Test("a user hides a bounded number of selections", arguments: StoreKind.allCases)
  func limit(kind: StoreKind) async throws {
    let store = try await VariedOffers.store(kind)
    for number in 1...Hiding.selectionLimit { try await store.hide("word\(number)") }
    #expect(try await Self.hiddenRefs(store).isEmpty)
    #expect(await refusal { try await store.hide("tea") }?.code == .invalidRequest)
    #expect(try await store.hide("word1").didChange == false)
    try await store.unhide("word1")
    #expect(try await store.hide("tea").didChange)
  }
}
