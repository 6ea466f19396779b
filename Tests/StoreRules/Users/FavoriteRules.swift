import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Favorites")
struct FavoriteRules {
  private static func filled(_ kind: StoreKind, _ ids: String...) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync(ids.map { FeedOffer($0) })
    return store
  }

  /// The error of a refused change of favorites; expects them to be unchanged.
  private static func refused(
    _ store: OffersDatabase, _ names: [String], to isFavorite: Bool = true
  ) async throws -> OffersError? {
    let before = try await store.stars()
    let error = await refusal { try await store.setFavorites(named: names, to: isFavorite) }
    #expect(try await store.stars() == before)
    return error
  }

  @Test("setting a favorite twice changes it once", arguments: StoreKind.allCases)
  func isIdempotent(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "2")
    for (isFavorite, didChange) in [(true, true), (true, false), (false, true), (false, false)] {
      let changes = try await store.setFavorites(named: ["1"], to: isFavorite)
      #expect(changes.map(\.didChange) == [didChange])
      #expect(changes.map(\.offer.isFavorite) == [isFavorite])
      #expect(try await store.stars() == (isFavorite ? ["ibotta:1"] : []))
    }
  }

  @Test(
    "several offers are starred in the given order, a repeated one once",
    arguments: StoreKind.allCases)
  func marksSeveral(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "2")
    let changes = try await store.setFavorites(named: ["2", "1", "ibotta:2"], to: true)
    #expect(changes.map(\.offer.ref.offerID) == ["2", "1", "2"])
    #expect(changes.map(\.didChange) == [true, true, false])
    #expect(try await store.setFavorites(named: [], to: true) == [])
    #expect(try await store.stars() == ["ibotta:1", "ibotta:2"])
  }

  @Test(
    "references are starred in the given order, and an unknown one changes nothing",
    arguments: StoreKind.allCases)
  func marksReferences(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "a:b", "ibotta:1")
    let refs = ["a:b", "ibotta:1", "a:b"].map { OfferRef(feed: "ibotta", offerID: $0) }
    let changes = try await store.setFavorites(refs, to: true)
    #expect(changes.map(\.offer.ref) == refs)
    #expect(changes.map(\.didChange) == [true, true, false])
    #expect(changes.map(\.offer.isFavorite) == [true, true, true])
    for unknown in [
      OfferRef(feed: "ibotta", offerID: "9"), OfferRef(feed: "grocer", offerID: "1"),
      OfferRef(feed: "", offerID: "ibotta:1"),
    ] {
      for isFavorite in [true, false] {
        let error = await refusal {
          try await store.setFavorites([refs[0], unknown], to: isFavorite)
        }
        #expect(error?.code == .notFound)
      }
    }
    #expect(try await store.stars() == ["ibotta:a:b", "ibotta:ibotta:1"])
  }

  @Test(
    "an offer is found by its id, by feed and id, and by an id with a colon",
    arguments: StoreKind.allCases)
  func findsByName(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "a:b", "ibotta:1", ":")
    for (name, id) in [
      ("1", "1"), ("ibotta:1", "1"), ("a:b", "a:b"), ("ibotta:a:b", "a:b"),
      ("ibotta:ibotta:1", "ibotta:1"), (":", ":"),
    ] {
      let offer = try await store.fetchOffer(named: name)
      #expect(offer.ref == OfferRef(feed: "ibotta", offerID: id))
      let changes = try await store.setFavorites(named: [name], to: true)
      #expect(changes.map(\.offer.ref.offerID) == [id])
    }
    #expect(
      try await store.stars() == ["ibotta:1", "ibotta::", "ibotta:a:b", "ibotta:ibotta:1"])
  }

  @Test("an id that two feeds have is refused with both names", arguments: StoreKind.allCases)
  func refusesAmbiguous(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1")
    try await store.sync([FeedOffer("1"), FeedOffer("2")], feed: "grocer")
    for names in [["1"], ["2", "1"]] {
      let error = try await Self.refused(store, names)
      #expect(error?.code == .ambiguous)
      #expect(error?.hint?.text == "Say which: grocer:1, ibotta:1.")
    }
    try await store.setFavorites(named: ["grocer:1"], to: true)
    #expect(try await Self.refused(store, ["1"], to: false)?.code == .ambiguous)
    #expect(try await store.stars() == ["grocer:1"])
  }

  @Test(
    "an unknown name is refused, and no other offer is starred", arguments: StoreKind.allCases)
  func refusesUnknown(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "2")
    for name in ["9", "ibotta:9", "grocer:1", "", ":", "ibotta:", ":1"] {
      for names in [[name], ["1", name, "2"]] {
        #expect(try await Self.refused(store, names)?.code == .notFound, "\(names)")
        #expect(try await Self.refused(store, names, to: false)?.code == .notFound, "\(names)")
      }
    }
    #expect(try await store.stars() == [])
  }

  @Test("a gone offer can be starred and unstarred", arguments: StoreKind.allCases)
  func marksGone(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "2")
    try await store.sync([FeedOffer("2")], at: 2000)
    let marked = try await store.setFavorites(named: ["1"], to: true)
    #expect(marked.map(\.offer.isGone) == [true] && marked.map(\.offer.isFavorite) == [true])
    #expect(try await store.stars() == ["ibotta:1"])
    let unmarked = try await store.setFavorites(named: ["1"], to: false)
    #expect(unmarked.map(\.didChange) == [true])
  }

  @Test(
    "a favorite stays while its offer changes, vanishes, is kept for years and is back",
    arguments: StoreKind.allCases)
  func outlivesOffer(kind: StoreKind) async throws {
    let store = try await Self.filled(kind, "1", "2")
    try await store.setFavorites(named: ["1"], to: true)
    try await store.sync([FeedOffer("1", name: "Oats"), FeedOffer("2")], at: 2000)
    #expect(try await store.stars() == ["ibotta:1"])
    let years = 3 * 365 * 86_400
    for seconds in [3000, years, years + 86_400] {
      try await store.sync([FeedOffer("2")], at: seconds)
      try await store.clearAway(at: .at(seconds))
      let gone = try await store.fetchOffers(OfferQuery(favoritesOnly: true))
      #expect(gone.map(\.name) == ["Oats"] && gone.map(\.goneAt) == [.at(3000)])
    }
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: years + 90_000)
    #expect(try await store.fetchOffer(named: "1").isFavorite)
    #expect(try await !store.fetchOffer(named: "1").isGone)
  }

  @Test(
    "ids are told apart byte by byte, also in another composition or case",
    arguments: StoreKind.allCases)
  func comparesBytes(kind: StoreKind) async throws {
    let ids = ["Caf\u{E9}", "Cafe\u{301}", "CAF\u{C9}", "cafe ", "cafe", "🇩🇪", "ﬁ", "fi"]
    let store = try await kind.open().store
    try await store.sync(ids.map { FeedOffer($0) })
    #expect(try await store.ids().map { Array($0.utf8) } == ids.map { Array($0.utf8) })
    for (place, id) in ids.enumerated() {
      let changes = try await store.setFavorites(named: [id], to: true)
      #expect(changes.map(\.didChange) == [true])
      #expect(try await store.countOffers(OfferQuery(favoritesOnly: true)) == place + 1)
    }
  }
}
