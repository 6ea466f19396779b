import GRDB
import OffersCore
import OffersTestSupport
import Testing

@Suite("Favorites in the database")
struct FavoriteTests {
  private static func marks(_ store: Store) throws -> [String] {
    try store.rows("SELECT feed, id FROM favorite ORDER BY feed, id")
  }

  /// The error of a refused change of favorites; expects them to be unchanged.
  private static func refusal(_ store: Store, _ names: [String]) async throws -> OffersError? {
    let before = try marks(store)
    let error = await #expect(throws: OffersError.self) {
      try await store.database.setFavorites(named: names, to: true)
    }
    #expect(try marks(store) == before)
    return error
  }

  @Test("setting a favorite twice changes it once")
  func isIdempotent() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    for (isFavorite, didChange) in [(true, true), (true, false), (false, true), (false, false)] {
      let changes = try await store.database.setFavorites(named: ["1"], to: isFavorite)
      #expect(changes.map(\.didChange) == [didChange])
      #expect(changes.map(\.offer.isFavorite) == [isFavorite])
      #expect(try Self.marks(store) == (isFavorite ? ["ibotta|1"] : []))
    }
  }

  @Test("several offers are starred in the given order, a repeated one once")
  func marksSeveral() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    let changes = try await store.database.setFavorites(named: ["2", "1", "ibotta:2"], to: true)
    #expect(changes.map(\.offer.ref.offerID) == ["2", "1", "2"])
    #expect(changes.map(\.didChange) == [true, true, false])
  }

  @Test("references are starred in the given order, and an unknown one changes nothing")
  func marksReferences() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("a:b"), FeedOffer("ibotta:1")])
    let refs = ["a:b", "ibotta:1", "a:b"].map { OfferRef(feed: "ibotta", offerID: $0) }
    let changes = try await store.database.setFavorites(refs, to: true)
    #expect(changes.map(\.offer.ref) == refs)
    #expect(changes.map(\.didChange) == [true, true, false])
    #expect(changes.map(\.offer.isFavorite) == [true, true, true])
    for unknown in [
      OfferRef(feed: "ibotta", offerID: "9"), OfferRef(feed: "grocer", offerID: "1"),
      OfferRef(feed: "", offerID: "ibotta:1"),
    ] {
      let error = await #expect(throws: OffersError.self) {
        try await store.database.setFavorites([refs[0], unknown], to: false)
      }
      #expect(error?.code == .notFound)
    }
    #expect(try Self.marks(store) == ["ibotta|a:b", "ibotta|ibotta:1"])
  }

  @Test("an offer is found by its id, by feed and id, and by an id with a colon")
  func findsByName() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("a:b"), FeedOffer("ibotta:1"), FeedOffer(":")])
    for (name, id) in [
      ("1", "1"), ("ibotta:1", "1"), ("a:b", "a:b"), ("ibotta:a:b", "a:b"),
      ("ibotta:ibotta:1", "ibotta:1"), (":", ":"),
    ] {
      let offer = try await store.database.fetchOffer(named: name)
      #expect(offer.ref == OfferRef(feed: "ibotta", offerID: id))
      let changes = try await store.database.setFavorites(named: [name], to: true)
      #expect(changes.map(\.offer.ref.offerID) == [id])
    }
    #expect(try Self.marks(store) == ["ibotta|1", "ibotta|:", "ibotta|a:b", "ibotta|ibotta:1"])
  }

  @Test("an id that two feeds have is refused with both names")
  func refusesAmbiguous() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    try await store.sync([FeedOffer("1")], feed: "grocer")
    let error = try await Self.refusal(store, ["1"])
    #expect(error?.code == .ambiguous)
    #expect(error?.hint == "Say which: grocer:1, ibotta:1.")
    _ = try await store.database.setFavorites(named: ["grocer:1"], to: true)
    #expect(try Self.marks(store) == ["grocer|1"])
  }

  @Test(
    "an unknown name is refused, and no other offer is starred",
    arguments: ["9", "ibotta:9", "grocer:1", "", ":", "ibotta:", ":1"])
  func refusesUnknown(name: String) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    #expect(try await Self.refusal(store, [name])?.code == .notFound)
    #expect(try await Self.refusal(store, ["1", name, "2"])?.code == .notFound)
    #expect(try Self.marks(store) == [])
  }

  @Test("a gone offer can be starred and unstarred")
  func marksGone() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    try await store.sync([FeedOffer("2")], at: 2000)
    let marked = try await store.database.setFavorites(named: ["1"], to: true)
    #expect(marked.first?.offer.state == .gone)
    #expect(marked.first?.offer.isFavorite == true)
    let unmarked = try await store.database.setFavorites(named: ["1"], to: false)
    #expect(unmarked.map(\.didChange) == [true])
  }

  @Test("a favorite outlives every row of its feed and applies again when the offer returns")
  func outlivesFeed() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    try store.execute(
      """
      DELETE FROM change; DELETE FROM offer_detail; DELETE FROM offer; DELETE FROM sync_run;
      DELETE FROM feed_detail; DELETE FROM feed
      """)
    #expect(try Self.marks(store) == ["ibotta|1"])
    try await store.sync([FeedOffer("1")])
    #expect(try await store.database.fetchOffer(named: "1").isFavorite)
  }
}
