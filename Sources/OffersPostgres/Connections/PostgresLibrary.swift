import OffersCore
import PostgresShim

/// The functions of libpq, the client library of PostgreSQL.
///
/// The library is loaded when the first database is opened by a `postgres://` URL, and never linked:
/// programs start without it, and who keeps to SQLite does not need it.
struct PostgresLibrary: Sendable {
  let functions: offers_libpq

  private static let loaded = SharedLibrary.open("libpq", package: "libpq5") {
    offers_libpq_open(&$0)
  }

  /// Loads the library on the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  static func load() throws -> PostgresLibrary { PostgresLibrary(functions: try loaded.get()) }
}
