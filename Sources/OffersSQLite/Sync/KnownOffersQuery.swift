import GRDB
import OffersCore

/// Reads what a sync compares a document with.
enum KnownOffersQuery {
  /// The offers of a feed, gone ones included, in the order of their keys: the order in which the
  /// feed brought them.
  ///
  /// One scan of the table of offers. The index on ids would give the rows in another order than
  /// the table has them in, each by a search of its own.
  static func fetch(feedKey: Int64, in database: Database) throws -> KnownOffers {
    var known = KnownOffers(
      capacity: try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database))
    let rows = try RawStatement(
      database,
      """
      SELECT offer_key, id, content_hash, gone_at FROM offer NOT INDEXED
      WHERE feed_key = ?1 ORDER BY offer_key
      """)
    defer { rows.reset() }
    rows.bind(1, feedKey)
    while try rows.step() {
      guard let id = rows.text(1) else { continue }
      known.insert(
        id: id, contentHash: UInt64(bitPattern: rows.number(2)), key: rows.number(0),
        isGone: !rows.isNull(3))
    }
    return known
  }
}
