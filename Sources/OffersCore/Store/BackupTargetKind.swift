/// The kind of file at the target path of a backup.
package enum BackupTargetKind: Sendable {
  case free
  /// A database of this program without log, journal or lock file, such as an older backup.
  case backup
  /// The database itself, or a companion file of a database.
  case database
  /// A file with a log or journal beside it, which would be applied to the copy.
  case logged
  /// Another database of this program or an empty file, with a lock file beside it: a process may
  /// use it.
  case lockable
  /// Any other file.
  case other

  /// Whether the file is a database of this program, belongs to one, or is any database in use.
  package var isDatabase: Bool { self != .free && self != .other }

  /// The message of the error for a file that a backup does not replace by itself; nil for one
  /// that it may replace.
  package func refusal(of path: String) -> String? {
    switch self {
    case .free, .backup: nil
    case .other: "\(path) exists and is not a backup of offers. It was left untouched."
    case .lockable: "\(path) is another database of offers. It was left untouched."
    case .database: "\(path) is the database itself, or a file that belongs to one."
    case .logged: "\(path) is a database in use: its write-ahead log has the newest writes."
    }
  }
}
