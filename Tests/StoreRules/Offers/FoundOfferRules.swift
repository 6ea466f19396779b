import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Offers that a search on a server found")
struct FoundOfferRules {
  /// A feed with offers 1 to 3, and a search that found 2 (otherwise described), 8 and 9.
  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync((1...3).map { FeedOffer("\($0)", name: "Film \($0)") })
    try await find([FeedOffer("2", name: "Other 2")] + [8, 9].map(film), in: store)
    return store
  }

  private static func film(_ number: Int) -> FeedOffer {
    FeedOffer("\(number)", name: "Film \(number)")
  }

  private static func find(
    _ offers: [FeedOffer], at seconds: Int = 2000, in store: OffersDatabase
  ) async throws {
    _ = try await store.apply(store.plan(offers, at: seconds, isSearch: true))
  }

  private static func list(_ store: OffersDatabase) async throws -> [String] {
    let ids = try await store.fetchOffers(OfferQuery()).map(\.ref.offerID)
    #expect(try await store.countOffers(OfferQuery(feed: "ibotta")) == ids.count)
    let state = try await store.findSyncState(of: "ibotta")
    #expect(state?.currentCount ?? ids.count == ids.count)
    #expect(try await store.fetchFeeds().first?.currentCount ?? ids.count == ids.count)
    return ids
  }

  private static func found(_ store: OffersDatabase) async throws -> Set<String> {
    Set(try await store.search(SearchQuery("film")).hits.map(\.offer.ref.offerID))
  }

  private static func kinds(_ store: OffersDatabase) async throws -> [String] {
    try await store.fetchChanges(ChangeQuery(now: .at(9000))).changes.map {
      "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? $0.feed)"
    }
  }

  /// Checks the stored counts of the only feed.
  private static func checkCounts(
    current: Int, in store: OffersDatabase, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let feed = try #require(try await store.fetchFeeds().first, sourceLocation: location)
    #expect(feed.currentCount == current && feed.goneCount == 0, sourceLocation: location)
  }

  @Test(
    "they are found again and shown, but are in no list, count, change or export",
    arguments: StoreKind.allCases)
  func areBeside(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    #expect(try await Self.list(store) == ["1", "2", "3"])
    #expect(try await Self.found(store) == ["1", "2", "3", "8", "9"])
    let offer = try await store.fetchOffer(named: "8")
    #expect(!offer.isGone)
    #expect(try await store.fetchOffer(named: "2").name == "Film 2")
    #expect(try await store.fetchOffers(OfferQuery(goneOnly: true)).isEmpty)
    #expect(try await Self.kinds(store) == ["first ibotta"])
    #expect(try await !store.exported().text().contains("Film 8"))
    try await Self.checkCounts(current: 3, in: store)
  }

  @Test(
    "a starred one is listed, and no sync removes it; without its star it is not",
    arguments: StoreKind.allCases)
  func star(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["8"], to: true)
    #expect(try await Self.list(store) == ["1", "2", "3", "8"])
    try await store.sync([1, 2].map(Self.film), at: 3000)
    #expect(try await Self.list(store) == ["1", "2", "8"])
    #expect(try await Self.kinds(store) == ["first ibotta", "gone 3"])
    try await store.setFavorites(named: ["8"], to: false)
    #expect(try await Self.list(store) == ["1", "2"])
    #expect(try await Self.found(store) == ["1", "2", "8", "9"])
  }

  @Test("one that the feed has is a new offer of the feed", arguments: StoreKind.allCases)
  func promotes(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["9"], to: true)
    let run = try await store.sync([1, 2, 3, 8, 9, 10].map(Self.film), at: 3000)
    #expect(run.counts.new == 3 && run.counts.unchanged == 3)
    #expect(try await Self.list(store) == ["1", "2", "3", "8", "9", "10"])
    #expect(try await Self.kinds(store) == ["first ibotta", "new 8", "new 9", "new 10"])
    let seen = try await store.fetchOffer(named: "8").firstSeenAt
    #expect(seen == .at(3000))
    try await store.sync([1, 2, 3].map(Self.film), at: 4000)
    #expect(try await Self.list(store) == ["1", "2", "3"])
    #expect(try await Self.found(store) == ["1", "2", "3"])
  }

  @Test(
    "5,000 are kept beside the favorites; those that no search found for longest are removed",
    arguments: StoreKind.allCases)
  func bounds(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["8"], to: true)
    try await store.sync([1, 2].map(Self.film), at: 2500)
    // A vanished offer, which is found again.
    try await Self.find([Self.film(3)], at: 2600, in: store)
    try await Self.find((11...5010).map(Self.film), at: 3000, in: store)
    for id in ["3", "9"] {
      await #expect(throws: OffersError.self) { try await store.fetchOffer(named: id) }
    }
    for id in ["1", "2", "8", "11", "5010"] { _ = try await store.fetchOffer(named: id) }
    try await Self.find([12, 5011, 5012].map(Self.film), at: 4000, in: store)
    for id in ["11", "13"] {
      await #expect(throws: OffersError.self) { try await store.fetchOffer(named: id) }
    }
    for id in ["8", "12", "14", "5012"] { _ = try await store.fetchOffer(named: id) }
    #expect(try await Self.list(store) == ["1", "2", "8"])
    #expect(try await Self.kinds(store) == ["first ibotta"])
    try await Self.checkCounts(current: 3, in: store)
  }

  @Test("those that no search found for 30 days are pruned", arguments: StoreKind.allCases)
  func prunes(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["8"], to: true)
    let month = 31 * 86_400
    try await Self.find((10...40).map(Self.film), at: 2000 + month, in: store)
    let pruned = try await store.prune(
      goneBefore: .at(2001 + month), now: .at(2001 + 2 * month), trustsClock: true, isTrial: false)
    #expect(pruned.offers == 32)
    #expect(try await Self.list(store) == ["1", "2", "3", "8"])
  }

  @Test(
    "one that is a favorite already is listed, and kept beside the 5,000",
    arguments: StoreKind.allCases)
  func starredBefore(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync([1, 2].map(Self.film))
    try await home.star([(ref: "ibotta:8", at: 500)])
    for found in [8...9, 11...5010] {
      try await Self.find(found.map(Self.film), at: 2000 + found.count, in: home.store)
    }
    #expect(try await home.store.fetchOffers(OfferQuery()).map(\.ref.offerID) == ["1", "2", "8"])
    try await Self.checkCounts(current: 3, in: home.store)
    await #expect(throws: OffersError.self) { try await home.store.fetchOffer(named: "9") }
  }

  @Test(
    "the first sync after a search is one entry with all of its offers",
    arguments: StoreKind.allCases)
  func firstSync(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await Self.find([1, 2].map(Self.film), in: store)
    #expect(try await Self.list(store) == [])
    #expect(try await Self.kinds(store) == [])
    try await store.sync([2, 3, 4].map(Self.film), at: 3000)
    #expect(try await Self.list(store) == ["2", "3", "4"])
    let changes = try await store.fetchChanges(ChangeQuery(now: .at(1)))
    #expect(changes.changes.map(\.offerCount) == [3])
  }

  @Test(
    "a vanished offer that a search finds is found again, and is back once the feed has it",
    arguments: StoreKind.allCases)
  func vanished(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.sync([1, 2].map(Self.film), at: 3000)
    #expect(try await !Self.found(store).contains("3"))
    try await Self.find([Self.film(3)], at: 4000, in: store)
    #expect(try await Self.found(store).contains("3"))
    #expect(try await Self.list(store) == ["1", "2"])
    try await store.sync([1, 2, 3].map(Self.film), at: 5000)
    #expect(try await Self.kinds(store) == ["first ibotta", "gone 3", "back 3"])
  }
}
