import OffersCore
import OffersStore
import OffersTestSupport
import PostgreSQLMigrations
import Testing

@testable import OffersPostgres

@Suite("A PostgreSQL database of an earlier schema", .timeLimit(.minutes(2)))
struct MigrationTests {
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

  /// A database of the earlier schema with rows of every kind.
  private static func makeOld() async throws -> TestDatabase {
    let made = try await TestCluster.shared.value.makeDatabase()
    let database = Database(try DatabaseURL(made.url()))
    let migrations = PostgreSQLMigrations.all.filter { $0.number <= StoredVersion.postgresSchema }
    try await PostgresSchema(migrations).migrate(database)
    database.close()
    try await made.run(StoredVersion.postgresRows)
    return made
  }

  @Test("is migrated: it has the current schema and all its data, and exports the same bytes")
  func migrates() async throws {
    let made = try await Self.makeOld()
    let store = try await OffersDatabase.open(made)
    #expect(try await store.exported(allUsers: true).text() == StoredVersion.exportNow())
    #expect(
      try await store.exported(favoritesOnly: true, allUsers: true).text()
        == StoredVersion.exportNow(favoritesOnly: true))
    #expect(try await store.search(SearchQuery("ägypten")).hits.map(\.offer.ref.offerID) == ["p"])
    let (new, _) = try await OffersDatabase.openNew()
    #expect(try await made.run(Self.versions) == new.run(Self.versions))
    #expect(try await made.run(Self.schema) == new.run(Self.schema))
    // A second opening has nothing to do.
    try await OffersDatabase.open(made).close()
  }

  @Test(
    "that is older than the first migration is refused, also for reading",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func refusesOlder(access: OffersDatabase.Access) async throws {
    let made = try await Self.makeOld()
    try await made.run(
      "DELETE FROM schema_migration; INSERT INTO schema_migration VALUES (9, 'version 9', false)")
    let place = try PostgresPlace(url: made.url())
    let error = await #expect(throws: OffersError.self) { _ = try await place.open(access) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("too old to be brought up to date") == true)
    #expect(error?.hint?.text.contains("Export it with the version that wrote it last") == true)
    #expect(try await made.run(Self.versions) == "9|9|1")
  }
}
