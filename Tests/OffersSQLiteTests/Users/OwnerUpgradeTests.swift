import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A database from before there were users")
struct OwnerUpgradeTests {
  private static let favorites = [("ibotta", "3", 1600), ("ibotta", "7", 1500), ("later", "x", 9)]

  /// Fills the tables of schema version 19, of which `makeFile` has made one favorite. An export of
  /// this database is in `OldExport`.
  static func makeFile(in folder: TemporaryFolder) throws -> String {
    let path = try Store.makeFile(in: folder, version: 19, offerCount: 8)
    try Store.execute(
      path,
      """
      UPDATE feed SET subscribed_at = 900;
      INSERT INTO favorite VALUES ('later', 'x', 9), ('ibotta', '3', 1600);
      INSERT INTO recent_search (search_order, expression, feed, words, searched_at)
      VALUES (4, '"tea"', '', 'Tea', 10), (9, '"jam"', 'ibotta', 'jam', 20);
      INSERT INTO reader VALUES ('mail', 7, 100), ('feed', 50, 200);
      INSERT INTO notice VALUES ('expiring', 'ibotta', '3', 9000, 10);
      INSERT INTO sync_run (run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes,
        new_count, changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count,
        rows_written)
      VALUES (2, 1, '/feeds/ibotta.json', 2000, 6, 'updated', 9, 0, 1, 1, 0, 6, 0, 0, 0);
      UPDATE offer SET terms = 'Limit 2.', changed_at = 2000 WHERE id = '3';
      UPDATE offer SET gone_at = 2000, changed_at = 2000 WHERE id = '7';
      UPDATE feed SET current_count = 7;
      INSERT INTO offer_detail (offer_key, retailer) VALUES (3, 'Corner Shop');
      INSERT INTO change (offer_key, run_id, kind, fields)
      VALUES (3, 2, 'changed', '{"terms":{"from":"Limit 1.","to":"Limit 2."}}'), (7, 2, 'gone', NULL);
      """)
    return path
  }

  @Test("is the owner's: favorites, searches, read marks and notices", arguments: [true, false])
  func isOwners(writes: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = try Self.makeFile(in: folder)
    let database = try await OffersDatabase.open(
      path: path, access: writes ? .readWrite : .readOnly)
    #expect(try await database.fetchUsers().map(\.id) == [User.ownerID])
    #expect(
      try Store.rows(
        path,
        "SELECT user_key, feed, id, created_at FROM favorite WHERE shared_at IS NULL ORDER BY 2, 3")
        == Self.favorites.map { "1|\($0.0)|\($0.1)|\($0.2)" })
    let searches = try await database.fetchRecentSearches()
    #expect(
      searches == [
        RecentSearch(words: "jam", feed: "ibotta", searchedAt: ChangeTests.date(20)),
        RecentSearch(words: "Tea", searchedAt: ChangeTests.date(10)),
      ])
    #expect(
      try await database.findMark(of: "mail")
        == ReaderMark(changeID: 7, readAt: ChangeTests.date(100)))
    #expect(
      try await database.findMark(of: "feed")
        == ReaderMark(changeID: 50, readAt: ChangeTests.date(200)))
    #expect(
      try Store.rows(path, "SELECT * FROM notice") == ["1|expiring|ibotta|3|9000|10"])
  }

  @Test("is exported as the version before did, but for the version and the users")
  func export() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.makeFile(in: folder)
    // Salvaging reads the file without migrating it.
    let old = try await OffersDatabase.open(salvaging: path)
    for (favoritesOnly, document) in [(false, OldExport.text), (true, OldExport.sharedText)] {
      let saved = try await old.salvage(favoritesOnly: favoritesOnly) { reader in
        var kept = MemoryExport()
        let cut = try reader.forEachRecord(accepting: { _ in true }) { kept.records.append($0) }
        #expect(cut.isEmpty)
        return kept
      }
      #expect(try OldExport.downgraded(saved.text()) == document)
    }
    try await old.close()
    #expect(try Store.rows(path, "PRAGMA user_version") == ["19"])
    let database = try await OffersDatabase.open(path: path)
    for (favoritesOnly, document) in [(false, OldExport.text), (true, OldExport.sharedText)] {
      let kept = try await database.exported(favoritesOnly: favoritesOnly)
      #expect(try OldExport.downgraded(kept.text()) == document)
      #expect(kept.users.map(\.name) == ["owner"])
      #expect(kept.users.first?.isOwner == true)
      #expect(kept.favorites.allSatisfy { $0.user == "owner" })
      // A run that was read in part counts as unread.
      #expect(kept.users[0].marks.map(\.run) == (favoritesOnly ? [] : [2, 0]))
      #expect(kept.users[0].searches.map(\.words) == (favoritesOnly ? [] : ["jam", "Tea"]))
    }
  }
}
