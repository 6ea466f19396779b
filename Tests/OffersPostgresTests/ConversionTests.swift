import OffersCore
import OffersTestSupport
import PostgreSQLMigrations
import Testing

@testable import OffersPostgres

@Suite("A PostgreSQL database of an older version", .timeLimit(.minutes(2)))
struct ConversionTests {
  private static let versions = "SELECT min(number), max(number), count(*) FROM schema_migration"

  /// The schema without the order of columns.
  private static let schema = """
    SELECT string_agg(part, '; ' ORDER BY part) FROM (
      SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable,
        column_default, is_identity) AS part
      FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL
      SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL
      SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL
      SELECT proname || ' ' || prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    ) AS parts
    """

  /// A database of version 9 with every kind of row.
  private static func makeOld() async throws -> TestDatabase {
    let made = try await TestCluster.shared.value.makeDatabase()
    try await made.run(EarlierVersion.postgres)
    return made
  }

  @Test("of the last version is converted: it has the current schema, and exports the same bytes")
  func converts() async throws {
    let made = try await Self.makeOld()
    let store = try await PostgresStore.open(made)
    #expect(try await store.exported(allUsers: true).text() == EarlierVersion.export())
    #expect(
      try await store.exported(favoritesOnly: true, allUsers: true).text()
        == EarlierVersion.export(favoritesOnly: true))
    #expect(try await made.run(Self.versions) == "101|113|13")
    let (new, _) = try await PostgresStore.openNew()
    #expect(try await made.run(Self.schema) == new.run(Self.schema))
    // A second opening has nothing to do.
    try await PostgresStore.open(made).close()
  }

  @Test("has the keys and the searched words that this version computes")
  func renewsOffers() async throws {
    let made = try await Self.makeOld()
    let name = String(repeating: "7", count: 254)
    try await made.run(
      """
      UPDATE offer SET name = '\(name)', categories = '["\(name)"]', name_key = 'x' WHERE id = 'b';
      INSERT INTO search_word VALUES ('old')
      """)
    let store = try await PostgresStore.open(made)
    func ids(in category: String) async throws -> [String] {
      try await store.fetchOffers(OfferQuery(category: category, includesExpired: true))
        .map(\.ref.offerID)
    }
    #expect(try await ids(in: "Süß") == ["a"])
    #expect(try await ids(in: "b 12") == ["a"])
    #expect(try await ids(in: name) == ["b"])
    #expect(try await store.search(SearchQuery("ägypten")).hits.map(\.offer.ref.offerID) == ["p"])
    let words =
      "SELECT string_agg(word, ',' ORDER BY word) FROM search_word WHERE word IN ('agypten', 'old')"
    #expect(try await made.run(words) == "agypten")
    let key = "SELECT encode(name_key, 'hex') FROM offer WHERE id = 'p'"
    #expect(try await made.run(key) == "6167797074656e20300137")
  }

  @Test("that cannot be converted stays as it is")
  func convertsWhole() async throws {
    let made = try await Self.makeOld()
    try await made.run("DROP INDEX offer_by_name")
    await #expect(throws: OffersError.self) { _ = try await PostgresStore.open(made) }
    #expect(try await made.run(Self.versions) == "1|9|9")
    let type =
      "SELECT data_type FROM information_schema.columns WHERE column_name = 'category_keys'"
    #expect(try await made.run(type) == "ARRAY")
  }

  @Test(
    "is refused if it is older, also for reading", arguments: [StoreAccess.readOnly, .readWrite])
  func refusesOlder(access: StoreAccess) async throws {
    let made = try await Self.makeOld()
    try await made.run("DELETE FROM schema_migration WHERE number > 8")
    let place = try PostgresPlace(url: made.url())
    let error = await #expect(throws: OffersError.self) { _ = try await place.open(access) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("too old to be brought up to date") == true)
    #expect(error?.hint?.contains("Export it with the version that wrote it last") == true)
    #expect(try await made.run(Self.versions) == "1|8|8")
  }
}
