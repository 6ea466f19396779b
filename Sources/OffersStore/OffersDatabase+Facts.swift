import Foundation
import GRDBSQLite

extension OffersDatabase {
  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Whether there is a file at a path, whatever it holds.
  public static func exists(at path: String) -> Bool { DatabaseFile(path: path).exists }

  /// The size of the file and its log, in bytes.
  public var sizeBytes: Int {
    [path, path + "-wal"].reduce(0) { total, path in
      var information = stat()
      return stat(path, &information) == 0 ? total + Int(information.st_size) : total
    }
  }
}
