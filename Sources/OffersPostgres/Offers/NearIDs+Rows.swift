import OffersCore
import OffersStore

extension NearIDs {
  init(in connection: Connection) throws {
    self.init(feeds: try FeedTable.subscribedNames(in: PostgresTransaction(connection))) {
      feed, prefix, limit in
      if prefix.utf8.contains(0) { return [] }
      return try connection.rows(
        """
        SELECT offer.id, offer.name FROM \(OfferColumns.tables)
        WHERE feed.name = $1 AND offer.id >= $2 AND starts_with(offer.id, $2)
        ORDER BY offer.id LIMIT $3
        """, [.text(feed), .text(prefix), .number(Int64(limit))]
      ).map { (OfferRef(feed: feed, offerID: $0.text(0)), $0.text(1)) }
    }
  }
}
