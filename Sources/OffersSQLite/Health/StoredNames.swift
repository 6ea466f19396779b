import GRDB
import OffersCore

/// The names of feeds and users in a file, which messages and commands repeat.
///
/// They are checked when the file is opened. SQLite checks the constraints of the schema only when it
/// writes, and for a connection that may write: a file of somebody else may hold any name.
enum StoredNames {
  /// Refuses a file with a name that this program does not store. A table that cannot be read is left
  /// to the checks of the file.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(in database: Database, path: String) throws {
    guard let problem = find(in: database) else { return }
    throw OffersError(
      .storageFailed, "\(path) is damaged, or somebody made it up: \(problem).",
      advice: Integrity.anewAdvice)
  }

  /// What is wrong with the names; nil if nothing is, and if they cannot be read.
  static func find(in database: Database) -> String? {
    func hasOther(_ table: String, _ isStored: (String) -> Bool) -> Bool {
      // An unreadable page is reported with its place by the reads of this program.
      let names = try? String.fetchAll(database, sql: "SELECT name FROM \(table) ORDER BY name")
      return names?.allSatisfy(isStored) == false
    }
    if hasOther("feed", FeedName.isStored) { return "a feed has a name that no feed can have" }
    if hasOther("user", User.isStored) { return "a user has a name that no user can have" }
    return nil
  }
}
