import GRDB
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
