import Foundation
import OffersCore
import OffersPostgres
import OffersSQLite
import OffersStore

/// The stores that the program knows. No other file of the command line names an engine: all others work
/// with `OffersDatabase`.
enum StoreLocation {
  /// The place of the store that a text names: a `postgres://` URL, or else the path of a file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that names no store, such as any other
  ///   URL; `storageFailed` for a `postgres://` URL if libpq is not installed. No message repeats the
  ///   text, because a URL may contain a password.
  static func place(named text: String) throws -> any StorePlace {
    if PostgresPlace.isConnectionString(text) { return try PostgresPlace(url: text) }
    do {
      return try SQLitePlace(path: text)
    } catch let error as OffersError {
      throw OffersError(
        error.code, error.message,
        hint: "Name a file with --database or OFFERS_DATABASE, such as ./offers.sqlite, or a "
          + "PostgreSQL database by its postgres:// URL.")
    }
  }

  /// Opens a database for a trial without one: it has what a new database has, and is gone when it is
  /// released.
  static func inMemory() async throws -> OffersDatabase {
    let database = try await OffersDatabase.inMemory(definitions: nil)
    try await database.transaction(.write) { try FeedTable.propose(at: Date(), in: $0) }
    return database
  }

  /// The libraries of the stores, with their versions. libpq is among them only if it is installed.
  static var engines: [StoreSoftware] {
    [SQLiteEngine.software] + [PostgresEngine.library].compactMap(\.self)
  }
}
