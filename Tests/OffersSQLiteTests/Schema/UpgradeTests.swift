import OffersCore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("A database of an older version")
struct UpgradeTests {
  private static let schema = """
    SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name
    """

  @Test(
    "has the current schema and all its data once it is opened",
    arguments: Array(1..<SQLiteMigrations.currentVersion),
    [OffersDatabase.Access.readOnly, .readWrite])
  func upgrades(version: Int, access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: version, offerCount: 50)
    let data = [
      "SELECT * FROM offer ORDER BY 1", "SELECT feed, id, created_at FROM favorite",
      "SELECT run_id, feed_key, source, outcome, new_count, problems, error_hint FROM sync_run",
      "SELECT change_id, offer_key, run_id, kind FROM change ORDER BY 1",
      "SELECT name, source, current_count FROM feed",
    ]
    // Version 4 added the images.
    let images =
      version < 4
      ? []
      : [
        "SELECT \(Self.imageColumns) FROM image_cache ORDER BY url"
      ]
    if version >= 4 { try Store.execute(path, version < 31 ? Self.imagesInSlots : Self.images) }
    let kept = data + images
    let before = try Store.rows(path, kept)
    let database = try await OffersDatabase.open(path: path, access: access)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(SQLiteMigrations.currentVersion)"])
    #expect(try await Store.rows(path, Self.schema) == Store().rows(Self.schema))
    #expect(try Store.rows(path, kept) == before)
    let checks = try Store.rows(path, ["PRAGMA integrity_check", "PRAGMA foreign_key_check"])
    #expect(checks == [["ok"], []])
    let favorites = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(favorites.map(\.name) == ["Milk 7"])
    let contents = try await database.fetchImageContents(now: .distantPast)
    #expect(contents.limit == 50)
    #expect(contents.images.count == (version < 4 ? 0 : 50))
    #expect(contents.images.first?.url == (version < 4 ? nil : "u50"))
    let findings = await database.examine(at: .distantPast)
    #expect(findings.allSatisfy { $0.level != .problem || $0.subject == "images" })
  }

  private static let imageColumns =
    "url, content_type, width, height, etag, fetched_at, fresh_until, bytes"

  /// A full image cache, of images that are found by their addresses.
  private static let images = """
    WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 50)
    INSERT INTO image_cache (\(imageColumns))
    SELECT 'u' || i, 'image/png', 1, 1, 'e' || i, i, i, randomblob(9000) FROM number;
    INSERT INTO image_use (url, use_order) SELECT 'u' || i, i FROM (
      WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 50)
      SELECT i FROM number);
    """

  /// A full image cache, of images in numbered slots.
  private static let imagesInSlots = """
    WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 50)
    INSERT INTO image_cache (slot, \(imageColumns))
    SELECT 51 - i, 'u' || i, 'image/png', 1, 1, 'e' || i, i, i, randomblob(9000) FROM number;
    INSERT INTO image_use (slot, use_order) SELECT slot, 51 - slot FROM image_cache;
    """

  @Test("keeps facts of feeds, requests, copies of images, the limit and the searches of each user")
  func keepsDetails() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 29, offerCount: 5)
    try Store.execute(
      path,
      """
      UPDATE feed_detail SET title = 'T', shared = '[["a","b"]]', chosen_source = '/x',
        source_origin = 'machine', unsubscribed_at = 9, presentation = '{"noun":"album"}';
      UPDATE feed SET document_hash = zeroblob(16), document_head_hash = zeroblob(16),
        document_bytes = 7;
      INSERT INTO sync_request SELECT run_id, 'due', 2, 304, 1 FROM sync_run;
      DELETE FROM cache_slot WHERE slot > 7;
      UPDATE image_tally SET hit_count = 3, miss_count = 4, eviction_count = 5;
      INSERT INTO image_cache (slot, \(Self.imageColumns), thumbnail)
      VALUES (3, 'u1', 'image/png', 1, 1, 'e', 5, 6, x'00', x'01'),
        (1, 'u2', 'image/png', 1, 1, NULL, 5, 6, x'02', NULL);
      INSERT INTO image_use VALUES (3, 2), (1, 9);
      INSERT INTO user (name, folded_name, role, created_at) VALUES ('Ana', 'ana', 'member', 1);
      INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
      VALUES (1, 1, 'a', '', 'a', 1), (2, 2, 'b', 'ibotta', 'b', 2), (1, 3, 'c', '', 'c', 3);
      """)
    _ = try await OffersDatabase.open(path: path)
    func rows(_ sql: String) throws -> [String] { try Store.rows(path, sql) }
    #expect(
      try rows(
        """
        SELECT title, shared, chosen_source, source_origin, unsubscribed_at, presentation,
          length(document_hash), document_bytes FROM feed
        """) == [#"T|[["a","b"]]|/x|machine|9|{"noun":"album"}|16|7"#])
    #expect(
      try rows(
        """
        SELECT request_reason, request_count, request_status, request_is_conditional FROM sync_run
        """) == ["due|2|304|1"])
    #expect(try rows("SELECT * FROM image_tally") == ["1|7|3|4|5"])
    #expect(
      try rows("SELECT url, hex(thumbnail), hex(bytes) FROM image_cache ORDER BY url")
        == ["u1|01|00", "u2||02"])
    #expect(try rows("SELECT * FROM image_use ORDER BY url") == ["u1|2", "u2|9"])
    #expect(
      try rows("SELECT user_key, feed, words FROM recent_search ORDER BY user_key, search_order")
        == ["1||a", "1||c", "2|ibotta|b"])
  }

  @Test("is upgraded even if a view or trigger of another program is invalid")
  func toleratesInvalidObjects() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 13, offerCount: 5)
    try Store.execute(
      path,
      """
      CREATE VIEW mine AS SELECT missing FROM image_cache, nowhere;
      CREATE TRIGGER also_mine AFTER INSERT ON offer BEGIN INSERT INTO nowhere VALUES (1); END;
      """)
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchImageContents(now: .distantPast).limit == 50)
  }

  @Test("leaves out rows of the image cache that no program of this kind writes")
  func leavesOutForgedImages() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 29, offerCount: 5)
    try Store.execute(
      path,
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE image_tally SET hit_count = -1;
      DELETE FROM cache_slot WHERE slot > 9;
      INSERT INTO image_cache (slot, \(Self.imageColumns))
      VALUES (1, '', 'image/png', 1, 1, NULL, 5, 6, x'00'),
        (2, 'a' || char(0), 'image/png', 1, 1, NULL, 5, 6, x'00'),
        (3, 'u', 'image/png', 1, 1, NULL, 5, 6, x'00');
      UPDATE feed_detail SET shared = 'no JSON';
      """)
    let database = try await OffersDatabase.open(path: path)
    let contents = try await database.fetchImageContents(now: .distantPast)
    #expect(contents.limit == 9 && contents.hits == 0)
    #expect(contents.images.map(\.url) == ["u"])
    #expect(try Store.rows(path, "SELECT shared FROM feed") == ["NULL"])
  }

  @Test("finds words with unseen characters, which its index had divided")
  func renewsIndex() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 25, offerCount: 5)
    try Store.execute(
      path,
      """
      UPDATE offer SET name = 'Wasch' || char(173) || 'mittel' WHERE offer_key = 2;
      INSERT INTO offer_search (offer_search) VALUES ('rebuild');
      UPDATE search_state SET is_current = 1;
      """)
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.search(SearchQuery("waschmittel")).hits.count == 1)
    let findings = await database.examine(at: .distantPast)
    #expect(findings.allSatisfy { $0.level != .problem || $0.subject == "images" })
  }

  @Test("is synced like any other, with one change per differing offer")
  func isSynced() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 10, offerCount: 50)
    let database = try await OffersDatabase.open(path: path)
    let known = try await database.fetchKnownOffers(of: "ibotta")
    #expect(known.count == 50 && known.currentCount == 50)
    #expect(try Store.rows(path, "SELECT count(*) FROM change") == ["50"])
  }
}
