import Foundation
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("The records of two users")
struct RecordTests {
  @Test("favorites are separate: lists, marks, counts, searches and exports")
  func favorites() async throws {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    let changes = try await home.anas.setFavorites(named: ["2", "3", "4"], to: true)
    #expect(changes.map(\.didChange) == [true, true, true])
    for (record, ids) in [(home.owners, ["1", "2"]), (home.anas, ["2", "3", "4"])] {
      #expect(try await Household.stars(record) == ids)
      #expect(try await record.countOffers(OfferQuery(favoritesOnly: true)) == ids.count)
      let all = try await record.fetchOffers(OfferQuery())
      #expect(all.count == 5)
      #expect(all.filter(\.isFavorite).map(\.ref.offerID) == ids)
      let page = try await record.fetchOfferPage(OfferQuery(), maximumBytes: 1 << 20)
      #expect(page.offers.filter(\.isFavorite).map(\.ref.offerID) == ids)
      #expect(try await record.fetchFeeds().map(\.favoriteCount) == [ids.count])
      var query = SearchQuery("tea")
      let hits = try await record.search(query).hits
      #expect(Set(hits.filter(\.offer.isFavorite).map(\.offer.ref.offerID)) == Set(ids))
      query.favoritesOnly = true
      #expect(
        Set(try await record.search(query).hits.map(\.offer.ref.offerID)) == Set(ids))
      #expect(try await record.countEverything().favorites == ids.count)
      let kept = try await Store.exported(record, favoritesOnly: true)
      #expect(kept.favorites.map(\.ref.offerID) == ids && kept.offers.map(\.ref.offerID) == ids)
      for id in ["1", "2", "3", "4", "5"] {
        #expect(try await record.fetchOffer(named: id).isFavorite == ids.contains(id))
        #expect(try await record.fetchHistory(named: id).offer.isFavorite == ids.contains(id))
      }
    }
    try await home.anas.setFavorites(named: ["2"], to: false)
    #expect(try home.marks() == ["1|ibotta|1", "1|ibotta|2", "2|ibotta|3", "2|ibotta|4"])
    #expect(try await home.owners.fetchOffer(named: "2").isFavorite)
  }

  @Test("an import adds to the favorites of the user who imports")
  func imports() async throws {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2"], to: true)
    let kept = try await home.store.exported()
    let summary = try await home.anas.importRecords(
      from: kept, feeds: kept.feeds, selections: [])
    #expect(summary.newFavorites == 1 && summary.sameFavorites == 1)
    #expect(try await Household.stars(home.anas) == ["1", "2"])
    #expect(try await Household.stars(home.owners) == ["1", "2"])
  }

  @Test("each user has 10 recent searches")
  func searches() async throws {
    let home = try await Household()
    for number in 1...12 {
      for (record, words) in [(home.owners, "tea"), (home.anas, "jam")] {
        try await record.noteSearch(
          RecentSearch(words: "\(words) \(number)", searchedAt: ChangeTests.date(number)))
      }
    }
    // A search that both made is the latest of one of them only.
    try await home.anas.noteSearch(RecentSearch(words: "tea 12", searchedAt: ChangeTests.date(13)))
    let owners = try await home.owners.fetchRecentSearches().map(\.words)
    #expect(owners == (3...12).reversed().map { "tea \($0)" })
    let anas = try await home.anas.fetchRecentSearches().map(\.words)
    #expect(anas == ["tea 12"] + (4...12).reversed().map { "jam \($0)" })
  }

  @Test("readers of the same name have a mark for each user")
  func marks() async throws {
    let home = try await Household()
    let mark = ReaderMark(changeID: 5, readAt: ChangeTests.date(100))
    try await home.anas.setMark(mark, of: "mail")
    #expect(try await home.anas.findMark(of: "mail") == mark)
    #expect(try await home.owners.findMark(of: "mail") == nil)
    let earlier = ReaderMark(changeID: 3, readAt: ChangeTests.date(50))
    try await home.owners.setMark(earlier, of: "mail")
    #expect(try await home.owners.findMark(of: "mail") == earlier)
    #expect(try await home.anas.findMark(of: "mail") == mark)
  }

  @Test("changes of favorites, and favorites under another id, are those of the user")
  func changes() async throws {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["1"], to: true)
    try await home.anas.setFavorites(named: ["2"], to: true)
    let rest = (3...5).map { FeedOffer("\($0)", name: "Tea \($0)") }
    try await home.store.sync(rest, at: 2000)
    var query = ChangeQuery(now: ChangeTests.date(3000))
    query.favoritesOnly = true
    for (record, id) in [(home.owners, "1"), (home.anas, "2")] {
      let told = try await record.fetchChanges(query).changes.filter { $0.kind == .gone }
      #expect(told.map { $0.offer?.ref.offerID } == [id])
      let page = try await record.fetchChangePage(query).changes.filter { $0.kind == .gone }
      #expect(page.map { $0.offer?.ref.offerID } == [id])
    }
    let returned = [FeedOffer("11", name: "Tea 1"), FeedOffer("12", name: "Tea 2")]
    let run = try await home.store.sync(rest + returned, at: 3000)
    #expect(run.returned.map(\.favorite.offerID) == ["1"])
    for (record, pair) in [(home.owners, "11 1"), (home.anas, "12 2")] {
      let news = try await record.fetchChanges(ChangeQuery(now: ChangeTests.date(4000))).changes
      let found = news.compactMap { change in
        change.kind == .new
          ? change.returned.map { "\(change.offer?.ref.offerID ?? "") \($0.offerID)" } : nil
      }
      #expect(found == [pair])
    }
  }

  @Test("news are told to each user once, whatever the other was told")
  func news() async throws {
    let home = try await Household()
    let now = 10 * 86_400
    try await home.owners.setFavorites(named: ["1", "3"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    try await home.store.sync(
      (3...5).map { FeedOffer("\($0)", name: "Tea \($0)") }, at: now - 100)
    try home.store.execute(
      """
      INSERT INTO offer_detail (offer_key, expires_at) VALUES (3, \(now + 5000));
      INSERT INTO feed_fetch (feed_key, failure_count, failing_since) VALUES (1, 3, \(now - 90000))
      """)
    func take(_ record: OffersDatabase, at seconds: Int) async throws -> Set<String> {
      let now = ChangeTests.date(seconds)
      let (news, lastID) = try await record.fetchNews(
        after: try await record.findMark(of: "mail"), now: now)
      try await record.setNewsTold(news, lastID: lastID, reader: "mail", now: now)
      return Set(
        news.changes.map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" }
          + news.failing.map { "failing \($0.name)" })
    }
    let owners = try await take(home.owners, at: now)
    #expect(owners == ["gone 1", "expiring 3", "failing ibotta"])
    #expect(try await take(home.owners, at: now + 1) == [])
    let anas = try await take(home.anas, at: now + 2)
    #expect(anas == ["gone 2", "expiring 3", "failing ibotta"])
    #expect(try await take(home.anas, at: now + 3) == [])
  }
}
