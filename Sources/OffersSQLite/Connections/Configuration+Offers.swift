import GRDB
import GRDBSQLite
import SQLiteShim

extension Configuration {
  /// How long a connection waits for another program that has the file to itself.
  static let busySeconds = 20.0
  /// Pages of 8 KiB make a large import a fifth cheaper. Only a new file takes the size.
  static let pageBytes = 8192

  /// The settings of every connection that writes.
  ///
  /// Checkpoints are ours alone, under the guard. FAST overwrites what is deleted only where the page
  /// is written anyway.
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

  /// How connections of ours are set up.
  ///
  /// - Parameter isSalvage: whether to look beyond what is damaged: SQLite then opens a file that was
  ///   cut short, and one some of whose tables it does not know. Nothing is written by it.
  static func offers(isReadOnly: Bool, isSalvage: Bool = false) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // It is on all the same: by GRDB it would cost as much as all settings below.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(busySeconds)
    configuration.label = "offers"
    configuration.prepareDatabase { database in
      _ = offers_disable_checkpoint_on_close(database.sqliteConnection)
      NaturalCollation.install(on: database.sqliteConnection)
      if isSalvage { try database.execute(sql: "PRAGMA writable_schema = ON") }
      if database.configuration.readonly { return }
      let code = sqlite3_exec(database.sqliteConnection, writingSettings, nil, nil, nil)
      if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    return configuration
  }
}
