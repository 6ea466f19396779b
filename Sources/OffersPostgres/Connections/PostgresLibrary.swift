import OffersCore
import PostgresShim
import Synchronization

/// The functions of libpq, the client library of PostgreSQL.
///
/// The library is loaded when the first database is opened by a `postgres://` URL, and never linked:
/// programs start without it, and who keeps to SQLite does not need it.
struct PostgresLibrary: Sendable {
  /// The functions, which are never unloaded.
  let functions: offers_libpq

  private static let loading = Mutex<PostgresLibrary?>(nil)

  /// Loads the library on the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  static func load() throws -> PostgresLibrary {
    try loading.withLock { loaded in
      if let loaded { return loaded }
      var problem: UnsafePointer<CChar>?
      guard let functions = offers_libpq_load(&problem) else {
        throw OffersError(
          .storageFailed,
          "The client library of PostgreSQL, libpq, could not be loaded.",
          hint: "Install it: on Debian the package libpq5, on macOS libpq of Homebrew.",
          cause: problem.map { String(cString: $0) })
      }
      let library = PostgresLibrary(functions: functions.pointee)
      loaded = library
      return library
    }
  }
}
