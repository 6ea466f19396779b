import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// The differences between a database's schema and the one that the migrations create.
struct SchemaComparison {
  /// A table, view, index or trigger that is missing or differs.
  struct Difference: CustomStringConvertible {
    let kind: String
    let name: String
    let isMissing: Bool

    var description: String {
      "the \(kind) \(name) \(isMissing ? "is missing" : "is not as this program creates it")"
    }
  }

  let differences: [Difference]
  /// The parts that the migrations do not create, such as `the trigger forget_stars`: those of
  /// `ForeignSchemaObjects`, and views.
  let additions: [String]

  private static let sql = """
    SELECT lower(type) AS type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')
    ORDER BY 1, 2
    """

  /// A new database in memory, created by the migrations up to a version.
  static func makeFresh(version: Int = Schema.version) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(configuration: .offersTables)
    try queue.inDatabase { fresh in
      for migration in SQLiteMigrations.all where migration.number <= version {
        try fresh.execute(sql: migration.sql)
      }
    }
    return queue
  }

  /// - Parameters:
  ///   - database: the database to compare.
  ///   - version: the version of its schema.
  init(_ database: Database, version: Int = Schema.version) throws {
    let fresh = try Self.makeFresh(version: version)
    let expected = try fresh.inDatabase(Self.objects)
    var found: [String: String] = [:]
    var additions = try ForeignSchemaObjects.find(in: database)
    for object in try Self.objects(of: database) {
      found["\(object.kind) \(object.name)"] = object.sql
      if object.kind == "view" { additions.append("the view \(object.name)") }
    }
    // A changed part of this program's own is a difference.
    let own = Set(expected.map { "the \($0.kind) \($0.name)" })
    self.additions = additions.filter { !own.contains($0) }
    differences = expected.compactMap { object in
      let there = found["\(object.kind) \(object.name)"]
      if there == object.sql { return nil }
      return Difference(kind: object.kind, name: object.name, isMissing: there == nil)
    }
  }

  private static func objects(
    of database: Database
  ) throws -> [(kind: String, name: String, sql: String)] {
    try SQLiteTransaction(database).rows(sql) { ($0.text(0), $0.text(1), $0.text(2)) }
  }
}

/// The parts of a database's schema that run with the statements of this program and that no
/// migration creates: triggers, indexes of its tables, its tables with other constraints, and tables that
/// refer to them.
///
/// Such a part can change, remove or refuse what this program stores: a unique index of a constant allows
/// one session only. A user may add one on purpose, and whoever gives a database away may have added one,
/// too. So they are reported, and the user decides.
enum ForeignSchemaObjects {
  /// The foreign parts, such as `the trigger forget_stars`. A part is compared with the migrations by
  /// its whole statement, because a name proves nothing. SQLite compares types and names without case.
  static func find(in database: Database) throws -> [String] {
    let sql = """
      SELECT lower(type), name, sql, lower(tbl_name), sql LIKE '%references%' FROM sqlite_schema
      WHERE sql IS NOT NULL ORDER BY 1, 2
      """
    return try SQLiteTransaction(database).rows(sql) { object -> String? in
      let (kind, table) = (object.text(0), object.text(3))
      let isOwnTable = ownTables.contains(table) || table.hasPrefix("offer_search")
      let runs =
        switch kind {
        case "trigger": true
        case "index": isOwnTable
        case "table": ownTables.contains(table) || object.flag(4)
        default: false
        }
      return runs && !own.contains(object.text(2)) ? "the \(kind) \(object.text(1))" : nil
    }.compactMap { $0 }
  }

  /// The statements of the migrations that create something, as SQLite stores them: without the final
  /// semicolon.
  static let own: Set<String> = {
    var statements: Set<String> = []
    for migration in SQLiteMigrations.all {
      var lines: [Substring] = []
      for line in migration.sql.split(scalar: "\n") {
        if lines.isEmpty, !line.hasPrefix("CREATE ") { continue }
        lines.append(line)
        let isTrigger = lines.first?.hasPrefix("CREATE TRIGGER ") == true
        if line.hasSuffix(isTrigger ? "END;" : ";") {
          statements.insert(String(lines.joined(separator: "\n").dropLast()))
          lines = []
        }
      }
    }
    return statements
  }()

  private static let ownTables = Set(
    own.compactMap { statement -> String? in
      let words = statement.split(scalar: " ").prefix(3)
      return words.starts(with: ["CREATE", "TABLE"]) ? words.last.map(String.init) : nil
    })
}
