import Foundation
import GRDB
import OffersCore
import OffersStore

/// One check of a database, with its repair if there is one that loses no data.
///
/// Each kind of derived data has a check here that recreates it.
struct HealthCheck: Sendable {
  let subject: String
  /// Returns the findings, including one if all is well.
  let examine: @Sendable (Database) throws -> [Finding]
  /// A further check that needs a writable connection, run if `examine` found no problem. It writes
  /// nothing and does not wait for other writers. Without such a connection it is passed nil and
  /// the reason.
  var lookFurther: (@Sendable (Database?, _ obstacle: String) throws -> Finding)?
  /// Repairs the problem and returns a description; nil if only a person can repair it.
  var repair: (@Sendable (Database) throws -> String)?

  static let all: [HealthCheck] = [
    integrity, foreignKeys, schema, triggers, counts, words,
  ]

  static let repairHint = Hint("Repair it.", command: "offers doctor --repair")

  private static let integrity = HealthCheck(
    subject: "integrity",
    examine: { database in
      let problems = try Integrity.problems(in: database)
      if problems.isEmpty {
        return [Finding(.ok, "integrity", "every page and index is sound")]
      }
      let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
      return [
        Finding(
          .problem, "integrity", "SQLite finds damage: \(problems[0])\(more)",
          hint: problems.allSatisfy(Integrity.isOfIndex)
            ? repairHint : Integrity.damageHint)
      ]
    },
    lookFurther: { database, obstacle in
      guard let database else {
        return Finding(
          .ok, "integrity",
          "every page and index is sound; constraints were not checked, because \(obstacle)")
      }
      guard let problem = try Integrity.findBrokenConstraint(in: database) else {
        return Finding(.ok, "integrity", "every page and index is sound")
      }
      return Finding(
        .problem, "integrity", "the file holds what this program does not store: \(problem)",
        hint: StorageFailure.salvageHint)
    },
    repair: { database in
      try database.execute(sql: "REINDEX")
      if let problem = try Integrity.problems(in: database, limit: 1).first {
        throw OffersError(
          .storageFailed, "the damage is not limited to indexes: \(problem)",
          hint: Integrity.damageHint)
      }
      return "rebuilt all indexes"
    })

  private static let foreignKeys = HealthCheck(
    subject: "references",
    examine: { database in
      let strays = try SQLiteTransaction(database).rows("PRAGMA foreign_key_check") { row in
        (table: row.text(0), target: row.text(2))
      }
      guard let first = strays.first else {
        return [Finding(.ok, "references", "every reference is valid")]
      }
      return [
        Finding(
          .problem, "references",
          "rows refer to missing rows (\(strays.count)), the first in \(first.table) to \(first.target)",
          hint: StorageFailure.salvageHint)
      ]
    })

  private static let schema = HealthCheck(
    subject: "schema",
    examine: { database in
      let wrong = try SchemaObject.missing(in: database)
      guard let first = wrong.first else {
        return [
          Finding(.ok, "schema", "version \(SQLiteSchema.version), as this program creates it")
        ]
      }
      return [
        Finding(
          .problem, "schema", first.problem,
          hint: wrong.contains { $0.object.kind == "table" }
            ? StorageFailure.salvageHint : "Export it, and import the export into a new database")
      ]
    })

  /// Triggers, views, indexes and references that were added to the database. A user may have added them, so they are
  /// not removed by a repair.
  private static let triggers = HealthCheck(
    subject: "triggers",
    examine: { database in
      // A changed object of this program's own is a finding of `schema`.
      let own = Set(SchemaObject.own().map(\.description))
      let added = try SchemaObject.foreign(in: database).filter { !own.contains($0.description) }
      guard let first = added.first else {
        return [Finding(.ok, "triggers", "none besides those that this program creates")]
      }
      let more = added.count > 1 ? ", and \(added.count - 1) more" : ""
      return [
        Finding(
          .warning, "triggers",
          "\(first) was not created by this program, and can change or refuse what it stores\(more)",
          hint: "If you did not add it, do not trust this database: export it into a new one")
      ]
    })

  private static let counts = HealthCheck(
    subject: "counts",
    examine: { database in
      let wrong = try miscounts(in: database)
      guard !wrong.isEmpty else {
        return [Finding(.ok, "counts", "every feed has as many offers as it says")]
      }
      return wrong.map { Finding(.problem, "counts", $0, hint: repairHint) }
    },
    repair: { database in
      // A sync uses the counts to detect too many removals.
      let wrong = try miscounts(in: database)
      try FeedTable.count(in: SQLiteTransaction(database))
      return "corrected the counts: \(wrong.joined(separator: "; "))"
    })

  /// A sentence for each feed whose stored counts are wrong.
  private static func miscounts(in database: Database) throws -> [String] {
    try SQLiteTransaction(database).rows(FeedTable.miscountSQL) {
      "\($0.text(0)) says \($0.count(1)) offers, \($0.count(2)) gone, "
        + "and has \($0.count(3)), \($0.count(4)) gone"
    }
  }

  private static let words = HealthCheck(
    subject: "search",
    examine: { database in
      guard try SearchIndex.isCurrent(in: database) else {
        return [
          Finding(
            .warning, "search",
            "the index is out of date; the next search rebuilds it",
            hint: repairHint)
        ]
      }
      let (indexed, offers) = try SearchIndex.counts(in: database)
      guard indexed == offers else {
        return [
          Finding(
            .problem, "search", "has \(indexed) offers of \(offers)", hint: repairHint)
        ]
      }
      return [Finding(.ok, "search", "the index has every offer")]
    },
    lookFurther: { database, obstacle in
      guard let database else {
        return Finding(
          .ok, "search",
          "the index has every offer; its words were not compared, because \(obstacle)")
      }
      return try SearchIndex.isSound(in: database)
        ? Finding(.ok, "search", "the index has every offer and its words")
        : Finding(
          .problem, "search", "the index does not match the texts of the offers",
          hint: repairHint)
    },
    repair: { database in
      try SearchIndex.recreate(in: database)
      return "rebuilt from the offers"
    })
}
