import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Users at work at the same time")
struct UserModelRules {
  /// The number of operations of each user: searches, marks, sharing, and stars set or taken off, of
  /// which up to 8 share a call.
  private static let operationCount = TestSize.scaled(5000)
  private static let offers = (1...12).map { FeedOffer("\($0)", name: "Tea \($0)") }

  /// The data of one user, without a store.
  private struct Model {
    var stars: Set<String> = []
    var searches: [String] = []
    var mark: Int64 = 0
  }

  /// Runs random operations of one user, each on one of the bindings, and compares the data with the
  /// model, which no other user's operation and no sync changes.
  private static func live(_ databases: [OffersDatabase], seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var model = Model()
    var done = 0
    while done < operationCount {
      let database = databases[Int.random(in: 0..<databases.count, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        let words = "tea \(Int.random(in: 1...15, using: &random))"
        try await database.noteSearch(RecentSearch(words: words, searchedAt: .at(done)))
        model.searches = Array(([words] + model.searches.filter { $0 != words }).prefix(10))
        done += 1
      case 1:
        let id = Int64.random(in: 1...9999, using: &random)
        try await database.setMark(ReaderMark(changeID: id, readAt: .at(1)), of: "mail")
        model.mark = max(model.mark, id)
        done += 1
      case 2:
        // Sharing is not in the model, because others end it: it changes one's own stars only.
        let id = "\(Int.random(in: 1...12, using: &random))"
        let change = try await database.share(named: [id], at: .at(done)).first
        #expect(change?.offer.offer.isFavorite == true)
        model.stars.insert(id)
        done += 1
      case 3:
        try await database.unshare(named: ["\(Int.random(in: 1...12, using: &random))"])
        done += 1
      default:
        let isFavorite = Bool.random(using: &random)
        let ids = (0..<Int.random(in: 1...8, using: &random)).map { _ in
          "\(Int.random(in: 1...12, using: &random))"
        }
        let changes = try await database.setFavorites(named: ids, to: isFavorite)
        for (id, change) in zip(ids, changes) {
          #expect(change.didChange == (model.stars.contains(id) != isFavorite))
          #expect(change.offer.isFavorite == isFavorite)
          if isFavorite { model.stars.insert(id) } else { model.stars.remove(id) }
        }
        done += ids.count
      }
      let reader = databases[Int.random(in: 0..<databases.count, using: &random)]
      #expect(Set(try await reader.ids(OfferQuery(favoritesOnly: true))) == model.stars)
      #expect(try await reader.fetchRecentSearches().map(\.words) == model.searches)
      #expect(try await reader.findMark(of: "mail")?.changeID ?? 0 == model.mark)
    }
  }

  /// Syncs in which a random half of the offers vanishes, changes or is back.
  private static func sync(_ store: OffersDatabase, rounds: Int, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    for round in 1...rounds {
      let current = offers.filter { _ in Bool.random(using: &random) }.map {
        FeedOffer($0.id, name: "\($0.name)\(Int.random(in: 1...2, using: &random))")
      }
      try await store.withSyncLock(on: "ibotta", waitSeconds: 60) {
        _ = try await store.sync(current, at: 1000 + round)
      }
    }
  }

  @Test(
    "nobody's data changes by another's hand or by a sync: the users share one process",
    arguments: StoreKind.allCases)
  func oneProcess(kind: StoreKind) async throws {
    let home = try await Household(kind, Self.offers)
    // A second process has a connection, a cache and write turns of its own.
    let other = try await home.opened.openAgain()
    let anas = [home.anas, other.bound(to: home.ana)]
    try await withThrowingTaskGroup { group in
      group.addTask { try await Self.live([home.owners, other], seed: 7) }
      group.addTask { try await Self.live(anas, seed: 8) }
      group.addTask { try await Self.sync(home.owners, rounds: TestSize.scaled(100), seed: 9) }
      try await group.waitForAll()
    }
  }

  @Test(
    "nobody's data changes by another's hand or by a sync: each user has a process",
    arguments: StoreKind.shared)
  func twoProcesses(kind: StoreKind) async throws {
    let home = try await Household(kind, Self.offers)
    let address = try #require(home.opened.address)
    let name = home.ana.name
    try await withThrowingTaskGroup { group in
      group.addTask {
        _ = await #expect(processExitsWith: .success) {
          [kind = kind as StoreKind, address = address as String, name = name as String] in
          let store = try await kind.open(at: address)
          let anas = store.bound(to: try await store.fetchUser(named: name))
          try await withThrowingTaskGroup { group in
            group.addTask { try await Self.live([anas], seed: 10) }
            group.addTask { try await Self.sync(store, rounds: TestSize.scaled(50), seed: 11) }
            try await group.waitForAll()
          }
        }
      }
      group.addTask { try await Self.live([home.owners], seed: 12) }
      group.addTask { try await Self.sync(home.owners, rounds: TestSize.scaled(50), seed: 13) }
      try await group.waitForAll()
    }
    let marks = try #require(try await home.anas.findMark(of: "mail"))
    #expect(marks.changeID > (TestSize.isLong ? 9000 : 0) && marks.readAt == .at(1))
  }
}
