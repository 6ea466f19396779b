import GRDB

extension SearchIndex {
  /// Recreates the index, whatever its tables contain, within the caller's transaction. The virtual table
  /// itself may refuse to be dropped, so it is deleted from the schema; the tables behind it do not.
  /// https://sqlite.org/pragma.html#pragma_writable_schema
  static func recreate(in database: Database) throws {
    try database.withoutDefense {
      try database.execute(
        sql: """
          PRAGMA writable_schema = ON;
          DELETE FROM sqlite_schema WHERE name = 'offer_search';
          PRAGMA writable_schema = RESET
          """)
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'offer_search_*'
          ORDER BY name
          """)
      for table in tables { try database.execute(sql: "DROP TABLE \(table)") }
      try SchemaComparison.makeFresh().inDatabase { fresh in
        let sql = try String.fetchAll(
          fresh, sql: "SELECT sql FROM sqlite_schema WHERE name = 'offer_search'")
        for statement in sql { try database.execute(sql: statement) }
        let settings = try Row.fetchAll(
          fresh, sql: "SELECT k, v FROM offer_search_config WHERE k <> 'version' ORDER BY k")
        for setting in settings {
          let (name, value): (DatabaseValue, DatabaseValue) = (setting[0], setting[1])
          try database.execute(
            sql: "INSERT INTO offer_search (offer_search, rank) VALUES (?, ?)",
            arguments: [name, value])
        }
      }
      try rebuild(in: database)
    }
  }
}
