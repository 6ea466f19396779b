import Foundation
import OffersCore

/// The SQL for failures to fetch images.
enum ImageFailureTable {
  /// The most failures that are kept: those that expire last.
  private static let limit = 200

  /// A failure that would last for more than a day was stored under a clock that was ahead, and has
  /// expired.
  private static let isValid = "until > $1 AND until <= $1 + \(Int64(ImageBounds.failureSeconds))"

  static func find(
    _ url: String, now: Date, in session: DatabaseSession
  ) throws -> ImageFailure? {
    if url.utf8.contains(0) { return nil }
    return try session.rows(
      "SELECT url, code, reason, until FROM image_failure WHERE url = $2 AND \(isValid)",
      [.date(now), .text(url)]
    ).first.map(failure)
  }

  /// The failures that have not expired, those that expire last first.
  static func all(now: Date, in session: DatabaseSession) throws -> [ImageFailure] {
    try session.rows(
      """
      SELECT url, code, reason, until FROM image_failure WHERE \(isValid)
      ORDER BY until DESC, url
      """, [.date(now)]
    ).map(failure)
  }

  static func put(_ failure: ImageFailure, in session: DatabaseSession) throws {
    try session.run(
      """
      INSERT INTO image_failure (url, code, reason, until) VALUES ($1, $2, $3, $4)
      ON CONFLICT (url) DO UPDATE
      SET code = excluded.code, reason = excluded.reason, until = excluded.until
      """,
      [
        .text(failure.url), .text(failure.code.rawValue), .text(failure.reason),
        .date(failure.until),
      ])
    try session.run(
      """
      DELETE FROM image_failure WHERE url IN (
        SELECT url FROM image_failure ORDER BY until DESC, url OFFSET \(limit))
      """)
  }

  static func delete(_ url: String, in session: DatabaseSession) throws {
    try session.run("DELETE FROM image_failure WHERE url = $1", [.text(url)])
  }

  static func clear(until time: Date, in session: DatabaseSession) throws {
    try session.run("DELETE FROM image_failure WHERE until <= $1", [.date(time)])
  }

  private static func failure(_ row: Row) -> ImageFailure {
    ImageFailure(
      url: row.text(0), code: OffersError.Code(rawValue: row.text(1)) ?? .sourceFailed,
      reason: row.text(2), until: row.date(3))
  }
}
