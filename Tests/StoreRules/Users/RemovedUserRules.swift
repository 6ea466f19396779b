import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("A removed user")
struct RemovedUserRules {
  /// Two users with a favorite, a search and a mark each.
  private static func filled(_ kind: StoreKind) async throws -> Household {
    let home = try await Household(kind)
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    for database in [home.owners, home.anas] {
      try await database.noteSearch(RecentSearch(words: "tea", searchedAt: .at(5)))
      try await database.setMark(ReaderMark(changeID: 3, readAt: .at(5)), of: "mail")
    }
    return home
  }

  @Test("takes their data along, and nothing else", arguments: StoreKind.allCases)
  func removesTheirs(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    let query = ChangeQuery(now: .at(9000))
    let offers = try await home.owners.fetchOffers(OfferQuery())
    let feeds = try await home.owners.fetchFeeds()
    let changes = try await home.owners.fetchChanges(query).changes
    try await home.owners.removeUser(home.ana.id)
    #expect(try await home.owners.fetchUsers().map(\.name) == ["owner"])
    #expect(try await home.owners.fetchOffers(OfferQuery()) == offers)
    #expect(try await home.owners.fetchFeeds() == feeds)
    #expect(try await home.owners.fetchChanges(query).changes == changes)
    #expect(try await home.owners.stars() == ["ibotta:1", "ibotta:2"])
    #expect(try await home.owners.fetchRecentSearches().map(\.words) == ["tea"])
    #expect(try await home.owners.findMark(of: "mail")?.changeID == 3)
  }

  @Test(
    "is refused every write with a clear error, and sees nothing of others",
    arguments: StoreKind.allCases)
  func refusesWrites(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    let kept = try await home.owners.exported()
    try await home.owners.removeUser(home.ana.id)
    // A later user gets nothing from the data of the removed one.
    let second = try await home.owners.addUser(named: "Ana", role: .member)
    let ref = OfferRef(feed: "ibotta", offerID: "4")
    let writes: [(OffersDatabase) async throws -> Void] = [
      { try await $0.setFavorites(named: ["4"], to: true) },
      { try await $0.setFavorites(named: ["2"], to: false) },
      { try await $0.setFavorites(named: [], to: true) },
      { try await $0.setFavorites([ref], to: true) },
      { try await $0.noteSearch(RecentSearch(words: "jam", searchedAt: .at(9))) },
      { try await $0.noteSearch(RecentSearch(words: "tea", searchedAt: .at(9))) },
      { try await $0.setMark(ReaderMark(changeID: 9, readAt: .at(9)), of: "mail") },
      { try await $0.setNewsTold(News(), lastID: 9, reader: "mail", now: .at(9)) },
      { try await $0.take(kept) },
    ]
    for (index, write) in writes.enumerated() {
      let error = await refusal { try await write(home.anas) }
      #expect(error?.code == .notFound, "write \(index)")
      #expect(error?.message == "There is no such user: they were removed.", "write \(index)")
    }
    for database in [home.anas, home.owners.bound(to: second)] {
      #expect(try await database.stars() == [])
      #expect(try await database.fetchOffers(OfferQuery()).allSatisfy { !$0.isFavorite })
      #expect(try await database.fetchFeeds().map(\.favoriteCount) == [0])
      #expect(try await database.fetchRecentSearches() == [])
      #expect(try await database.findMark(of: "mail") == nil)
      #expect(try await database.exported().favorites == [])
    }
    #expect(try await home.owners.stars() == ["ibotta:1", "ibotta:2"])
    #expect(try await home.owners.fetchRecentSearches().map(\.words) == ["tea"])
  }

  @Test(
    "stays if they got a favorite after the export of the others", arguments: StoreKind.allCases)
  func exportedBefore(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    let exported = Set(try await home.anas.exported(favoritesOnly: true).favorites.map(\.ref))
    try await home.anas.setFavorites(named: ["4"], to: true)
    let before = try await home.owners.exported(allUsers: true).text()
    let error = await refusal {
      try await home.owners.removeUser(home.ana.id, exported: exported)
    }
    #expect(error?.code == .locked)
    #expect(
      error?.message == "Ana got another favorite, ibotta:4, while the favorites were exported.")
    #expect(try await home.owners.exported(allUsers: true).text() == before)
    // A favorite that was taken off since is in the export.
    try await home.anas.setFavorites(named: ["3", "4"], to: false)
    try await home.owners.removeUser(home.ana.id, exported: exported)
    #expect(try await home.owners.fetchUsers().map(\.id) == [User.ownerID])
  }

  @Test(
    "no longer keeps gone offers and their history from being pruned; any user's favorite does",
    arguments: StoreKind.allCases)
  func prunes(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    try await home.owners.setFavorites(named: ["1"], to: false)
    try await home.owners.sync([FeedOffer("5", name: "Tea 5")], at: 2000)
    // The offer of the newest change is never pruned.
    try await home.owners.sync([FeedOffer("5", name: "Tea 6")], at: 3000)
    func prune() async throws -> [String] {
      _ = try await home.owners.prune(
        goneBefore: .at(2001), now: .at(800 * 86_400), trustsClock: true, isTrial: false)
      return try await home.owners.ids(OfferQuery(goneOnly: true))
    }
    #expect(try await prune() == ["2", "3"])
    let points = try await home.anas.fetchHistory(named: "3").points
    #expect(points.map(\.event) == [.new, .gone])
    try await home.owners.removeUser(home.ana.id)
    #expect(try await prune() == ["2"])
    #expect(try await home.owners.stars() == ["ibotta:2"])
  }

  @Test(
    "takes a found offer that only they starred out of the lists; another's stays",
    arguments: StoreKind.allCases)
  func foundOffers(kind: StoreKind) async throws {
    let home = try await Household(kind)
    _ = try await home.owners.apply(
      home.owners.plan(
        ["8", "9"].map { FeedOffer($0, name: "Tea \($0)") }, at: 2000, isSearch: true))
    func listed() async throws -> [String] {
      let ids = try await home.owners.ids()
      #expect(try await home.owners.countOffers(OfferQuery(feed: "ibotta")) == ids.count)
      return ids
    }
    let own = ["1", "2", "3", "4", "5"]
    #expect(try await listed() == own)
    try await home.anas.setFavorites(named: ["8", "9"], to: true)
    try await home.owners.setFavorites(named: ["9"], to: true)
    #expect(try await listed() == own + ["8", "9"])
    // One of two users takes a star off, and sets it again.
    try await home.owners.setFavorites(named: ["9"], to: false)
    #expect(try await listed() == own + ["8", "9"])
    try await home.owners.setFavorites(named: ["9"], to: true)
    try await home.owners.removeUser(home.ana.id)
    #expect(try await listed() == own + ["9"])
    try await home.owners.setFavorites(named: ["9"], to: false)
    #expect(try await listed() == own)
  }
}
