import Foundation
import OffersCore
import OffersStore
import PostgreSQLMigrations

/// The schema of the database, and its migrations.
///
/// The table `schema_migration` has a row for each migration that was run, so that a program knows of
/// those that are newer than itself only their numbers and whether they are expanding. It serves a
/// schema that is one expanding migration ahead: while the nodes of a service are replaced one after
/// another, the first of the new version migrates the database, and the others of the old version go
/// on.
///
/// A database that is older than the first migration is refused.
struct PostgresSchema {
  private let migrations: [PostgreSQLMigration]

  init(_ migrations: [PostgreSQLMigration] = PostgreSQLMigrations.all) {
    self.migrations = migrations
  }

  /// The names of the tables that the program makes.
  private static let tables =
    ["schema_migration"]
    + PostgreSQLMigrations.all.flatMap { migration in
      migration.sql.matches(of: /CREATE TABLE (\w+)/).map { String($0.1) }
    }

  /// The version that this program reads and writes.
  private var currentVersion: Int { migrations.last?.number ?? 0 }

  /// The state of a database's schema.
  private enum State {
    case current
    /// Lacks migrations: all of them at version 0, which is that of a database without a schema.
    case older(version: Int)
    /// Older than the first migration.
    case tooOld
    case newer(version: Int)
  }

  /// Brings the schema up to date.
  ///
  /// - Throws: `OffersError`: `newerDatabase` if it is newer than this program can serve, `storageFailed` if
  ///   it is too old to be migrated, or if a table belongs to another role (`TrustedOwner`).
  ///
  /// - Parameter proposesFeed: whether a new database is subscribed to `Feed.initialName`.
  func migrate(_ database: Database, proposesFeed: Bool = false) async throws {
    // One statement in the usual case, which takes no lock.
    let schema = self
    let url = database.url
    let state = try await database.read { try schema.findState($0, url) }
    if try check(state, url) { return }
    let reached = try await database.write { connection in
      try schema.run(proposesFeed: proposesFeed, in: connection, url)
    }
    _ = try check(reached, url)
  }

  /// Refuses a database whose schema cannot be read as it is.
  ///
  /// - Throws: `OffersError`: `notFound` if it has none, `newerDatabase` if it is newer than this program
  ///   can serve, `storageFailed` if it is older.
  func check(_ database: Database) async throws {
    let schema = self
    let (state, isThere) = try await database.read { [url = database.url] connection in
      (try schema.findState(connection, url), try Self.isThere(connection))
    }
    if try check(state, database.url) { return }
    if !isThere { throw Self.missing(database.url) }
    throw OffersError(
      .storageFailed, "\(database.url.capitalized) was written by an older version of the program.",
      hint: Hint("Bring it up to date with a sync.", command: "offers sync"))
  }

  /// Refuses a schema that is newer than this program can serve.
  ///
  /// - Throws: `OffersError`: `newerDatabase`, or `storageFailed` if it is too old to be migrated.
  func refuseNewer(in connection: Connection, _ url: DatabaseURL) throws {
    _ = try check(findState(connection, url), url)
  }

  /// Refuses a database without a schema.
  ///
  /// - Throws: `OffersError` with `notFound`.
  static func require(in database: Database) async throws {
    guard try await database.readOnce({ try isThere($0) }) else {
      throw Self.missing(database.url)
    }
  }

  /// The error about a database without a schema.
  static func missing(_ url: DatabaseURL) -> OffersError {
    OffersError(
      .notFound, "\(url.capitalized) has no offers yet.",
      hint: Hint("Make it ready with a sync.", command: "offers sync"))
  }

  private static func isThere(_ connection: Connection) throws -> Bool {
    let row = try connection.rows("SELECT to_regclass('schema_migration') IS NOT NULL").first
    return row?.flag(0) ?? false
  }

  /// Refuses a schema that this program can neither serve nor migrate.
  ///
  /// - Returns: whether nothing is to be done.
  private func check(_ state: State, _ url: DatabaseURL) throws -> Bool {
    switch state {
    case .current: return true
    case .older: return false
    case .tooOld: throw OlderDatabase.refusal(url.capitalized)
    case .newer(let version):
      throw OffersError(
        .newerDatabase,
        "\(url.capitalized) was written by a newer version of the program (schema \(version), "
          + "this program knows \(currentVersion)).",
        hint: "Install the newer version.")
    }
  }

  /// Runs the migrations that the database lacks. Other programs that start at the same time wait.
  private func run(
    proposesFeed: Bool, in connection: Connection, _ url: DatabaseURL
  ) throws -> State {
    try connection.run("SELECT pg_advisory_xact_lock($1)", [.number(Self.lock)])
    let state = try findState(connection, url)
    guard case .older(let version) = state else { return state }
    try connection.script(
      """
      CREATE TABLE IF NOT EXISTS schema_migration (
        number BIGINT PRIMARY KEY,
        name TEXT NOT NULL,
        is_expanding BOOLEAN NOT NULL,
        run_at TIMESTAMPTZ NOT NULL DEFAULT now()
      )
      """)
    for migration in migrations where migration.number > version {
      try connection.script(migration.sql)
      try record(migration, in: connection)
    }
    if migrations.contains(where: { $0.number > version && $0.changesWords }) {
      try SearchWordTable.remake(in: connection)
    }
    if proposesFeed, version == 0 {
      try FeedTable.propose(at: Date(), in: PostgresTransaction(connection))
    }
    return .current
  }

  private func record(_ migration: PostgreSQLMigration, in connection: Connection) throws {
    try connection.run(
      "INSERT INTO schema_migration (number, name, is_expanding) VALUES ($1, $2, $3)",
      [
        .number(Int64(migration.number)), .text(migration.name),
        Parameter(.flag(migration.isExpanding)),
      ])
  }

  /// How the schema of the database compares with the one that this program needs.
  ///
  /// - Throws: `OffersError` with `storageFailed` if a table belongs to another role.
  private func findState(_ connection: Connection, _ url: DatabaseURL) throws -> State {
    try TrustedOwner.check(Self.tables, in: connection, url)
    guard try Self.isThere(connection) else { return .older(version: 0) }
    let rows = try connection.rows(
      "SELECT number, is_expanding FROM schema_migration ORDER BY number DESC LIMIT 2")
    guard let last = rows.first else { return .older(version: 0) }
    let version = last.count(0)
    if version < PostgreSQLMigrations.firstNumber { return .tooOld }
    if version < currentVersion { return .older(version: version) }
    if version == currentVersion || version == currentVersion + 1 && last.flag(1) {
      return .current
    }
    return .newer(version: version)
  }

  /// The number of the advisory lock: “offers” in ASCII.
  private static let lock: Int64 = 0x6F66_6665_7273
}
