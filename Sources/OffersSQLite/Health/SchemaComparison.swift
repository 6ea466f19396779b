import GRDB
import SQLiteMigrations

/// The differences between a database's schema and the one that the migrations create.
struct SchemaComparison {
  /// A table, view, index or trigger that is missing or differs.
  struct Difference: CustomStringConvertible {
    let kind: String
    let name: String
    /// The statement that creates it.
    let sql: String
    let isMissing: Bool

    /// Whether it can be created without losing data.
    var canBeMade: Bool { isMissing && (kind == "index" || kind == "trigger") }

    var description: String {
      "the \(kind) \(name) \(isMissing ? "is missing" : "is not as this program creates it")"
    }
  }

  let differences: [Difference]
  /// The triggers and views that the migrations do not create, such as `the trigger forget_stars`.
  let additions: [String]

  private static let sql = """
    SELECT type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name
    """

  /// A new database in memory, created by the migrations.
  static func makeFresh() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.inDatabase { fresh in
      for migration in SQLiteMigrations.all { try fresh.execute(sql: migration.sql) }
    }
    return queue
  }

  init(_ database: Database) throws {
    let expected = try Self.makeFresh().inDatabase { try Row.fetchAll($0, sql: Self.sql) }
    var found: [String: String] = [:]
    let own = Set(expected.map { $0["name"] as String })
    var additions: [String] = []
    for row in try Row.fetchAll(database, sql: Self.sql) {
      let (kind, name): (String, String) = (row["type"], row["name"])
      found[name] = row["sql"]
      if kind == "trigger" || kind == "view", !own.contains(name) {
        additions.append("the \(kind) \(name)")
      }
    }
    self.additions = additions
    differences = expected.compactMap { row in
      let name: String = row["name"]
      let sql: String = row["sql"]
      if found[name] == sql { return nil }
      return Difference(kind: row["type"], name: name, sql: sql, isMissing: found[name] == nil)
    }
  }
}
