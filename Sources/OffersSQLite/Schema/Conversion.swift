import Foundation
import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// Converts a database of version 32, the last one before the first set of migrations, to that set.
///
/// Its tables are renamed, the first set is run, and the rows are copied. Indexes and triggers that another
/// program added to a table are added to the new table of that name; `ForeignSchemaObjects` reports them.
enum Conversion {
  /// An index or a trigger.
  private struct ForeignObject {
    let kind: String
    let name: String
    let sql: String

    func drop(in database: Database) throws {
      try database.execute(sql: "DROP \(kind) \(name.quotedDatabaseIdentifier)")
    }
  }

  /// Runs within the caller's transaction, with foreign keys off.
  ///
  /// - Throws: `OffersError` with `storageFailed` for rows or tables that cannot be converted, such as rows
  ///   that break a constraint, or another program's table with the name of a new one.
  static func run(in database: Database, path: String) throws {
    do {
      try convert(database)
    } catch let error as DatabaseError
      where [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode)
    {
      throw OffersError(
        .storageFailed,
        "\(path) is of an earlier version and cannot be brought up to date: "
          + "\(error.message ?? "a statement failed"). It was left untouched.",
        advice: StorageFailure.lossAdvice, cause: "\(error)")
    }
  }

  private static func convert(_ database: Database) throws {
    for function in keyFunctions { database.add(function: function) }
    defer { for function in keyFunctions { database.remove(function: function) } }
    // Otherwise a renaming reads all views and triggers, and fails with an invalid one.
    try database.execute(sql: "PRAGMA legacy_alter_table = ON")
    // It cannot fail, and concerns only statements that no other part of the program runs.
    defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF") }
    let before = try parts(of: database)
    try database.execute(sql: SQLiteMigrations.conversionStart.sql)
    let left = Set(try parts(of: database, ofTables: "old_*").map(\.name))
    let added = before.filter { left.contains($0.name) }
    for part in added { try part.drop(in: database) }
    for migration in SQLiteMigrations.all where migration.number <= SQLiteMigrations.firstSet {
      try database.execute(sql: migration.sql)
    }
    try database.execute(sql: SQLiteMigrations.conversionEnd.sql)
    for part in added { try add(part, in: database) }
  }

  /// Adds a part of another program, unless its table or one of its columns is gone.
  private static func add(_ part: ForeignObject, in database: Database) throws {
    do {
      try database.execute(sql: part.sql)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {}
  }

  private static func parts(
    of database: Database, ofTables tables: String = "*"
  ) throws -> [ForeignObject] {
    try SQLiteTransaction(database).rows(
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name GLOB $1
      ORDER BY rowid
      """, [.text(tables)]
    ) { ForeignObject(kind: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
  }

  /// The keys of names, retailers and categories, in statements.
  private static let keyFunctions = [
    DatabaseFunction("natural_key", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map { Data(NaturalOrder.key($0)) }
    },
    DatabaseFunction("natural_keys", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map { Data(NaturalOrder.keys(JSONTexts.parse($0))) }
    },
  ]
}
