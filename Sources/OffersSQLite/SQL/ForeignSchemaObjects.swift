import GRDB
import OffersCore
import SQLiteMigrations

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
