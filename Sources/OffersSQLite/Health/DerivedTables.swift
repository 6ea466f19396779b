import GRDB

/// Tables that hold nothing which could not be had again: where their pages are damaged, they are
/// made anew.
struct DerivedTables: Sendable {
  /// What they are to a person.
  let name: String
  /// What the names of all of them begin with.
  private let prefix: String
  /// Puts in what they have from the beginning, as a new database has it.
  private let fill: @Sendable (_ database: Database, _ fresh: Database) throws -> Void

  private static let all = [search, images]

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

  private static let images = DerivedTables(
    name: "the images", prefix: "image_",
    fill: { database, fresh in try ImageTable.copyTally(from: fresh, to: database) })

  /// Those that are damaged; nil where something else is, too, beyond its indexes.
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

  /// Makes those whose pages are damaged anew, in the transaction that the caller began. It must not
  /// have met a damaged page before: SQLite writes nothing more in one that has.
  ///
  /// They are forgotten, not dropped: that would give free the pages that damaged ones name, and
  /// these may be somebody else's. What is left over goes when the file is written anew.
  /// https://sqlite.org/pragma.html#pragma_writable_schema
  func replaceDamaged(in database: Database) throws {
    try forget(prefix + "*", in: database)
    try make(in: database)
  }

  /// Makes a virtual table with sound pages anew, whatever its own tables hold: it may refuse even to
  /// be dropped, they do not.
  func replace(in database: Database) throws {
    try forget(prefix, in: database)
    let tables = try String.fetchAll(
      database,
      sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ? ORDER BY name",
      arguments: [prefix + "_*"])
    for table in tables { try database.execute(sql: "DROP TABLE \(table)") }
    try make(in: database)
  }

  private func forget(_ pattern: String, in database: Database) throws {
    try database.execute(sql: "PRAGMA writable_schema = ON")
    try database.execute(
      sql: "DELETE FROM sqlite_schema WHERE tbl_name GLOB ?", arguments: [pattern])
    try database.execute(sql: "PRAGMA writable_schema = RESET")
  }

  /// Makes them as a new database has them, and fills them.
  private func make(in database: Database) throws {
    try SchemaComparison.makeFresh().inDatabase { fresh in
      // A virtual table makes its own tables.
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
