import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Imports between databases in use")
struct ImportModelTests {
  /// Syncs a random subset of a few offers at a unique time, and stars some of them.
  private static func live(
    _ store: Store, at seconds: Int, _ random: inout SeededGenerator
  ) async throws {
    let offers = ["a", "b", "c", "d", "e", "f"].filter { _ in Bool.random(using: &random) }
      .map { FeedOffer($0, name: "Name \(Int.random(in: 0..<3, using: &random))") }
    let feed = ["ibotta", "albums"].randomElement(using: &random) ?? "ibotta"
    try await store.sync(offers, feed: feed, at: seconds)
    if let starred = offers.randomElement(using: &random) {
      try store.execute(
        """
        INSERT INTO favorite (user_key, feed, id, created_at)
        VALUES (1, '\(feed)', '\(starred.id)', \(seconds)) ON CONFLICT DO NOTHING
        """)
    }
  }

  @Test("after random histories, imports keep favorites and order, and are idempotent")
  func model() async throws {
    var random = SeededGenerator(seed: 99)
    for round in 0..<40 {
      let stores = [try await Store(), try await Store()]
      var clock = 1000
      for _ in 0..<8 {
        clock += Int.random(in: 0...3, using: &random)
        if Int.random(in: 0..<4, using: &random) > 0 {
          try await Self.live(stores.randomElement(using: &random) ?? stores[0], at: clock, &random)
          continue
        }
        let (from, to) = Bool.random(using: &random) ? (0, 1) : (1, 0)
        let kept = try await stores[from].exported(favoritesOnly: Bool.random(using: &random))
        let before = try await stores[to].exported()
        try await stores[to].take(kept)
        let after = try await stores[to].exported()
        let stars = Set(after.favorites.map(\.ref))
        #expect(stars == Set(before.favorites.map(\.ref)).union(kept.favorites.map(\.ref)))
        let ids = Set(after.offers.map(\.ref))
        #expect(ids == Set(before.offers.map(\.ref)).union(kept.offers.map(\.ref)))
        #expect(try stores[to].disorder() == [], "round \(round)")
        // With a rank of 1, FTS5 compares the index with the offers' texts as well.
        try stores[to].execute(
          "INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
        try await stores[to].take(kept)
        #expect(try await stores[to].exported().text() == after.text(), "round \(round)")
      }
      let copy = try await Store()
      try await copy.take(try stores[0].exported())
      #expect(try await copy.exported().text() == stores[0].exported().text(), "round \(round)")
    }
  }
}
