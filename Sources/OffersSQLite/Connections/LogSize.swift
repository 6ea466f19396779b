import GRDB
import GRDBSQLite
import Synchronization

/// The size of the write-ahead log after a connection's last commit, known without asking the file
/// system.
final class LogSize: Sendable {
  private let pageCount = Atomic<Int32>(0)

  var bytes: Int { Int(pageCount.load(ordering: .relaxed)) * Configuration.pageBytes }

  /// Installs a WAL hook, which must not outlive this object.
  /// https://sqlite.org/c3ref/wal_hook.html
  func watch(_ database: Database) {
    let hook:
      @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32)
        -> Int32 = { size, _, _, pageCount in
          guard let size else { return SQLITE_OK }
          Unmanaged<LogSize>.fromOpaque(size).takeUnretainedValue()
            .pageCount.store(pageCount, ordering: .relaxed)
          return SQLITE_OK
        }
    _ = sqlite3_wal_hook(database.sqliteConnection, hook, Unmanaged.passUnretained(self).toOpaque())
  }
}
