import GRDB

/// What SQLite says of the pages of a database.
enum Integrity {
  /// Most problems that are asked for: beyond, more tell no more.
  private static let limit = 100

  /// What is damaged; nothing in a sound database.
  static func problems(in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "PRAGMA integrity_check(\(limit))")
      .flatMap { $0.split(separator: "\n").map(String.init) }
      .filter { $0 != "ok" && !$0.hasPrefix("***") }
  }

  /// Whether a problem is one of an index alone, which can be made anew.
  static func isOfIndex(_ problem: String) -> Bool {
    problem.contains("missing from index") || problem.contains("entries in index")
      || problem.contains("non-unique entry in index")
  }

  static let anewAdvice =
    "Save what there is: offers export -o saved.json. Then move the database's files away and: "
    + "offers import saved.json"

  static let damageAdvice =
    "Copy the database with its -wal away first. \(anewAdvice). Where that cannot read everything: "
    + "a backup, offers export --favorites, or sqlite3 FILE .recover"
}
