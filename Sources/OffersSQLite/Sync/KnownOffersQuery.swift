import GRDB
import OffersCore
import OffersStore

/// Reads the stored offers that a sync compares a document with.
enum KnownOffersQuery {
  /// The offers of a feed, in key order, which is the order in which syncs first found them and
  /// mostly that of the document. Gone ones are included, and so are those that only a search found,
  /// as gone ones: the document need not have them.
  ///
  /// One scan of the table. The index on ids would return the rows in another order and look up
  /// each of them separately.
  static func fetch(feedKey: Int64, in database: Database) throws -> KnownOffers {
    var known = KnownOffers(
      capacity: try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database))
    let rows = try RawStatement(
      database,
      """
      SELECT offer_key, id, content_hash,
        gone_at IS NOT NULL
          OR offer_key IN (SELECT offer_key FROM found_offer WHERE feed_key = ?1)
      FROM offer NOT INDEXED
      WHERE feed_key = ?1 ORDER BY offer_key
      """)
    defer { rows.reset() }
    rows.bind(1, feedKey)
    while try rows.step() {
      guard let id = rows.text(1) else { continue }
      known.insert(
        id: id, contentHash: UInt64(bitPattern: rows.number(2)), key: rows.number(0),
        isGone: rows.number(3) != 0)
    }
    return known
  }
}
