import GRDB
import OffersCore
import SQLiteMigrations

/// The triggers of a database that no migration creates.
///
/// A trigger runs with the statements of this program, and can change or remove what they store. A
/// user may add one on purpose, and whoever gives a database away may have added one, too. So they
/// are reported, and the user decides.
enum ForeignTriggers {
  /// The names of the foreign triggers, sorted.
  static func find(in database: Database) throws -> [String] {
    let statement = try RawStatement(
      database, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    defer { statement.reset() }
    var foreign: [String] = []
    while try statement.step() {
      guard let name = statement.string(0), !own.contains(name) else { continue }
      foreign.append(name)
    }
    return foreign
  }

  /// The names of the triggers in the migrations.
  static let own: Set<String> = {
    var names: Set<String> = []
    for migration in SQLiteMigrations.all {
      for line in migration.sql.split(scalar: "\n") where line.utf8.starts(with: begin.utf8) {
        let rest = line.utf8.dropFirst(begin.utf8.count)
        names.insert(String(decoding: rest.prefix { $0 != 0x20 }, as: UTF8.self))
      }
    }
    return names
  }()

  private static let begin = "CREATE TRIGGER "
}
