import GRDB
import OffersCore

/// Loads what a sync compares with, without making a value of any row.
enum KnownOffersQuery {
  static func fetch(feedKey: Int64, in database: Database) throws -> KnownOffers {
    let count = try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database)
    var known = KnownOffers(capacity: count)
    // In the order of the table, not of the index: each page is read once.
    let rows = try RawStatement(
      database,
      """
      SELECT offer_key, id, content_hash, gone_at
      FROM offer NOT INDEXED WHERE feed_key = \(feedKey) ORDER BY offer_key
      """)
    defer { rows.reset() }
    while try rows.step() {
      guard let id = rows.text(1) else { continue }
      known.insert(
        id: id, contentHash: UInt64(bitPattern: rows.number(2)), key: rows.number(0),
        isGone: !rows.isNull(3))
    }
    return known
  }
}
