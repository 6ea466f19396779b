import Foundation
import OffersCore

/// The SQL for failures to fetch images.
enum ImageFailureTable {
  /// The most failures that are kept: those that expire last.
  private static let limit = 200

  /// A failure that would last for more than a day was stored under a clock that was ahead, and has
  /// expired.
  private static let isValid =
    "until > $1 AND until <= $1 + \(Int64(ImageCacheLimits.failureSeconds))"

  static func find(
    _ url: String, now: Date, in transaction: any Transaction
  ) throws -> ImageFailure? {
    if !StoredText.isStorable(url) { return nil }
    return try transaction.first(
      "SELECT url, code, reason, until FROM image_failure WHERE url = $2 AND \(isValid)",
      [.date(now), .text(url)], failure)
  }

  /// The failures that have not expired, those that expire last first.
  static func all(now: Date, in transaction: any Transaction) throws -> [ImageFailure] {
    try transaction.rows(
      """
      SELECT url, code, reason, until FROM image_failure WHERE \(isValid)
      ORDER BY until DESC, url
      """, [.date(now)], failure)
  }

  static func put(_ failure: ImageFailure, in transaction: any Transaction) throws {
    try transaction.run(
      """
      INSERT INTO image_failure (url, code, reason, until) VALUES ($1, $2, $3, $4)
      ON CONFLICT (url) DO UPDATE
      SET code = excluded.code, reason = excluded.reason, until = excluded.until
      """,
      [
        .text(failure.url), .text(failure.code.rawValue), .text(failure.reason),
        .date(failure.until),
      ])
    try transaction.run(
      """
      DELETE FROM image_failure WHERE url IN (
        SELECT url FROM image_failure ORDER BY until DESC, url
        \(transaction.dialect.offset(String(limit))))
      """)
  }

  static func delete(_ url: String, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM image_failure WHERE url = $1", [.text(url)])
  }

  static func clear(until time: Date, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM image_failure WHERE until <= $1", [.date(time)])
  }

  private static func failure(_ row: any SQLRow) -> ImageFailure {
    ImageFailure(
      url: row.text(0), code: OffersError.Code(rawValue: row.text(1)) ?? .sourceFailed,
      reason: row.text(2), until: row.date(3))
  }
}
