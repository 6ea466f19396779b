import OffersCore
import OffersPostgres
import OffersSQLite

/// The stores that the program knows. No other file of the command line names one by its type: all
/// others work with the protocols of `OffersCore`.
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

  /// Sets up the libraries of the stores, before any is opened.
  static func prepareEngines() { SQLiteLibrary.disableMemoryStatistics() }

  /// The libraries of the stores, with their versions. libpq is among them only if it is installed.
  static var engines: [StoreEngine] {
    [OffersDatabase.engine] + [PostgresStore.library].compactMap(\.self)
  }
}
