import GRDB
import OffersCore

/// Checks the names of the feeds and users in a file when it is opened, because the program prints them in
/// messages and in the commands that it proposes.
///
/// SQLite checks the constraints of the schema when a row is written. Its integrity check includes them only
/// on a connection that may write. So a file of somebody else may contain names that break them.
enum StoredNameCheck {
  /// Refuses a file with a name that this program does not store. A table that cannot be read is left
  /// to the checks of the file.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(in database: Database, path: String) throws {
    guard let problem = try find(in: database) else { return }
    throw OffersError(
      .storageFailed, "\(path) is damaged, or somebody made it up: \(problem).",
      advice: StorageFailure.salvageAdvice)
  }

  /// What is wrong with the names; nil if nothing is, and if they cannot be read.
  static func find(in database: Database) throws -> String? {
    func hasOther(_ table: String, _ isStored: (String) -> Bool) throws -> Bool {
      do {
        let rows = try Row.fetchCursor(database, sql: "SELECT name FROM \(table) ORDER BY name")
        while let row = try rows.next() {
          guard case .string(let name) = (row[0] as DatabaseValue).storage, isStored(name) else {
            return true
          }
        }
      } catch let error as DatabaseError where unreadableCodes.contains(error.resultCode) {
        // The reads of this program report such a place.
      }
      return false
    }
    if try hasOther("feed", FeedName.isStored) { return "a feed has a name that no feed can have" }
    if try hasOther("account", User.isStored) { return "a user has a name that no user can have" }
    return nil
  }

  /// The errors of a page or a table that cannot be read.
  private static let unreadableCodes: [ResultCode] = [
    .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_IOERR, .SQLITE_NOTADB,
  ]
}
