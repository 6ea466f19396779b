import GRDB
import OffersCore

/// What SQLite says of the pages of a database.
enum Integrity {
  /// Most problems that are told: beyond, more tell no more.
  private static let usualLimit = 100

  /// What is damaged; nothing in a sound database. Where a page cannot even be looked at, SQLite gives
  /// up with what it has found so far.
  static func problems(in database: Database, limit: Int = usualLimit) throws -> [String] {
    try problems(in: database, argument: "\(limit)")
  }

  /// What is damaged of a table and its indexes.
  static func problems(in database: Database, table: String) throws -> [String] {
    try problems(in: database, argument: "'\(table)'")
  }

  /// All problems, before anything is written: what is beyond the usual ones may forbid it.
  static func allProblems(in database: Database) throws -> [String] {
    try problems(in: database, limit: 1_000_000_000)
  }

  private static func problems(in database: Database, argument: String) throws -> [String] {
    var problems: [String] = []
    do {
      let rows = try String.fetchCursor(database, sql: "PRAGMA integrity_check(\(argument))")
      while let row = try rows.next() {
        problems += row.split(scalar: "\n").map(String.init)
          .filter { $0 != "ok" && !$0.hasPrefix("***") }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      if problems.isEmpty { problems.append("some pages cannot be read") }
    }
    return problems
  }

  /// Whether a problem is one of an index alone, which can be made anew.
  static func isOfIndex(_ problem: String) -> Bool {
    problem.contains("missing from index") || problem.contains("entries in index")
      || problem.contains("non-unique entry in index")
  }

  /// Whether a problem is one of a page that nothing refers to, which costs nothing but its room.
  static func isOfLostPage(_ problem: String) -> Bool { problem.contains("is never used") }

  /// Whether pages belong to two owners, or the list of free ones is wrong: whatever is written then
  /// may go over what is sound.
  static func isOfOwnership(_ problem: String) -> Bool {
    ["reference", "reelist", "free-page"].contains { problem.contains($0) }
  }

  static let anewAdvice =
    "Save what there is: offers export --salvage -o saved.json. Then move the database's files away and: "
    + "offers import saved.json --accept-sources"

  static let damageAdvice =
    "Copy the database with its -wal away first. \(anewAdvice). What that could not read may be in "
    + "a backup, or be had by: sqlite3 FILE .recover"
}
