import GRDB
import GRDBSQLite
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
  static var offersTables: Configuration {
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
    var configuration = Self.offersTables
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
