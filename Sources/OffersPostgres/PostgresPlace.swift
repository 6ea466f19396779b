import Foundation
import OffersCore
import OffersStore

/// The place of a store in a PostgreSQL database, by its URL.
package struct PostgresPlace: StorePlace {
  private let url: DatabaseURL

  /// - Parameter text: a `postgres://` or `postgresql://` URL, in any of the forms that libpq accepts.
  /// - Throws: `OffersError`: `invalidRequest` for another text, which is not repeated; `storageFailed`
  ///   without libpq.
  package init(url text: String) throws { url = try DatabaseURL(text) }

  /// Whether a text is a connection string of libpq, valid or not, rather than a path.
  package static func isConnectionString(_ text: String) -> Bool {
    DatabaseURL.isConnectionString(text)
  }

  package var name: String { url.name }

  package var medium: StoreMedium {
    .server { [url] in Self.tools(for: $0, of: url.shellArgument) }
  }

  /// Only a connection could tell.
  package var exists: Bool { true }

  package var missing: OffersError { PostgresSchema.missing(url) }

  package var temporaryFolder: String { NSTemporaryDirectory() }

  package var findings: [Finding] {
    url.unprotectedHosts().map { host in
      Finding(
        .warning, "encryption",
        "without sslmode=verify-full, who answers for \(host), or listens on the way, can get the password and "
          + "all data",
        hint:
          "Add ?sslmode=verify-full to the URL, and sslrootcert=FILE unless the authority is known")
    }
  }

  package func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase {
    OffersDatabase(try await PostgresEngine.open(url, access: access, proposesFeed: true))
  }

  package func openExisting(_ access: OffersDatabase.Access) async throws -> OffersDatabase? {
    do {
      return OffersDatabase(
        try await PostgresEngine.open(
          url, access: access, proposesFeed: true, createsSchema: false))
    } catch let error as OffersError where error.code == .notFound {
      return nil
    }
  }

  /// Other sessions of this program are known by the name that they give the server. A pooler keeps some of
  /// them open for a while after their program has ended.
  package func requireUnused() async throws {
    let database = Database(url, access: .readOnly)
    defer { database.close() }
    var count: Int64 = 0
    // The server sees the end of a program a moment after it.
    for _ in 0..<20 {
      count = try await database.readOnce { connection in
        try connection.rows(
          """
          SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND application_name IN ('offers', current_setting('application_name'))
            AND application_name <> ''
          """
        ).first?.number(0) ?? 0
      }
      if count == 0 { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw OffersError(
      .locked,
      "The database \(name) is open in other programs (\(Units.count(Int(count), "connection"))).",
      hint: "End the programs that use it, then try again. Nothing was changed. A pooler keeps "
        + "connections open for a while.")
  }

  package func noteImageUse(of url: String) async throws {
    let store = try await open(.readWrite)
    _ = store.imageUses.note(url, isAsked: true)
    try await store.close()
  }

  private static func tools(for work: StoreFileOperation, of url: String) -> Hint {
    switch work {
    case .backup:
      Hint(
        "Back it up with pg_dump, such as: pg_dump --format=custom --file=offers.dump \(url)")
    case .restoration:
      Hint(
        "Restore a dump into an empty database with pg_restore, such as: "
          + "pg_restore --dbname=\(url) offers.dump (or psql for a dump in plain SQL).")
    case .examination:
      Hint(
        "Check its tables and indexes with pg_amcheck \(url), and look into the server's log.")
    case .repair:
      Hint(
        "Rebuild its indexes with reindexdb \(url). Damaged tables are restored from a backup with "
          + "pg_restore.")
    }
  }
}

extension OffersDatabase {
  /// Opens a database on a server, bound to its owner, and brings its schema up to date. An empty database
  /// gets one.
  ///
  /// - Parameters:
  ///   - url: the URL of the database.
  ///   - access: the operations that are wanted.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`, with its built-in
  ///     sample.
  ///   - definitions: the definitions of feeds.
  /// - Throws: `OffersError`: `invalidRequest` for an invalid URL, `newerDatabase` for a schema that
  ///   this program cannot serve, `storeUnreachable` if the database cannot be reached.
  package static func open(
    url: String, access: Access = .readWrite, proposesFeed: Bool = false,
    definitions: (any FeedDefinitions)? = nil
  ) async throws -> OffersDatabase {
    OffersDatabase(
      try await PostgresEngine.open(
        DatabaseURL(url), access: access, proposesFeed: proposesFeed),
      definitions: definitions)
  }
}
