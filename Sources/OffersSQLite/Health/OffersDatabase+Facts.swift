import GRDB
import OffersCore
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

  /// The size of the file and its log, in bytes.
  package var sizeBytes: Int {
    file.bytes + file.logBytes
  }

  /// The folder for temporary files: the database's folder, or the system's temporary folder if
  /// that one is missing or not writable.
  package var temporaryFolder: String { file.temporaryFolder }
}
