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
  let examine: @Sendable (Database, Date) throws -> [Finding]
  /// A further check that needs a writable connection, run if `examine` found no problem. It writes
  /// nothing and does not wait for other writers. Without such a connection it is passed nil and
  /// the reason.
  var lookFurther: (@Sendable (Database?, _ obstacle: String) throws -> Finding)?
  /// Repairs the problem and returns a description; nil if only a person can repair it.
  var repair: (@Sendable (Database, Date) throws -> String)?

  static let all: [HealthCheck] = [
    integrity, foreignKeys, schema, triggers, counts, words, images,
  ]

  static let repairAdvice = Hint("Repair it.", command: "offers doctor --repair")

  private static let integrity = HealthCheck(
    subject: "integrity",
    examine: { database, _ in
      let problems = try Integrity.problems(in: database)
      if problems.isEmpty {
        return [Finding(.ok, "integrity", "every page and index is sound")]
      }
      let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
      return [
        Finding(
          .problem, "integrity", "SQLite finds damage: \(problems[0])\(more)",
          advice: problems.allSatisfy(Integrity.isOfIndex)
            ? repairAdvice : Integrity.damageAdvice)
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
        advice: StorageFailure.salvageAdvice)
    },
    repair: { database, _ in
      try database.execute(sql: "REINDEX")
      if let problem = try Integrity.problems(in: database, limit: 1).first {
        throw OffersError(
          .storageFailed, "the damage is not limited to indexes: \(problem)",
          advice: Integrity.damageAdvice)
      }
      return "rebuilt all indexes"
    })

  private static let foreignKeys = HealthCheck(
    subject: "references",
    examine: { database, _ in
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
          advice: StorageFailure.salvageAdvice)
      ]
    })

  private static let schema = HealthCheck(
    subject: "schema",
    examine: { database, _ in
      let wrong = try SchemaComparison(database).differences
      guard let first = wrong.first else {
        return [Finding(.ok, "schema", "version \(Schema.version), as this program creates it")]
      }
      return [
        Finding(
          .problem, "schema", first.description,
          advice: wrong.contains { $0.kind == "table" }
            ? StorageFailure.salvageAdvice : "Export it, and import the export into a new database")
      ]
    })

  /// Triggers, indexes, views and references that were added to the database. A user may have added them, so they are
  /// not removed by a repair.
  private static let triggers = HealthCheck(
    subject: "triggers",
    examine: { database, _ in
      let added = try SchemaComparison(database).additions
      guard let first = added.first else {
        return [Finding(.ok, "triggers", "none besides those that this program creates")]
      }
      let more = added.count > 1 ? ", and \(added.count - 1) more" : ""
      return [
        Finding(
          .warning, "triggers",
          "\(first) was not created by this program, and can change or refuse what it stores\(more)",
          advice: "If you did not add it, do not trust this database: export it into a new one")
      ]
    })

  private static let counts = HealthCheck(
    subject: "counts",
    examine: { database, _ in
      let wrong = try FeedMiscount.find(in: database)
      guard !wrong.isEmpty else {
        return [Finding(.ok, "counts", "every feed has as many offers as it says")]
      }
      return wrong.map {
        let noun = $0.isGone ? "gone offers" : "offers"
        return Finding(
          .problem, "counts", "\($0.name) says \($0.stored) \(noun) and has \($0.counted)",
          advice: repairAdvice)
      }
    },
    repair: { database, _ in
      let wrong = try FeedMiscount.correct(in: database)
      // The message shows the counts, because a sync uses them to detect too many removals.
      return "corrected the counts: "
        + wrong.map { "\($0.name) \($0.counted)\($0.isGone ? " gone" : ""), not \($0.stored)" }
        .joined(separator: ", ")
    })

  private static let words = HealthCheck(
    subject: "search",
    examine: { database, _ in
      guard try SearchIndex.isCurrent(in: database) else {
        return [
          Finding(
            .warning, "search",
            "the index is out of date; the next search rebuilds it",
            advice: repairAdvice)
        ]
      }
      let (indexed, offers) = try SearchIndex.counts(in: database)
      guard indexed == offers else {
        return [
          Finding(
            .problem, "search", "has \(indexed) offers of \(offers)", advice: repairAdvice)
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
          advice: repairAdvice)
    },
    repair: { database, _ in
      try SearchIndex.recreate(in: database)
      return "rebuilt from the offers"
    })

  private static let images = HealthCheck(
    subject: "images",
    examine: { database, _ in
      let damaged = try DamagedImages(in: database)
      if damaged.urls.isEmpty {
        let limit = try ImageTable.limit(in: SQLiteTransaction(database))
        return [
          Finding(
            .ok, "images",
            "\(damaged.imageCount) of \(limit) are held, all valid")
        ]
      }
      return [
        Finding(
          .problem, "images",
          "\(damaged.urls.count) of \(damaged.imageCount) are damaged",
          advice: repairAdvice)
      ]
    },
    repair: { database, _ in
      let damaged = try DamagedImages(in: database)
      try damaged.delete(in: database)
      return
        "removed the damaged ones (\(damaged.urls.count)); they are downloaded again when needed"
    })
}

/// A stored number of the offers of a feed that is wrong.
struct FeedMiscount {
  /// The feed.
  let name: String
  /// Whether it is the number of gone offers, not of current ones.
  let isGone: Bool
  let stored: Int
  let counted: Int

  /// Counts the offers of each feed and returns the stored numbers that differ, sorted by feed.
  static func find(in database: Database) throws -> [FeedMiscount] {
    try SQLiteTransaction(database).rows(FeedTable.miscountSQL) { row in
      [
        FeedMiscount(
          name: row.text(0), isGone: false, stored: row.count(1), counted: row.count(3)),
        FeedMiscount(
          name: row.text(0), isGone: true, stored: row.count(2), counted: row.count(4)),
      ]
    }.flatMap { $0 }.filter { $0.stored != $0.counted }
  }

  /// Corrects the stored numbers. Returns those that were wrong.
  @discardableResult
  static func correct(in database: Database) throws -> [FeedMiscount] {
    let wrong = try find(in: database)
    if !wrong.isEmpty { try FeedTable.count(in: SQLiteTransaction(database)) }
    return wrong
  }
}

/// The images whose bytes have another format or size in pixels than their row states, or are unreadable as
/// an image.
struct DamagedImages {
  private(set) var urls: [String] = []
  /// The number of all images.
  private(set) var imageCount = 0

  init(in database: Database) throws {
    try SQLiteTransaction(database).forEach(
      "SELECT url, content_type, width, height, bytes, thumbnail FROM image_cache ORDER BY url"
    ) { row in
      imageCount += 1
      // An unreadable header is a damaged image, whatever the error.
      let header = try? ImageHeader(reading: row.blob(4))
      let copy = row.blob(5)
      let isCopyDamaged = !copy.isEmpty && (try? ImageHeader(reading: copy)) == nil
      if isCopyDamaged || header?.format.contentType != row.findText(1)
        || header?.width != Int(row.number(2)) || header?.height != Int(row.number(3)),
        let url = row.findText(0)
      {
        urls.append(url)
      }
    }
  }

  func delete(in database: Database) throws {
    try ImageTable.delete(urls, in: SQLiteTransaction(database))
  }
}
