import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("The records of two users")
struct RecordTests {
  @Test("favorites are separate in counts and exports")
  func favorites() async throws {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3", "4"], to: true)
    for (record, ids) in [(home.owners, ["1", "2"]), (home.anas, ["2", "3", "4"])] {
      #expect(try await record.countEverything().favorites == ids.count)
      let kept = try await record.exported(favoritesOnly: true)
      #expect(kept.favorites.map(\.ref.offerID) == ids && kept.offers.map(\.ref.offerID) == ids)
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
      UPDATE offer SET expires_at = \(now + 5000) WHERE offer_key = 3;
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
