import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersPostgres

@Suite("Schemas and tables of other roles", .timeLimit(.minutes(2)))
struct SchemaOwnerTests {
  /// An empty database in which another role, named `name`, may create schemas.
  private static func database(with name: String) async throws -> TestDatabase {
    let cluster = try await TestCluster.shared.value
    let made = try await cluster.makeDatabase()
    try await cluster.run("CREATE ROLE \(name) LOGIN", as: "postgres")
    try await cluster.run("GRANT CREATE ON DATABASE \(made.name) TO \(name)", as: "offers")
    return made
  }

  /// Makes a schema of another role with the name of the program's, which has copies of all its tables, and
  /// functions that stand for those of PostgreSQL.
  private static func copyTables(of made: TestDatabase, as name: String) async throws {
    for statement in [
      "CREATE SCHEMA offers", "GRANT ALL ON SCHEMA offers TO offers",
      "CREATE FUNCTION offers.quote_ident(name) RETURNS text LANGUAGE sql AS $$SELECT 'offers'$$",
      "CREATE FUNCTION offers.unnest(name[]) RETURNS SETOF name LANGUAGE sql "
        + "AS $$VALUES ('offers'::name)$$",
    ] {
      try await made.run(statement, as: name)
    }
    try await made.run(
      """
      DO $$ DECLARE name TEXT; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE offers.%I (LIKE public.%I INCLUDING ALL)', name, name);
      EXECUTE format('INSERT INTO offers.%I OVERRIDING SYSTEM VALUE SELECT * FROM public.%I', name, name);
      EXECUTE format('ALTER TABLE offers.%I OWNER TO \(name)', name);
      EXECUTE format('GRANT ALL ON offers.%I TO offers', name);
      END LOOP; END $$
      """, as: "postgres")
  }

  private static let routes: [TestCluster.Route] = [
    .socket, .loopback(password: "secret"), .pooler,
  ]

  @Test("a schema that another role has given the name of the program's role is not used")
  func passesOver() async throws {
    let name = "mallory_\(UInt32.random(in: 0 ... .max))"
    let made = try await Self.database(with: name)
    var stores = [try await OffersDatabase.open(url: made.url())]
    try await Self.copyTables(of: made, as: name)
    for route in Self.routes {
      stores.append(try await OffersDatabase.open(url: made.url(by: route)))
    }
    let offers = stores.indices.map { FeedOffer("\($0)", name: "Tea") }
    for (number, store) in stores.enumerated() {
      try await store.sync(offers, at: 1000 + number)
      _ = try await store.setFavorites(named: ["\(number)"], to: true)
      #expect(try await store.fetchOffer(named: "\(number)").isFavorite)
      _ = try await store.addUser(named: "user \(number)", role: .member)
      _ = try await store.search(SearchQuery("tea"))
      _ = try await store.fetchDataVersion()
      try await store.putImage(
        CachedImage(
          url: "https://tea.example/\(number).png", bytes: TinyImage.png(),
          header: ImageHeader(format: .png, width: 1, height: 1), fetchedAt: .now,
          freshUntil: .now))
    }
    #expect(
      try await made.run(
        "SELECT (SELECT count(*) FROM offers.favorite), (SELECT count(*) FROM offers.offer), "
          + "(SELECT count(*) FROM offers.account), (SELECT count(*) FROM offers.image_cache)",
        as: "postgres") == "0|0|1|0")
    #expect(try await made.run("SELECT count(*) FROM public.favorite") == "\(stores.count)")
    for store in stores { try await store.close() }
  }

  @Test("a new database is made beside such a schema, and in one of the program's own role")
  func createsTables() async throws {
    let name = "mallory_\(UInt32.random(in: 0 ... .max))"
    let made = try await Self.database(with: name)
    try await made.run("CREATE SCHEMA offers", as: name)
    try await made.run("GRANT ALL ON SCHEMA offers TO offers", as: name)
    try await OffersDatabase.open(url: made.url(by: .pooler)).close()
    #expect(try await made.run("SELECT to_regclass('public.offer') IS NOT NULL") == "t")
    let other = try await TestCluster.shared.value.makeDatabase()
    try await other.run("CREATE SCHEMA offers")
    for route in Self.routes { try await OffersDatabase.open(url: other.url(by: route)).close() }
    #expect(
      try await other.run(
        "SELECT to_regclass('public.offer') IS NULL, to_regclass('offers.offer') IS NOT NULL")
        == "t|t")
  }

  @Test(
    "a table of the program that belongs to another role is refused by its name",
    arguments: ["schema_migration", "session", "favorite"])
  func refusesTables(table: String) async throws {
    let name = "mallory_\(UInt32.random(in: 0 ... .max))"
    let made = try await Self.database(with: name)
    for isMade in [false, true] {
      if isMade {
        try await made.run("DROP TABLE public.\(table)", as: "postgres")
        try await OffersDatabase.open(url: made.url()).close()
      } else {
        try await made.run("CREATE TABLE public.\(table) (number BIGINT)", as: "postgres")
      }
      try await made.run("ALTER TABLE public.\(table) OWNER TO \(name)", as: "postgres")
      for access in [OffersDatabase.Access.readOnly, .readWrite] {
        for route in Self.routes {
          let error = await #expect(throws: OffersError.self) {
            try await OffersDatabase.open(url: made.url(by: route), access: access)
          }
          #expect(error?.code == .storageFailed)
          #expect(error?.message.contains("The table \(table) ") == true)
          #expect(error?.message.contains(name) == true)
        }
      }
    }
  }
}
