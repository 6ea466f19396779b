import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// A table, view, index or trigger of the schema, with its whole statement as SQLite stores it. Statements
/// are compared, because a name proves nothing.
struct SchemaObject: CustomStringConvertible {
  /// The type in lower case, such as `index`.
  let kind: String
  let name: String
  let sql: String

  var description: String { "the \(kind) \(name)" }

  /// The objects that the migrations up to a version create. Of several statements for one object the last
  /// counts.
  static func own(upTo version: Int = SQLiteSchema.version) -> [SchemaObject] {
    let created = SQLiteMigrations.all.filter { $0.number <= version }.flatMap {
      objects(of: $0.sql)
    }
    let last = Dictionary(created.map { ($0.description, $0.sql) }, uniquingKeysWith: { $1 })
    return created.filter { last[$0.description] == $0.sql }
  }

  private static let own = own()
  static let ownStatements = Set(SQLiteMigrations.all.flatMap { objects(of: $0.sql) }.map(\.sql))
  private static let ownTables = Set(own.filter { $0.kind == "table" }.map(\.name))

  /// The objects of a database that run with the statements of this program and that no migration creates,
  /// such as `the trigger forget_stars`: triggers, views, indexes of its tables, its tables with other
  /// constraints, and tables that refer to them.
  ///
  /// Such an object can change, remove or refuse what this program stores: a unique index of a constant
  /// allows one session only. A user may add one on purpose, and whoever gives a database away may have
  /// added one, too. So they are reported, and the user decides.
  static func foreign(in database: Database) throws -> [SchemaObject] {
    try SQLiteTransaction(database).rows(
      """
      SELECT lower(type), name, sql, lower(tbl_name), sql LIKE '%references%' FROM sqlite_schema
      WHERE sql IS NOT NULL ORDER BY 1, 2
      """
    ) { row -> SchemaObject? in
      let object = SchemaObject(kind: row.text(0), name: row.text(1), sql: row.text(2))
      let table = row.text(3)
      let runs =
        switch object.kind {
        case "trigger", "view": true
        case "index": ownTables.contains(table) || table.hasPrefix("offer_search")
        case "table": ownTables.contains(table) || row.flag(4)
        default: false
        }
      return runs && !ownStatements.contains(object.sql) ? object : nil
    }.compactMap { $0 }
  }

  /// The objects of the migrations up to a version that a database lacks, or has with another statement.
  static func missing(
    in database: Database, version: Int = SQLiteSchema.version
  ) throws -> [(object: SchemaObject, problem: String)] {
    let transaction = SQLiteTransaction(database)
    let sql = "SELECT lower(type), name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1, 2"
    let found = try transaction.rows(sql) { ("the \($0.text(0)) \($0.text(1))", $0.text(2)) }
    let own = own(upTo: version).sorted { $0.description < $1.description }
    return own.compactMap { object in
      let others = found.filter { $0.0 == object.description }
      if others.contains(where: { $0.1 == object.sql }) { return nil }
      let state = others.isEmpty ? "is missing" : "is not as this program creates it"
      return (object, "\(object) \(state)")
    }
  }

  /// The objects that the statements of a migration create. SQLite stores a statement without the final
  /// semicolon.
  private static func objects(of migration: String) -> [SchemaObject] {
    var objects: [SchemaObject] = []
    var lines: [Substring] = []
    for line in migration.split(scalar: "\n") {
      if lines.isEmpty, !line.hasPrefix("CREATE ") { continue }
      lines.append(line)
      let words = lines[0].split(scalar: " ")
      guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count,
        line.hasSuffix(words[place] == "TRIGGER" ? "END;" : ";")
      else { continue }
      let sql = String(lines.joined(separator: "\n").dropLast())
      objects.append(
        SchemaObject(
          kind: words[place].lowercased(), name: String(words[place + 1]), sql: sql))
      lines = []
    }
    return objects
  }

  private static let kinds: [Substring] = ["TABLE", "VIEW", "INDEX", "TRIGGER"]
}
