import GRDB
import OffersCore

/// Tables with derived data only (search index, images), which are recreated if their pages are
/// damaged.
struct DerivedTables: Sendable {
  /// The name in messages.
  let name: String
  /// The prefix of the names of all its tables.
  private let prefix: String
  /// A table with the prefix that is of another group.
  private var other = ""
  /// Inserts the initial rows of a new database.
  private let fill: @Sendable (_ database: Database, _ fresh: Database) throws -> Void

  private static let all = [search, imageTally, images]

  static let search = DerivedTables(
    name: "the search index", prefix: "offer_search",
    fill: { database, fresh in
      let settings = try Row.fetchAll(
        fresh, sql: "SELECT k, v FROM offer_search_config WHERE k <> 'version' ORDER BY k")
      for setting in settings {
        let (name, value): (DatabaseValue, DatabaseValue) = (setting[0], setting[1])
        try database.execute(
          sql: "INSERT INTO offer_search (offer_search, rank) VALUES (?, ?)",
          arguments: [name, value])
      }
      try SearchIndex.rebuild(in: database)
    })

  private static let imageTally = DerivedTables(
    name: "the limit of the images", prefix: "image_tally",
    fill: { database, _ in
      try database.execute(
        sql: """
          INSERT INTO image_tally
          SELECT 1, min(max(\(ImageBounds.defaultImages), count(*)), 10000), 0, 0, 0 FROM image_cache
          """)
    })

  private static let images = DerivedTables(
    name: "the images", prefix: "image_", other: "image_tally", fill: { _, _ in })

  /// The damaged groups of derived tables; nil if another table is damaged, beyond its indexes.
  static func findDamaged(in database: Database) throws -> [DerivedTables]? {
    let tables = try String.fetchAll(
      database,
      sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    var damaged: [DerivedTables] = []
    for table in tables {
      let problems = try Integrity.problems(in: database, table: table)
      guard let owner = all.first(where: { table.hasPrefix($0.prefix) }) else {
        if problems.allSatisfy(Integrity.isOfIndex) { continue }
        return nil
      }
      if !problems.isEmpty, !damaged.contains(where: { $0.prefix == owner.prefix }) {
        damaged.append(owner)
      }
    }
    return damaged
  }

  /// Recreates tables with damaged pages, within the caller's transaction. That transaction must
  /// not have read a damaged page: SQLite refuses to write after that.
  ///
  /// The tables are deleted from the schema instead of being dropped: DROP would free the pages
  /// that damaged pages refer to, which may belong to other tables. A later VACUUM reclaims the
  /// lost pages. https://sqlite.org/pragma.html#pragma_writable_schema
  func replaceDamaged(in database: Database) throws {
    try database.withoutDefense {
      try forget(prefix + "*", in: database)
      try make(in: database)
    }
  }

  /// Recreates a virtual table with undamaged pages, whatever its shadow tables contain. The
  /// virtual table itself may refuse to be dropped, the shadow tables do not.
  func replace(in database: Database) throws {
    try database.withoutDefense {
      try forget(prefix, in: database)
      let tables = try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ? ORDER BY name",
        arguments: [prefix + "_*"])
      for table in tables { try database.execute(sql: "DROP TABLE \(table)") }
      try make(in: database)
    }
  }

  private func forget(_ pattern: String, in database: Database) throws {
    try database.execute(sql: "PRAGMA writable_schema = ON")
    try database.execute(
      sql: "DELETE FROM sqlite_schema WHERE tbl_name GLOB ? AND tbl_name <> ?",
      arguments: [pattern, other])
    try database.execute(sql: "PRAGMA writable_schema = RESET")
  }

  /// Creates the tables as in a new database, and fills them.
  private func make(in database: Database) throws {
    try SchemaComparison.makeFresh().inDatabase { fresh in
      // A virtual table creates its shadow tables.
      let parts = try Row.fetchAll(
        fresh,
        sql: """
          SELECT name, sql FROM sqlite_schema WHERE tbl_name GLOB ? AND sql IS NOT NULL
          ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', type = 'trigger', rowid
          """, arguments: [prefix + "*"])
      for part in parts {
        let (name, sql): (String, String) = (part[0], part[1])
        let isThere = try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)",
          arguments: [name])
        if isThere == false { try database.execute(sql: sql) }
      }
      try fill(database, fresh)
    }
  }
}
