import GRDB
import OffersCore
import OffersStore

extension NearIDs {
  /// A range scan of the index on ids. Its cost does not depend on the number of offers.
  static let sql = """
    SELECT offer.id, offer.name FROM offer
    WHERE offer.feed_key = ? AND offer.id >= ? AND offer.id < ? ORDER BY offer.id LIMIT ?
    """

  init(in database: Database) throws {
    let statement = try database.cachedStatement(sql: Self.sql)
    self.init(feeds: try FeedTable.subscribedNames(in: SQLiteTransaction(database))) {
      feed, prefix, limit in
      guard !prefix.utf8.contains(0),
        let key = try FeedTable.findKey(feed, in: SQLiteTransaction(database))
      else {
        return []
      }
      return try Row.fetchAll(statement, arguments: [key, prefix, prefix + "\u{10FFFF}", limit])
        .map { (OfferRef(feed: feed, offerID: $0["id"]), $0["name"]) }
    }
  }
}
