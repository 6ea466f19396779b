import OffersCore
import Testing

@Suite("Syncs at random")
struct ModelTests {
  /// What the database should hold.
  private struct Model {
    var known: [Int: String] = [:]
    var current: Set<Int> = []
    var favorites: Set<Int> = []
    var gone: Set<Int> { Set(known.keys).subtracting(current) }

    /// What a sync should count: new, changed, gone, back, unchanged.
    mutating func sync(_ feed: [Int: String], accepts: Bool) -> [Int] {
      let vanished = current.subtracting(feed.keys)
      let isHeld =
        !accepts
        && (vanished.count > 10 && vanished.count * 10 > current.count
          || !vanished.isEmpty && feed.isEmpty)
      var counts = [0, 0, isHeld ? 0 : vanished.count, 0, 0]
      for (id, reward) in feed {
        if known[id] == nil {
          counts[0] += 1
        } else if !current.contains(id) {
          counts[3] += 1
        } else if known[id] != reward {
          counts[1] += 1
        } else {
          counts[4] += 1
        }
      }
      known.merge(feed) { $1 }
      if isHeld { current.formUnion(feed.keys) } else { current = Set(feed.keys) }
      return counts
    }
  }

  @Test("any sequence of syncs and stars leaves what a simple model says", arguments: 1...12)
  func agreesWithTheModel(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let home = try SyncedFolder()
    try await home.sync("[]", acceptsRemovals: true)
    var model = Model()
    for step in 0..<25 {
      let isEmpty = Int.random(in: 0..<12, using: &random) == 0
      var feed: [Int: String] = [:]
      for id in 1...30 where !isEmpty && Int.random(in: 0..<10, using: &random) < 8 {
        feed[id] = Int.random(in: 0..<6, using: &random) == 0 ? "$2.00" : model.known[id] ?? "$1.00"
      }
      let accepts = Bool.random(using: &random)
      let records = feed.keys.shuffled(using: &random).map {
        FeedText.record($0, reward: feed[$0] ?? "")
      }
      // White space makes the bytes differ each time, so that every feed is read.
      let text = FeedText.list(records) + String(repeating: " ", count: step)
      let run = try await home.sync(text, acceptsRemovals: accepts)
      #expect(Array(run.counts.all.prefix(5)) == model.sync(feed, accepts: accepts))
      if let id = model.known.keys.randomElement(using: &random) {
        let isFavorite = Bool.random(using: &random)
        _ = try await home.database.setFavorites(named: ["\(id)"], to: isFavorite)
        if isFavorite { model.favorites.insert(id) } else { model.favorites.remove(id) }
      }
      let current = try await home.database.fetchOffers(OfferQuery())
      #expect(Set(current.compactMap { Int($0.ref.id) }) == model.current)
      #expect(current.allSatisfy { $0.reward?.text == Int($0.ref.id).flatMap { model.known[$0] } })
      let favorites = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
      #expect(Set(favorites.compactMap { Int($0.ref.id) }) == model.favorites)
      let stale = favorites.filter { $0.state == .gone }.compactMap { Int($0.ref.id) }
      #expect(Set(stale) == model.favorites.intersection(model.gone))
      #expect(
        favorites.allSatisfy { $0.reward?.text == Int($0.ref.id).flatMap { model.known[$0] } })
      let state = try await home.feed()
      #expect(state.currentCount == model.current.count)
      #expect(state.goneCount == model.gone.count)
      #expect(state.favoriteCount == model.favorites.count)
    }
  }
}

/// Random numbers that are the same each time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
