import GRDBSQLite
import OffersCore
import SQLiteShim

/// The SQLite library that the dynamic linker loaded.
package enum SQLiteLibrary {
  /// The oldest usable version: `IS DISTINCT FROM` came with 3.39.0.
  /// https://sqlite.org/releaselog/3_39_0.html
  static let minimumNumber: Int32 = 3_039_000

  /// The library's version, such as `3.40.1`.
  static var version: String { String(cString: sqlite3_libversion()) }

  /// The library's version as one number, such as 3040001. https://sqlite.org/c3ref/libversion.html
  static var number: Int32 { sqlite3_libversion_number() }

  /// Keeps SQLite from counting the memory that it allocates, for which all threads of the process take one
  /// lock: an import of 100,000 offers takes 6 % less CPU time. It has an effect before the first database is
  /// opened only, and is for a program of ours: another one may want these numbers.
  package static func disableMemoryStatistics() { _ = offers_disable_memory_statistics() }

  /// Whether the schema of this program works without being trusted: it uses JSON functions, which
  /// some versions take for unsafe, among them 3.40.1.
  static let canDistrustSchema = offers_can_distrust_schema() == 1

  /// Refuses a library that is too old, before any file is opened.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(number: Int32 = number, version: String = version) throws {
    if number >= minimumNumber { return }
    throw OffersError(
      .storageFailed,
      "The SQLite library that is loaded is \(version); at least 3.39.0 is needed.",
      advice: Hint(
        "No database was touched. Update the system's SQLite, on Debian by its package.",
        command: "apt-get install libsqlite3-0"))
  }

  /// Whether a version has the WAL-reset bug: a commit that races with a checkpoint of another
  /// process can be lost although it was acknowledged. It is fixed in 3.51.3, and in 3.50.7 and
  /// 3.44.6 for these branches. https://sqlite.org/wal.html#walresetbug
  static func hasResetBug(number: Int32 = number) -> Bool {
    number < 3_051_003 && !(3_050_007..<3_051_000).contains(number)
      && !(3_044_006..<3_045_000).contains(number)
  }

  static let resetBugAdvice: Hint =
    "Write to the database with no other program, or install SQLite 3.51.3 or a newer one"

  /// The warning about a version with the WAL-reset bug; nil for one without it.
  static func resetBugWarning(number: Int32 = number, version: String = version) -> String? {
    guard hasResetBug(number: number) else { return nil }
    return "SQLite \(version) has the WAL-reset bug: while offers writes, another SQLite program "
      + "that writes to the database or checkpoints it can lose a favorite; offers processes cannot"
  }
}
