import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The data of two users")
struct UserDataRules {
  @Test(
    "favorites are separate: lists, marks, counts, searches, histories and exports",
    arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    let changes = try await home.anas.setFavorites(named: ["2", "3", "4"], to: true)
    #expect(changes.map(\.didChange) == [true, true, true])
    for (database, ids) in [(home.owners, ["1", "2"]), (home.anas, ["2", "3", "4"])] {
      let favorites = OfferQuery(favoritesOnly: true)
      #expect(try await database.ids(favorites) == ids)
      #expect(try await database.countOffers(favorites) == ids.count)
      let all = try await database.fetchOffers(OfferQuery())
      #expect(all.count == 5)
      #expect(all.filter(\.isFavorite).map(\.ref.offerID) == ids)
      let page = try await database.fetchOfferPage(OfferQuery(), maximumBytes: 1 << 20)
      #expect(page.offers.filter(\.isFavorite).map(\.ref.offerID) == ids)
      #expect(try await database.fetchFeeds().map(\.favoriteCount) == [ids.count])
      #expect(try await database.countEverything().favorites == ids.count)
      let kept = try await database.exported(favoritesOnly: true)
      #expect(kept.favorites.map(\.ref.offerID) == ids && kept.offers.map(\.ref.offerID) == ids)
      var query = SearchQuery("tea")
      let hits = try await database.search(query).hits
      #expect(Set(hits.filter(\.offer.isFavorite).map(\.offer.ref.offerID)) == Set(ids))
      query.favoritesOnly = true
      #expect(Set(try await database.search(query).hits.map(\.offer.ref.offerID)) == Set(ids))
      for id in ["1", "2", "3", "4", "5"] {
        let ref = OfferRef(feed: "ibotta", offerID: id)
        #expect(try await database.findOffer(ref)?.isFavorite == ids.contains(id))
        #expect(try await database.fetchOffer(named: id).isFavorite == ids.contains(id))
        #expect(try await database.fetchHistory(named: id).offer.isFavorite == ids.contains(id))
      }
    }
    try await home.anas.setFavorites(named: ["2"], to: false)
    #expect(try await home.owners.stars() == ["ibotta:1", "ibotta:2"])
    #expect(try await home.anas.stars() == ["ibotta:3", "ibotta:4"])
  }

  @Test(
    "no filter and no order lists another user's favorite, once it is gone neither",
    arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func lists(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    let home = try await Household(kind)
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    try await home.owners.sync([FeedOffer("4"), FeedOffer("5")], at: 2000)
    for (database, ids) in [(home.owners, ["1", "2"]), (home.anas, ["2", "3"])] {
      for (feed, goneOnly) in [(nil, false), (nil, true), ("ibotta", false), ("ibotta", true)] {
        let query = OfferQuery(
          feed: feed, favoritesOnly: true, goneOnly: goneOnly, now: .at(2000), sort: sort)
        #expect(try await database.ids(query).sorted() == ids)
        #expect(try await database.countOffers(query) == 2)
      }
      let gone = try await database.fetchOffers(OfferQuery(goneOnly: true, sort: sort))
      #expect(gone.map(\.ref.offerID).sorted() == ["1", "2", "3"])
      #expect(gone.filter(\.isFavorite).map(\.ref.offerID).sorted() == ids)
    }
  }

  @Test("each user has 10 recent searches", arguments: StoreKind.allCases)
  func searches(kind: StoreKind) async throws {
    let home = try await Household(kind)
    for number in 1...12 {
      for (database, words) in [(home.owners, "tea"), (home.anas, "jam")] {
        try await database.noteSearch(
          RecentSearch(words: "\(words) \(number)", searchedAt: .at(number)))
      }
    }
    // A search that both made is the latest of one of them only.
    try await home.anas.noteSearch(RecentSearch(words: "tea 12", searchedAt: .at(13)))
    let owners = try await home.owners.fetchRecentSearches().map(\.words)
    #expect(owners == (3...12).reversed().map { "tea \($0)" })
    let anas = try await home.anas.fetchRecentSearches().map(\.words)
    #expect(anas == ["tea 12"] + (4...12).reversed().map { "jam \($0)" })
  }

  @Test("readers of the same name have a mark for each user", arguments: StoreKind.allCases)
  func marks(kind: StoreKind) async throws {
    let home = try await Household(kind)
    let mark = ReaderMark(changeID: 5, readAt: .at(100))
    try await home.anas.setMark(mark, of: "mail")
    #expect(try await home.anas.findMark(of: "mail") == mark)
    #expect(try await home.owners.findMark(of: "mail") == nil)
    let earlier = ReaderMark(changeID: 3, readAt: .at(50))
    try await home.owners.setMark(earlier, of: "mail")
    #expect(try await home.owners.findMark(of: "mail") == earlier)
    #expect(try await home.anas.findMark(of: "mail") == mark)
  }

  @Test(
    "changes of favorites, and favorites under another id, are those of the user",
    arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.setFavorites(named: ["1"], to: true)
    try await home.anas.setFavorites(named: ["2"], to: true)
    let rest = (3...5).map { FeedOffer("\($0)", name: "Tea \($0)") }
    try await home.owners.sync(rest, at: 2000)
    var query = ChangeQuery(now: .at(3000))
    query.favoritesOnly = true
    for (database, id) in [(home.owners, "1"), (home.anas, "2")] {
      let told = try await database.fetchChanges(query).changes
      #expect(told.map { $0.offer?.ref.offerID } == [id] && told.map(\.kind) == [.gone])
      #expect(try await database.fetchChangePage(query).changes == told)
    }
    let returned = [FeedOffer("11", name: "Tea 1"), FeedOffer("12", name: "Tea 2")]
    let run = try await home.owners.sync(rest + returned, at: 3000)
    #expect(run.returned.map(\.favorite.offerID) == ["1"])
    for (database, pair) in [(home.owners, "11 1"), (home.anas, "12 2")] {
      let news = try await database.fetchChanges(ChangeQuery(now: .at(4000))).changes
      let found = news.compactMap { change in
        change.kind == .new
          ? change.returned.map { "\(change.offer?.ref.offerID ?? "") \($0.offerID)" } : nil
      }
      #expect(found == [pair])
    }
  }

  @Test(
    "news are told to each user once, whatever the other was told", arguments: StoreKind.allCases)
  func news(kind: StoreKind) async throws {
    let now = 10 * 86_400
    let offers = (1...5).map { number in
      FeedOffer(
        "\(number)", name: "Tea \(number)",
        more: number == 3 ? [.expiresAt: "\(now + 5000)"] : [:])
    }
    let home = try await Household(kind, offers)
    try await home.owners.setFavorites(named: ["1", "3"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    try await home.owners.sync(Array(offers.suffix(3)), at: now - 100)
    var fetch = FetchState()
    fetch.failureCount = 3
    fetch.failingSince = .at(now - 90_000)
    try await home.owners.record(
      SyncRun(
        feed: "ibotta", source: "x", outcome: .failed, bytes: 0, startedAt: .at(now - 50),
        durationSeconds: 0, error: OffersError(.sourceFailed, "No answer.")), remember: nil,
      fetch: fetch)
    func take(_ database: OffersDatabase, at seconds: Int) async throws -> Set<String> {
      let (news, lastID) = try await database.fetchNews(
        after: try await database.findMark(of: "mail"), now: .at(seconds))
      try await database.setNewsTold(news, lastID: lastID, reader: "mail", now: .at(seconds))
      return Set(
        news.changes.map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" }
          + news.failing.map { "failing \($0.name)" })
    }
    for (place, (database, id)) in [(home.owners, "1"), (home.anas, "2")].enumerated() {
      let told = try await take(database, at: now + 2 * place)
      #expect(told == ["gone \(id)", "expiring 3", "failing ibotta"])
      #expect(try await take(database, at: now + 2 * place + 1) == [])
    }
  }

  @Test(
    "a binding shows at once what another binding of the same user has written",
    arguments: StoreKind.allCases)
  func bindings(kind: StoreKind) async throws {
    let home = try await Household(kind)
    let others = [
      home.owners.bound(to: home.ana), home.anas.bound(to: home.ana),
      try await home.opened.openAgain().bound(to: home.ana),
    ]
    try await home.anas.setFavorites(named: ["3"], to: true)
    for other in others { #expect(try await other.stars() == ["ibotta:3"]) }
    try await others[2].setFavorites(named: ["3"], to: false)
    #expect(try await home.anas.stars() == [])
    let owner = try #require(try await home.anas.fetchUsers().first)
    try await home.owners.setFavorites(named: ["1"], to: true)
    #expect(try await home.anas.bound(to: owner).stars() == ["ibotta:1"])
  }
}
