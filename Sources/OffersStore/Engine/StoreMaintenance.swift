import Foundation
import OffersCore

/// The care of an open store that is a file.
package protocol StoreMaintenance: Sendable {
  /// The size of the file and of its write-ahead log, in bytes.
  var sizeBytes: Int { get }

  /// The share of free space in the file above which pruning rewrites the file without it.
  var compactedShare: Double { get }

  /// The parts of the schema that this program did not create, as the store was opened for writing.
  /// They can change or remove what this program stores.
  var foreignSchema: [String] { get }

  /// The sizes of the parts of the store.
  func fetchSizes() async throws -> StoreSizes

  /// A file of the same kind at another path.
  func file(at path: String) -> any StoreFile

  /// Classifies the file at a path, to which a copy is to be written.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the disk or the system does not let it be read.
  func backupTarget(_ path: String) throws -> BackupTargetKind

  /// Copies a consistent snapshot of the store into a file and checks the copy.
  ///
  /// - Parameter path: an empty file that no other process uses. When this returns, it holds the
  ///   complete copy.
  /// - Throws: `OffersError` with `storageFailed` if the store is damaged or the disk is full.
  func backUp(to path: String) async throws

  /// Runs all checks of the contents. An error in one is reported as a problem.
  func examine() async -> [Finding]

  /// Checks how writers take turns, and lists those who write or sync one of the feeds just now.
  func examineTurns(of feeds: [String]) -> [Finding]

  /// Repairs derived data. No offer, favorite or named source is changed. Damage that cannot be
  /// repaired is left unchanged.
  func repair() async -> [Repair]
}

/// The sizes of the parts of a store that is a file, in bytes.
package struct StoreSizes: Hashable, Sendable {
  package let file: Int
  /// The size of the log of the last writes, which stands beside the file.
  package let log: Int
  /// The free space within the file.
  package let free: Int
  package let images: Int

  package init(file: Int, log: Int, free: Int, images: Int) {
    self.file = file
    self.log = log
    self.free = free
    self.images = images
  }
}

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
