import Foundation
import OffersCore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("Offers that a search on a server found")
struct FoundOfferTests {
  /// A feed with offers 1 to 3, and a search that found 2 (otherwise described), 8 and 9.
  private static func filled() async throws -> Store {
    let store = try await Store()
    try await store.sync((1...3).map { FeedOffer("\($0)", name: "Film \($0)") })
    try await find([FeedOffer("2", name: "Other 2")] + [8, 9].map(film), in: store)
    return store
  }

  private static func film(_ number: Int) -> FeedOffer {
    FeedOffer("\(number)", name: "Film \(number)")
  }

  private static func find(
    _ offers: [FeedOffer], at seconds: Int = 2000, in store: Store
  ) async throws {
    _ = try await store.database.apply(
      store.database.plan(offers, at: seconds, isSearch: true))
  }

  private static func list(_ store: Store) async throws -> [String] {
    let ids = try await store.database.fetchOffers(OfferQuery()).map(\.ref.offerID)
    #expect(try await store.database.countOffers(OfferQuery(feed: "ibotta")) == ids.count)
    #expect(try FeedMiscountTests.isRight(store))
    return ids
  }

  @Test(
    "no export has them, and their feed's count is right, whatever a sync and a star do to them")
  func areBeside() async throws {
    let store = try await Self.filled()
    #expect(try await Self.list(store) == ["1", "2", "3"])
    #expect(try await !store.exported().text().contains("Film 8"))
    _ = try await store.database.setFavorites(named: ["8"], to: true)
    #expect(try await Self.list(store) == ["1", "2", "3", "8"])
    try await store.sync([1, 2, 9].map(Self.film), at: 3000)
    #expect(try await Self.list(store) == ["1", "2", "8", "9"])
    try await Self.find([Self.film(3)], at: 4000, in: store)
    _ = try await store.database.setFavorites(named: ["8"], to: false)
    #expect(try await Self.list(store) == ["1", "2", "9"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(await store.database.examine(at: .now).allSatisfy { $0.level != .problem })
  }

  @Test("those that no search found for 30 days are pruned")
  func prunes() async throws {
    let store = try await Self.filled()
    _ = try await store.database.setFavorites(named: ["8"], to: true)
    let month = 31 * 86_400
    try await Self.find((10...40).map(Self.film), at: 2000 + month, in: store)
    let pruned = try await store.database.prune(
      goneBefore: ChangeTests.date(2001 + month), now: ChangeTests.date(2001 + 2 * month),
      trustsClock: true, isTrial: false)
    #expect(pruned.offers == 32)
    #expect(try await Self.list(store) == ["1", "2", "3", "8"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(await store.database.examine(at: .now).allSatisfy { $0.level != .problem })
  }
}

/// Whether each feed has as many current offers as it says.
private enum FeedMiscountTests {
  static func isRight(_ store: Store) throws -> Bool {
    try store.rows(
      """
      SELECT name FROM feed WHERE current_count <> (
        SELECT count(*) FROM offer
        WHERE offer.feed_key = feed.feed_key AND gone_at IS NULL AND found_at IS NULL)
      """) == []
  }
}
