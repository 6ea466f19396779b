import GRDB
import GRDBSQLite
import OffersCore
import SQLiteShim

extension Configuration {
  /// The busy timeout of a connection, in seconds.
  static let busySeconds = 20.0
  /// The page size of new files. Larger pages than SQLite's default make a large import cheaper.
  static let pageBytes = 8192

  /// The settings of every connection that writes.
  ///
  /// Automatic checkpoints are off, because every checkpoint must hold the write guard.
  /// `secure_delete=FAST` overwrites deleted content only where that causes no additional I/O.
  private static let writingSettings = """
    PRAGMA foreign_keys = ON;
    PRAGMA page_size = \(pageBytes);
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = \(journalLimitBytes);
    PRAGMA secure_delete = FAST;
    PRAGMA cache_size = -\(cacheKibibytes);

    """
  private static let journalLimitBytes = 4 << 20
  private static let cacheKibibytes = 8192

  /// The settings that every connection needs to read the tables of a file that is not trusted.
  static var untrustedFile: Configuration {
    var configuration = Configuration()
    // `writingSettings` enables foreign keys: one call for all settings is faster than GRDB's own
    // statement.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      if SQLiteLibrary.canDistrustSchema {
        _ = offers_distrust_schema(database.sqliteConnection)
      }
      SearchFunctions.install(on: database.sqliteConnection)
    }
    return configuration
  }

  /// The configuration of a connection to a database.
  ///
  /// The file may come from somebody else. So its schema is not trusted, where the loaded SQLite
  /// allows that, and the connection is defensive: no SQL statement can damage the file.
  /// https://sqlite.org/security.html
  ///
  /// - Parameters:
  ///   - isReadOnly: whether the connection only reads, and needs no settings of a writer.
  ///   - isSalvage: whether to open a damaged file: with `writable_schema`, SQLite also opens a
  ///     truncated file and one with an unreadable schema. Such a connection is not defensive, but
  ///     nothing is written to the file.
  static func offers(isReadOnly: Bool, isSalvage: Bool = false) -> Configuration {
    var configuration = Self.untrustedFile
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(busySeconds)
    configuration.label = "offers"
    configuration.prepareDatabase { database in
      _ = offers_disable_checkpoint_on_close(database.sqliteConnection)
      if !isSalvage { _ = offers_set_defensive(database.sqliteConnection, 1) }
      if isSalvage { try database.execute(sql: "PRAGMA writable_schema = ON") }
      if database.configuration.readonly { return }
      let code = sqlite3_exec(database.sqliteConnection, writingSettings, nil, nil, nil)
      if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    return configuration
  }
}

extension Database {
  /// Runs `body` while statements may change the schema table and the tables behind a virtual table,
  /// as the repair of the search index does.
  func withoutDefense<Result>(_ body: () throws -> Result) rethrows -> Result {
    _ = offers_set_defensive(sqliteConnection, 0)
    defer { _ = offers_set_defensive(sqliteConnection, 1) }
    return try body()
  }
}

/// The SQLite library that the dynamic linker loaded.
package enum SQLiteLibrary {
  /// The oldest usable version: `IS DISTINCT FROM` came with 3.39.0.
  /// https://sqlite.org/releaselog/3_39_0.html
  static let minimumNumber: Int32 = 3_039_000

  /// The library's version, such as `3.40.1`.
  static var version: String { String(cString: sqlite3_libversion()) }

  /// The library's version as one number, such as 3040001. https://sqlite.org/c3ref/libversion.html
  static var number: Int32 { sqlite3_libversion_number() }

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
      hint: Hint(
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

  static let resetBugHint: Hint =
    "Write to the database with no other program, or install SQLite 3.51.3 or a newer one"

  /// The warning about a version with the WAL-reset bug; nil for one without it.
  static func resetBugWarning(number: Int32 = number, version: String = version) -> String? {
    guard hasResetBug(number: number) else { return nil }
    return "SQLite \(version) has the WAL-reset bug: while offers writes, another SQLite program "
      + "that writes to the database or checkpoints it can lose a favorite; offers processes cannot"
  }
}
