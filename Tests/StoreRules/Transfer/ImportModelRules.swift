import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Imports between databases in use")
struct ImportModelRules {
  /// Syncs a random subset of a few offers in each of some stores, at a unique time, and stars one.
  private static func live(
    _ homes: [DatabaseHome], at seconds: Int, _ random: inout SeededGenerator
  ) async throws {
    let offers = ["a", "b", "c", "d", "e", "f"].filter { _ in Bool.random(using: &random) }
      .map { FeedOffer($0, name: "Name \(Int.random(in: 0..<3, using: &random))") }
    let feed = ["ibotta", "albums"].randomElement(using: &random) ?? "ibotta"
    let starred = offers.randomElement(using: &random)
    for home in homes {
      try await home.sync(offers, feed: feed, at: seconds)
      if let starred { try await home.star([("\(feed):\(starred.id)", seconds)]) }
    }
  }

  @Test(
    "after random histories, imports add favorites and missing feeds, are idempotent, and agree",
    arguments: [99])
  func model(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<(TestSize.isLong ? 12 : 2) {
      // Two stores of each database.
      var pairs: [[DatabaseHome]] = []
      for kind in StoreKind.allCases {
        pairs.append([try await DatabaseHome(kind), try await DatabaseHome(kind)])
      }
      var clock = 1000
      for step in 0..<8 {
        clock += Int.random(in: 1...3, using: &random)
        let place = Int.random(in: 0...1, using: &random)
        if Int.random(in: 0..<4, using: &random) > 0 {
          try await Self.live(pairs.map { $0[place] }, at: clock, &random)
          continue
        }
        let favoritesOnly = Bool.random(using: &random)
        var texts: Set<String> = []
        for pair in pairs {
          let (from, to) = (pair[place], pair[1 - place])
          let kept = try await from.store.exported(favoritesOnly: favoritesOnly)
          let before = try await to.store.exported()
          try await to.store.take(kept)
          let after = try await to.store.exported()
          let stars = Set(after.favorites.map(\.ref))
          #expect(stars == Set(before.favorites.map(\.ref)).union(kept.favorites.map(\.ref)))
          for feed in Set(before.feeds + kept.feeds) {
            let isRead =
              !before.offers(of: feed).isEmpty || before.runs.contains { $0.feed == feed }
            let expected = isRead ? before : kept
            let offers = expected.offers(of: feed)
            let known = Set(offers.map(\.ref))
            // A favorite of a read feed brings its offer.
            let brought = kept.offers(of: feed).map(\.ref).filter {
              stars.contains($0) && !known.contains($0)
            }
            let now = after.offers(of: feed)
            #expect(now.filter { known.contains($0.ref) } == offers, "round \(round)")
            #expect(Set(now.map(\.ref)) == known.union(brought), "round \(round)")
            #expect(after.changes(of: feed) == expected.changes(of: feed), "round \(round)")
          }
          let wrong = try await to.miscounts()
          #expect(wrong.isEmpty, "\(to.store.software.key) \(round) \(step): \(wrong)")
          try await to.store.take(kept)
          #expect(try await to.store.exported().text() == after.text(), "round \(round)")
          texts.insert(try await to.plainText())
        }
        #expect(texts.count == 1, "round \(round) step \(step)")
      }
      // Both databases of a pair have the same favorites in the end, whose times are the earlier ones.
      for pair in pairs {
        try await pair[0].store.take(pair[1].store.exported())
        try await pair[1].store.take(pair[0].store.exported())
        let favorites = try await [pair[0].store.exported(), pair[1].store.exported()].map {
          $0.favorites
        }
        #expect(favorites[0] == favorites[1], "round \(round)")
      }
      var texts: Set<String> = []
      for (kind, pair) in zip(StoreKind.allCases, pairs) {
        texts.insert(try await pair[0].plainText())
        let copy = try await DatabaseHome(kind)
        try await copy.store.take(pair[0].store.exported())
        #expect(
          try await copy.store.exported().text() == pair[0].store.exported().text(),
          "round \(round)")
      }
      #expect(texts.count == 1, "round \(round)")
    }
  }
}
