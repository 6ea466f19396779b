import OffersCore
import OffersSQLite

/// The stores that the program knows. No other file of the command line names one by its type: all
/// others work with the protocols of `OffersCore`.
enum StoreLocation {
  /// The place of the store that a text names: the path of a file. A store on a server is added here,
  /// for a text that begins with `postgres://` or `postgresql://`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that names no store, such as any URL. The
  ///   message does not repeat the text, because a URL may contain a password.
  static func place(named text: String) throws -> any StorePlace {
    try SQLiteFile(path: text)
  }

  /// The libraries of the stores, which the dynamic linker loads.
  static var engines: [StoreEngine] { [OffersDatabase.engine] }
}
