import Foundation
import GRDB
import OffersCore

/// The SQL for recently failed image downloads.
enum ImageFailureTable {
  private static let columns = "url, code, reason, until"
  /// A condition that a failure has not expired at a time `?1`. One that would last for longer than
  /// any was stored under a clock that has been set back since.
  private static let isRemembered =
    "until > ?1 AND until <= ?1 + \(Int64(ImageBounds.failureSeconds))"

  static func find(_ url: String, now: Date, in database: Database) throws -> ImageFailure? {
    try Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT \(columns) FROM image_failure WHERE url = ?2 AND \(isRemembered)"),
      arguments: [now.storedSeconds, url]
    ).map(failure)
  }

  /// The failures that have not expired, those that expire last first.
  static func all(now: Date, in database: Database) throws -> [ImageFailure] {
    try Row.fetchAll(
      database,
      sql: "SELECT \(columns) FROM image_failure WHERE \(isRemembered) ORDER BY until DESC, url",
      arguments: [now.storedSeconds]
    ).map(failure)
  }

  static func put(_ failure: ImageFailure, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO image_failure (\(columns)) VALUES (?, ?, ?, ?)
        ON CONFLICT (url) DO UPDATE
        SET code = excluded.code, reason = excluded.reason, until = excluded.until
        """,
      arguments: [
        failure.url, failure.code.rawValue, failure.reason,
        failure.until.storedSeconds,
      ])
  }

  static func delete(_ url: String, in database: Database) throws {
    let statement = try RawStatement(cached: "DELETE FROM image_failure WHERE url = ?", database)
    statement.bind(1, copying: url)
    try statement.run()
  }

  /// Deletes the failures that expire at a time or earlier.
  static func clear(until time: Date, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM image_failure WHERE until <= ?",
      arguments: [time.storedSeconds])
  }

  static func clear(in database: Database) throws {
    try database.execute(sql: "DELETE FROM image_failure")
  }

  private static func failure(_ row: Row) -> ImageFailure {
    ImageFailure(
      url: row["url"], code: OffersError.Code(rawValue: row["code"]) ?? .sourceFailed,
      reason: row["reason"], until: Date(storedSeconds: row["until"]))
  }
}
