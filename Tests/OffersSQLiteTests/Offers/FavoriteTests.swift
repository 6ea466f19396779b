import GRDB
import OffersCore
import OffersTestSupport
import Testing

@Suite("Favorites in the database")
struct FavoriteTests {
  @Test("a favorite outlives every row of its feed and applies again when the offer returns")
  func outlivesFeed() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    try store.execute(
      """
      DELETE FROM change; DELETE FROM offer; DELETE FROM sync_run; DELETE FROM feed
      """)
    #expect(try store.rows("SELECT feed, id FROM favorite") == ["ibotta|1"])
    try await store.sync([FeedOffer("1")])
    #expect(try await store.database.fetchOffer(named: "1").isFavorite)
  }
}
