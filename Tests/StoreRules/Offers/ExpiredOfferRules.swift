import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Expired offers")
struct ExpiredOfferRules {
  private static let start = 1_000_000

  /// Offers 1 to 6 of one feed. 2 and 4 expire 100 and 200 seconds after the start, 6 much later;
  /// 3 and 4 are favorites.
  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    let ends = ["2": start + 100, "4": start + 200, "6": start + 90_000_000]
    try await store.sync(
      (1...6).map { number in
        FeedOffer(
          "\(number)", name: "Tea \(7 - number)",
          more: ends["\(number)"].map { [.expiresAt: "\($0)"] } ?? [:])
      }, at: start)
    try await store.setFavorites(named: ["3", "4"], to: true)
    return store
  }

  private static func date(_ seconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(start + seconds))
  }

  private static func ids(_ store: OffersDatabase, _ query: OfferQuery) async throws -> [String] {
    let ids = try await store.fetchOffers(query).map(\.ref.offerID)
    #expect(try await store.countOffers(query) == ids.count)
    return ids
  }

  @Test(
    "an offer leaves the lists at the second of its end, and the count with it",
    arguments: StoreKind.allCases)
  func leavesList(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    func ids(_ seconds: Int, expired: Bool = false) async throws -> [String] {
      try await Self.ids(
        store, OfferQuery(feed: "ibotta", includesExpired: expired, now: Self.date(seconds)))
    }
    #expect(try await ids(99) == ["1", "2", "3", "4", "5", "6"])
    #expect(try await ids(100) == ["1", "3", "4", "5", "6"])
    #expect(try await ids(200) == ["1", "3", "5", "6"])
    #expect(try await ids(200, expired: true) == ["1", "3", "5", "6", "2", "4"])
    let offer = try await store.fetchOffer(named: "2")
    #expect(!offer.isExpired(at: Self.date(99)) && offer.isExpired(at: Self.date(100)))
    let endless = try await store.fetchOffer(named: "1")
    #expect(!endless.isExpired(at: .distantFuture))
  }

  @Test(
    "filters leave expired offers out as well, except for a range of ends",
    arguments: StoreKind.allCases)
  func filters(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    var query = OfferQuery(now: Self.date(200))
    query.newSince = Self.date(0)
    #expect(try await Self.ids(store, query) == ["1", "3", "5", "6"])
    query.newSince = nil
    query.expiring = Self.date(0)...Self.date(300)
    #expect(try await Self.ids(store, query) == ["2", "4"])
  }

  @Test(
    "expired favorites stay among the favorites, behind the others", arguments: StoreKind.allCases,
    [false, true])
  func favorites(kind: StoreKind, isReversed: Bool) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["1"], to: true)
    var query = OfferQuery(
      favoritesOnly: true, now: Self.date(200), sort: .name, isReversed: isReversed)
    #expect(try await Self.ids(store, query) == (isReversed ? ["1", "3", "4"] : ["3", "1", "4"]))
    query.now = Self.date(199)
    #expect(try await Self.ids(store, query) == (isReversed ? ["1", "3", "4"] : ["4", "3", "1"]))
  }

  @Test(
    "a list with expired offers continues behind any of its offers, even one that has expired since",
    arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func continues(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    for isReversed in [false, true] {
      let store = try await Self.filled(kind)
      var query = OfferQuery(
        includesExpired: true, now: Self.date(150), sort: sort, isReversed: isReversed)
      let all = try await store.fetchOffers(query)
      #expect(all.count == 6 && all.last?.ref.offerID == "2")
      for (index, offer) in all.enumerated() {
        query.now = Self.date(150)
        query.after = OfferPosition(of: offer.offer, in: query)
        let rest = all.dropFirst(index + 1).map(\.ref.offerID)
        #expect(try await store.fetchOffers(query).map(\.ref.offerID) == rest)
        // Offer 4 expires before the next page is read: no other offer is left out.
        query.now = Self.date(200)
        let later = try await store.fetchOffers(query).map(\.ref.offerID)
        #expect(Set(rest).subtracting(["4"]).isSubset(of: later))
      }
    }
  }

  @Test(
    "a search finds expired offers among favorites or on demand, behind the others",
    arguments: StoreKind.allCases)
  func search(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    func find(_ query: SearchQuery) async throws -> Set<String> {
      Set(try await store.search(query).hits.map(\.offer.ref.offerID))
    }
    var query = SearchQuery("tea", now: Self.date(200))
    #expect(try await find(query) == ["1", "3", "5", "6"])
    query.favoritesOnly = true
    #expect(try await find(query) == ["3", "4"])
    query.favoritesOnly = false
    query.includesExpired = true
    let all = try await store.search(query).hits.map(\.offer.ref.offerID)
    #expect(Set(all.suffix(2)) == ["2", "4"] && all.count == 6)
  }
}
