import GRDBSQLite
import OffersCore

/// The SQLite library that the dynamic linker loaded.
enum SQLiteLibrary {
  /// The oldest usable version: `unixepoch()` came with 3.38.0, STRICT tables with 3.37.0.
  /// https://sqlite.org/releaselog/3_38_0.html
  static let minimumNumber: Int32 = 3_038_000

  /// The library's version, such as `3.40.1`.
  static var version: String { String(cString: sqlite3_libversion()) }

  /// The library's version as one number, such as 3040001. https://sqlite.org/c3ref/libversion.html
  static var number: Int32 { sqlite3_libversion_number() }

  /// Refuses a library that is too old, before any file is opened.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(number: Int32 = number, version: String = version) throws {
    if number >= minimumNumber { return }
    throw OffersError(
      .storageFailed,
      "The SQLite library that is loaded is \(version); at least 3.38.0 is needed.",
      advice: Advice("No database was touched. Update the system's SQLite", .updateSQLite))
  }
}
