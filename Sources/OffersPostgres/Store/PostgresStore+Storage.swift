import OffersCore

extension PostgresStore: OffersStorage {
  package var place: String { database.url.name }

  package var engine: StoreEngine {
    StoreEngine(
      key: "postgresql", name: "PostgreSQL", version: serverVersion,
      remark: Self.library.map { "by libpq \($0.version)" })
  }

  /// None: a server is cared for by its own tools.
  package var maintenance: (any StoreMaintenance)? { nil }

  /// The loaded client library; nil if it is not installed.
  package static var library: StoreEngine? {
    // Who keeps to SQLite need not have it.
    guard let library = try? PostgresLibrary.load() else { return nil }
    let number = Int(library.functions.PQlibVersion())
    return StoreEngine(
      key: "libpq", name: "libpq", version: "\(number / 10_000).\(number % 10_000)")
  }
}

extension PostgresStore: StoreReadiness {
  package func checkReadiness() async throws {
    try await Schema().check(database)
    let isReadOnly = try await database.readOnce { connection in
      try connection.rows(
        "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"
      ).first?.flag(0) ?? false
    }
    if isReadOnly {
      throw OffersError(.storageFailed, "\(database.url.capitalized) is read-only.")
    }
  }
}
