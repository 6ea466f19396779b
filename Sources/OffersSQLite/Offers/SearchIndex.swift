import GRDB
import OffersCore
import SQLiteMigrations

/// The SQL that rebuilds and checks the search index, an FTS5 table.
enum SearchIndex {
  /// The indexed fields, in the order of the index's columns.
  static let fields: [SearchMatch.Field] = SearchMatch.Field.allCases
  /// The columns of the index, as an SQL list.
  static let columns = fields.map(\.rawValue).joined(separator: ", ")

  /// Whether the index is marked as matching the offers.
  static func isCurrent(in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT is_current FROM search_state WHERE state_key = 1")
    return try Bool.fetchOne(statement) ?? false
  }

  static func setCurrent(_ isCurrent: Bool, in database: Database) throws {
    try database.execute(
      sql: "UPDATE search_state SET is_current = ?1 WHERE state_key = 1 AND is_current <> ?1",
      arguments: [isCurrent])
  }

  /// Empties the index, which is rebuilt when it is needed.
  static func clear(in database: Database) throws {
    try database.execute(sql: "INSERT INTO offer_search (offer_search) VALUES ('delete-all')")
    try setCurrent(false, in: database)
  }

  /// The numbers of indexed and of stored offers.
  static func counts(in database: Database) throws -> (indexed: Int, offers: Int) {
    let indexed = try Int.fetchOne(database, sql: "SELECT count(*) FROM offer_search_docsize")
    let offers = try Int.fetchOne(database, sql: "SELECT count(*) FROM offer")
    return (indexed ?? 0, offers ?? 0)
  }

  /// Whether the index has exactly the words of the offers. The connection must be writable,
  /// although nothing is written. https://sqlite.org/fts5.html#the_integrity_check_command
  static func isSound(in database: Database) throws -> Bool {
    do {
      try database.execute(
        sql: "INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
      return true
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CORRUPT_VTAB {
      return false
    }
  }

  /// Rebuilds the index within the caller's transaction.
  static func rebuild(in database: Database) throws {
    try database.execute(sql: "INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    try setCurrent(true, in: database)
  }
}

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
      for object in SchemaObject.own() where object.name == "offer_search" {
        try database.execute(sql: object.sql)
      }
      for line in SQLiteMigrations.all.flatMap({ $0.sql.split(scalar: "\n") })
      where line.hasPrefix("INSERT INTO offer_search (offer_search, rank)") {
        try database.execute(sql: String(line))
      }
      try rebuild(in: database)
    }
  }
}
