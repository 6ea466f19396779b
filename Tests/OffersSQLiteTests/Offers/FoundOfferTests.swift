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
    #expect(pruned.offers == 31)
    #expect(try await Self.list(store) == ["1", "2", "3", "8"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(await store.database.examine(at: .now).allSatisfy { $0.level != .problem })
  }

  @Test("the finds that an older version stored leave the lists and the changes")
  func upgrades() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 17, offerCount: 5)
    try Store.execute(
      path,
      """
      INSERT INTO sync_run (
        run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count,
        changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count,
        rows_written
      ) VALUES (2, 1, 'https://x.example/find?q={query}', 2000, 1, 'updated', 1, 3, 0, 0, 0, 0, 0, 0, 3);
      INSERT INTO offer (feed_key, id, content_hash, first_seen_at, changed_at, name, reward_up_to)
      VALUES (1, '11', 1, 2000, 2000, 'Milk 11', 0), (1, '12', 1, 2000, 2000, 'Milk 12', 0),
        (1, '13', 1, 2000, 2000, 'Milk 13', 0);
      INSERT INTO change (change_id, offer_key, run_id, kind) VALUES (8, 8, 2, 'new');
      INSERT INTO new_offers VALUES (8, 3);
      INSERT INTO favorite VALUES ('ibotta', '13', 2500);
      UPDATE feed SET current_count = 8;
      """)
    let database = try await OffersDatabase.open(path: path)
    let ids = try await database.fetchOffers(OfferQuery()).map(\.ref.offerID)
    #expect(ids == ["1", "2", "3", "4", "5", "13"])
    #expect(try await database.countOffers(OfferQuery(feed: "ibotta")) == 6)
    #expect(try await database.search(SearchQuery("milk 11")).hits.count == 1)
    let changes = try await database.fetchChanges(ChangeQuery(now: ChangeTests.date(9000)))
    #expect(changes.changes.map { $0.offer?.ref.offerID } == ["1", "2", "3", "4", "5"])
    // The number of the newest change is not used again.
    #expect(changes.lastID == 8)
    #expect(try Store.rows(path, "PRAGMA foreign_key_check") == [])
    #expect(await database.examine(at: .now).allSatisfy { $0.level != .problem })
  }

  @Test("an older version's offers that a search saw first stay the feed's if the feed had them")
  func keepsOwn() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 17, offerCount: 5)
    func run(_ number: Int, _ source: String) -> String {
      """
      INSERT INTO sync_run (
        run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count,
        changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count,
        rows_written
      ) VALUES (\(number), 1, '\(source)', \(number)000, 1, 'updated', 1, 0, 0, 0, 0, 0, 0, 0, 0);
      """
    }
    // Searches found all of 11 to 15. The feed changed 11, lost 12 and the favorite 13, and never
    // had 14; 15 was lost by the feed and found again by a search.
    try Store.execute(
      path,
      run(2, "https://x.example/find?q={query}") + run(3, "https://x.example/all")
        + run(4, "https://x.example/find?q={query}") + """
          INSERT INTO offer (
            feed_key, id, content_hash, first_seen_at, changed_at, gone_at, name, reward_up_to)
          VALUES (1, '11', 1, 2000, 3000, NULL, 'Milk 11', 0),
            (1, '12', 1, 2000, 2000, 3000, 'Milk 12', 0),
            (1, '13', 1, 2000, 2000, 3000, 'Milk 13', 0),
            (1, '14', 1, 2000, 2000, NULL, 'Milk 14', 0),
            (1, '15', 1, 2000, 2000, NULL, 'Milk 15', 0);
          INSERT INTO change (change_id, offer_key, run_id, kind, fields)
          VALUES (8, 8, 2, 'new', NULL), (10, 10, 2, 'new', NULL),
            (11, 6, 3, 'changed', '{"name":{"from":"Milk","to":"Milk 11"}}'),
            (12, 7, 3, 'gone', NULL), (13, 8, 3, 'gone', NULL), (14, 10, 3, 'gone', NULL),
            (15, 10, 4, 'back', NULL);
          INSERT INTO new_offers VALUES (8, 3), (10, 2);
          INSERT INTO favorite VALUES ('ibotta', '13', 2500);
          UPDATE feed SET current_count = 8;
          """)
    let database = try await OffersDatabase.open(path: path)
    let ids = try await database.fetchOffers(OfferQuery(feed: "ibotta")).map(\.ref.offerID)
    #expect(ids == ["1", "2", "3", "4", "5", "11"])
    #expect(try await database.fetchOffer(named: "13").goneAt == ChangeTests.date(3000))
    #expect(try await database.search(SearchQuery("milk 14")).hits.count == 1)
    let changes = try await database.fetchChanges(ChangeQuery(now: ChangeTests.date(9000))).changes
    #expect(
      changes.dropFirst(5).map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" }
        == ["new 11", "new 12", "new 13", "changed 11", "gone 12", "gone 13"])
    #expect(try Store.rows(path, "PRAGMA foreign_key_check") == [])
    #expect(await database.examine(at: .now).allSatisfy { $0.level != .problem })
  }
}

/// Whether each feed has as many current offers as it says.
private enum FeedMiscountTests {
  static func isRight(_ store: Store) throws -> Bool {
    try store.rows(
      """
      SELECT name FROM feed WHERE current_count <> (
        SELECT count(*) FROM offer
        WHERE offer.feed_key = feed.feed_key AND gone_at IS NULL)
      """) == []
  }
}
