import GRDB
import OffersCore
import SQLiteMigrations

/// The parts of a database's schema that run with the statements of this program and that no
/// migration creates: triggers, and a table of favorites with other constraints or indexes.
///
/// A trigger, or a constraint of the table, can change or remove what this program stores. A user
/// may add one on purpose, and whoever gives a database away may have added one, too. So they are
/// reported, and the user decides.
enum ForeignSchemaObjects {
  /// The foreign parts, such as `the trigger forget_stars`. A part is compared with the migrations by
  /// its whole statement, because a name proves nothing. SQLite compares types and names without case.
  static func find(in database: Database) throws -> [String] {
    let statement = try RawStatement(
      database,
      """
      SELECT lower(type), name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND (lower(type) = 'trigger' OR lower(tbl_name) = 'favorite')
      ORDER BY 1, 2
      """)
    defer { statement.reset() }
    var foreign: [String] = []
    while try statement.step() {
      guard let kind = statement.findText(0), let name = statement.findText(1) else { continue }
      if !own.contains(statement.text(2)) { foreign.append("the \(kind) \(name)") }
    }
    return foreign
  }

  /// The statements of the migrations, as SQLite stores them: without the final semicolon.
  private static let own: Set<String> = {
    var statements: Set<String> = []
    for migration in SQLiteMigrations.all {
      var lines: [Substring] = []
      var end = ""
      for line in migration.sql.split(scalar: "\n") {
        if lines.isEmpty {
          guard let start = starts.first(where: { line.hasPrefix($0.line) }) else { continue }
          end = start.end
        }
        lines.append(line)
        if line.hasSuffix(end) {
          statements.insert(String(lines.joined(separator: "\n").dropLast()))
          lines = []
        }
      }
    }
    return statements
  }()

  /// How the statements begin that are compared, and how the last line of each ends.
  private static let starts: [(line: String, end: String)] = [
    ("CREATE TRIGGER ", "END;"),
    ("CREATE TABLE favorite ", ") STRICT, WITHOUT ROWID;"),
    ("CREATE INDEX favorite_by_", ";"),
  ]
}
