import Foundation
import GRDB
import OffersCore
import OffersPlatform
import OffersStore

extension OffersDatabase {
  /// The version of the SQLite library in use, such as `3.40.1`.
  package static var sqliteVersion: String { SQLiteLibrary.version }

  /// The warning about the SQLite library in use, in one line; nil if there is nothing to say.
  package static var sqliteWarning: String? { SQLiteLibrary.resetBugWarning() }

  /// The sizes of file, log, free pages and images.
  package func fetchSizes() async throws -> StoreSizes {
    try await read { [file] database in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
      return StoreSizes(
        file: file.bytes, log: file.logBytes,
        free: try number("PRAGMA freelist_count").multiplied(clamped: number("PRAGMA page_size")),
        images: try number("SELECT sum(length(bytes)) FROM image_cache"))
    }
  }

  /// The free space on the disk of a database, in bytes; nil if unknown.
  package static func findFreeBytes(for path: String) -> Int? {
    // A folder that cannot be looked at is reported by the checks of the file.
    try? DiskSpace.freeBytes(of: DatabaseFile(path: DatabaseFile.resolve(path)).folder)
  }

  /// Whether a file exists at a path, whatever its contents, or will exist once a restoration is
  /// completed.
  package static func exists(at path: String) -> Bool {
    DatabaseFile(path: path).exists
      || FileReplacement(file: DatabaseFile(path: DatabaseFile.resolve(path))).isPending
  }

  /// The size of the file and its log, in bytes.
  package var sizeBytes: Int {
    file.bytes + file.logBytes
  }

  /// The size of a file and its log, in bytes.
  package static func sizeBytes(of path: String) -> Int {
    let file = DatabaseFile(path: DatabaseFile.resolve(path))
    return file.bytes + file.logBytes
  }

  /// The folder for temporary files: the database's folder, or the system's temporary folder if
  /// that one is missing or not writable.
  package static func temporaryFolder(for path: String) -> String {
    temporaryFolder(for: DatabaseFile(path: DatabaseFile.resolve(path)))
  }

  private static func temporaryFolder(for file: DatabaseFile) -> String {
    FileAccess.writing.isGranted(file.folder) ? file.folder : NSTemporaryDirectory()
  }

  package var temporaryFolder: String { Self.temporaryFolder(for: file) }
}
