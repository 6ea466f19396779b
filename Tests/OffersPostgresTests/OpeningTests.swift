import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import PostgreSQLMigrations
import Testing

@testable import OffersPostgres

@Suite("Opening a PostgreSQL database", .timeLimit(.minutes(2)))
struct OpeningTests {
  private static func refusal(_ url: String) async -> OffersError? {
    await #expect(throws: OffersError.self) { _ = try await OffersDatabase.open(url: url) }
  }

  /// All texts of an error.
  private static func all(_ error: OffersError?) -> String {
    [error?.message, error?.hint?.text, error?.cause].compactMap(\.self).joined(separator: " ")
  }

  @Test("it is reached by the server's socket, by loopback and through a pooler")
  func routes() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    for route in [.socket, .loopback(password: "secret"), .pooler] as [TestCluster.Route] {
      let store = try await OffersDatabase.open(url: made.url(by: route))
      #expect(try await store.fetchUsers().map(\.name) == ["owner"])
      try await store.close()
    }
  }

  @Test("an address without an answer is named with the advice to check it")
  func unknownHost() async throws {
    let error = await Self.refusal("postgres://ana:hidden@127.0.0.1:1/offers")
    #expect(error?.code == .storeUnreachable)
    #expect(error?.message.contains("database offers on 127.0.0.1:1 cannot be reached") == true)
    #expect(error?.hint?.text.contains("Check the address") == true)
    #expect(!Self.all(error).contains("hidden"))
  }

  @Test("a wrong password is refused and not printed")
  func wrongPassword() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let error = await Self.refusal(made.url(by: .loopback(password: "hidden")))
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("refused the user or the password") == true)
    #expect(!Self.all(error).contains("hidden"))
  }

  @Test("a missing database is refused", arguments: [false, true])
  func missingDatabase(isPooled: Bool) async throws {
    let cluster = try await TestCluster.shared.value
    let error = await Self.refusal(cluster.url(of: "nothing", by: isPooled ? .pooler : .socket))
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("nothing") == true)
  }

  @Test(
    "an invalid URL is refused, and no part of it is repeated",
    arguments: [
      "postgres://u:hid%zzden@host/db", "postgres://[::1:5432/hidden", "postgres://h/db?hidden=1",
      "postgres://host:port\0/hidden", "postgres:offers:hidden@host/db",
      "POSTGRES://u:hidden@host/db",
      "host=127.0.0.1 password=hidden dbname=o", "dbname = hidden", "postgres//u:hidden@host/db",
      "postgresql//u:hidden@host/db", "postgres:/u:hidden@host/db", "postgres:u:hidden@host/db",
      "Postgres//u:hidden@host", " postgres://u:hidden@host/db", "postgres;//u:hidden@host/db",
      "postgres/u:hidden@host/db", "u:hidden@host/db",
      "//u:hidden@host:5432/db", "pg:u:hidden@host/db",
      "db.example?user=o&password=hidden", "db.example/o?password=hidden", "db.example:5432/hidden",
      "//db.example/hidden", "o@db.example/hidden", "/run/postgresql?user=o&password=hidden",
      "db.example;sslpassword=hidden",
    ])
  func invalidURL(url: String) async throws {
    let error = await Self.refusal(url)
    #expect(error?.code == .invalidRequest)
    #expect(!Self.all(error).contains("hid"))
    #expect(PostgresPlace.isConnectionString(url))
  }

  @Test(
    "a path is not taken for a connection string",
    arguments: [
      "offers.sqlite", "/a=b/c", "./host=1", "postgres.sqlite", "file:a", "support = 1",
      "postgres/offers.sqlite", "./u:a@b", "/u:a@b", "ana@home.sqlite",
      "./db.example?user=o", "file:x?mode=memory&cache=shared", "//tmp/x.sqlite", "a:b",
      "12:30.sqlite",
    ])
  func path(text: String) {
    #expect(!PostgresPlace.isConnectionString(text))
  }

  @Test("a URL as an argument of a shell command has all parts but passwords")
  func shellArgument() throws {
    let url = try DatabaseURL(
      "postgres://a%20b:hidden@db1:1,db2:2/o?sslmode=verify-full&sslpassword=hidden&sslrootcert=/a'b"
    )
    #expect(
      url.shellArgument
        == "'postgres://a%20b@db1:1,db2:2/o?sslmode=verify-full&sslrootcert=%2Fa%27b'")
    #expect(try DatabaseURL("postgres://ana@db/o").shellArgument == "postgres://ana@db/o")
  }

  @Test(
    "hosts beyond this machine are told from others, unless it is checked who answers",
    arguments: [
      ("postgres://ana@db.example/o", ["db.example"]),
      ("postgres://ana@db.example/o?sslmode=require", ["db.example"]),
      ("postgres://ana@db.example/o?sslmode=verify-ca", ["db.example"]),
      ("postgres://ana@a.example,127.0.0.1,10.0.0.7/o", ["a.example", "10.0.0.7"]),
      ("postgres://ana@db.example/o?sslmode=verify-full", []),
      ("postgres://ana@127.evil.example/o", ["127.evil.example"]),
      ("postgres:///o?hostaddr=203.0.113.5", ["203.0.113.5"]),
      ("postgres://ana@localhost,127.1.2.3/o", []), ("postgres://ana@[::1]/o", []),
      ("postgres:///o?host=/run/postgresql", []), ("postgres:///o", []),
    ])
  func unprotected(url: String, hosts: [String]) throws {
    #expect(try DatabaseURL(url).unprotectedHosts { _ in nil } == hosts)
  }

  @Test("the environment of libpq names the host and the checks that a URL leaves out")
  func unprotectedByEnvironment() throws {
    let url = try DatabaseURL("postgres:///o")
    #expect(url.unprotectedHosts { $0 == "PGHOST" ? "db.example" : nil } == ["db.example"])
    #expect(
      url.unprotectedHosts { ["PGHOST": "db.example", "PGSSLMODE": "verify-full"][$0] } == [])
    #expect(
      try PostgresPlace(url: "postgres://db.example/o?sslmode=prefer").findings.map(\.level)
        == [.warning])
  }

  @Test("limits of connections and missing rights are told from a wrong password or database")
  func limits() async throws {
    let cluster = try await TestCluster.shared.value
    let made = try await cluster.makeDatabase()
    try await cluster.run("CREATE ROLE many LOGIN CONNECTION LIMIT 0", as: "postgres")
    let url = made.url().replacing("offers@", with: "many@")
    let many = await Self.refusal(url)
    #expect(many?.code == .storeUnreachable)
    #expect(many?.message.contains("accepts no more connections") == true)
    try await cluster.run("ALTER ROLE many CONNECTION LIMIT -1", as: "postgres")
    try await cluster.run("REVOKE CONNECT ON DATABASE \(made.name) FROM PUBLIC", as: "postgres")
    let forbidden = await Self.refusal(url)
    #expect(forbidden?.message.contains("The user may not do this") == true)
    try await cluster.run(
      "ALTER DATABASE \(made.name) ALLOW_CONNECTIONS false", as: "postgres")
    let closed = await Self.refusal(made.url())
    #expect(closed?.message.contains("is not currently accepting connections") == true)
    #expect(closed?.code == .storeUnreachable)
  }

  @Test("a database that is read-only is not ready")
  func readOnly() async throws {
    let cluster = try await TestCluster.shared.value
    let made = try await cluster.makeDatabase()
    let store = try await OffersDatabase.open(url: made.url())
    try await store.checkReadiness()
    try await cluster.run(
      "ALTER DATABASE \(made.name) SET default_transaction_read_only = on", as: "postgres")
    let other = try await OffersDatabase.open(
      url: made.url() + "?target_session_attrs=any", access: .readOnly)
    let error = await #expect(throws: OffersError.self) { try await other.checkReadiness() }
    #expect(error?.message.hasSuffix("is read-only.") == true)
    let refused = await Self.refusal(made.url())
    #expect(refused?.code == .storeUnreachable)
    #expect(refused?.hint?.text.contains("target_session_attrs=any") == true)
  }

  @Test(
    "messages name the hosts and the database of a URL, never its password",
    arguments: [
      (
        "postgres://ana:hidden@a.example:1,b.example:2/shop?sslmode=require",
        "the PostgreSQL database shop on a.example:1,b.example:2"
      ),
      (
        "postgresql:///shop?host=/run/postgresql&password=hidden",
        "the PostgreSQL database shop on /run/postgresql"
      ),
      ("postgres://", "the PostgreSQL database"),
    ])
  func describes(url: String, description: String) throws {
    #expect(try DatabaseURL(url).description == description)
  }

  @Test("a database that is not in UTF-8 is refused")
  func otherEncoding() async throws {
    let cluster = try await TestCluster.shared.value
    try await cluster.run(
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0 OWNER offers",
      as: "postgres")
    let error = await Self.refusal(cluster.url(of: "latin"))
    #expect(error?.message.contains("LATIN1") == true && error?.hint?.text.contains("UTF8") == true)
  }

  @Test("programs that open an empty database at the same time migrate it once")
  func migratesOnce() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    try await withThrowingTaskGroup { group in
      for _ in 1...6 {
        group.addTask { _ = try await OffersDatabase.open(url: made.url()).fetchUsers() }
      }
      try await group.waitForAll()
    }
    let count = try await made.run("SELECT count(*) FROM schema_migration")
    #expect(count == "\(PostgreSQLMigrations.all.count)")
  }

  private static let lastNumber = PostgreSQLMigrations.all.last?.number ?? 0

  /// Migrates a database as a later version of the program does.
  private static func migrate(
    _ made: TestDatabase, by further: [(sql: String, isExpanding: Bool)]
  ) async throws {
    let added = further.enumerated().map { index, migration in
      PostgreSQLMigration(
        number: Self.lastNumber + index + 1, name: "later_\(index)",
        isExpanding: migration.isExpanding, sql: migration.sql)
    }
    let database = Database(try DatabaseURL(made.url()))
    try await PostgresSchema(PostgreSQLMigrations.all + added).migrate(database)
    database.close()
  }

  @Test("a schema that is one expanding migration ahead is served")
  func servesTheNextSchema() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let before = try await OffersDatabase.open(url: made.url())
    try await Self.migrate(made, by: [("ALTER TABLE offer ADD note TEXT", true)])
    let after = try await OffersDatabase.open(url: made.url())
    for store in [before, after] {
      try await store.sync([FeedOffer("1", name: "Tea"), FeedOffer("2")])
      _ = try await store.setFavorites(named: ["1"], to: true)
      #expect(try await store.fetchOffer(named: "1").isFavorite)
    }
  }

  @Test("a schema that is further ahead, or by a migration that is not expanding, is refused")
  func refusesNewerSchemas() async throws {
    for further in [[("SELECT 1", false)], [("SELECT 1", true), ("SELECT 1", true)]] {
      let made = try await TestCluster.shared.value.makeDatabase()
      try await Self.migrate(made, by: further)
      let error = await Self.refusal(made.url())
      #expect(error?.code == .newerDatabase)
      #expect(
        error?.message.contains("schema \(Self.lastNumber + further.count)") == true)
    }
  }

  @Test("a database that a newer program migrates while it is open is refused from then on")
  func refusesMigrated() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let store = try await OffersDatabase.open(url: made.url())
    try await Self.migrate(
      made, by: [("ALTER TABLE favorite RENAME TO star", false)])
    let refused = await [
      #expect(throws: OffersError.self) { try await store.fetchOffers(OfferQuery()) },
      #expect(throws: OffersError.self) {
        try await store.setFavorites(named: ["tea:1"], to: true)
      },
      #expect(throws: OffersError.self) { try await store.checkReadiness() },
    ]
    #expect(refused.map { $0?.code } == [.newerDatabase, .newerDatabase, .newerDatabase])
    try await store.close()
  }

  @Test("a migration that fails leaves nothing behind")
  func migratesWhole() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    await #expect(throws: OffersError.self) {
      try await Self.migrate(made, by: [("CREATE TABLE half (a INT); SELECT nonsense", true)])
    }
    #expect(try await made.run("SELECT to_regclass('half'), to_regclass('offer')") == "|")
  }
}
