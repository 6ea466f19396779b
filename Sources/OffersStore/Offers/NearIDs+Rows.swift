import OffersCore

extension NearIDs {
  /// A range scan of the index on ids, whose work does not depend on the number of offers.
  package init(in transaction: any Transaction) throws {
    self.init(feeds: try FeedTable.subscribedNames(in: transaction)) { feed, prefix, limit in
      guard StoredText.isStorable(prefix),
        let feedKey = try FeedTable.findKey(feed, in: transaction)
      else { return [] }
      return try transaction.rows(
        """
        SELECT id FROM offer
        WHERE feed_key = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4
        """, [.number(feedKey), .text(prefix), .text(prefix + "\u{10FFFF}"), .count(limit)]
      ) { OfferRef(feed: feed, offerID: $0.text(0)) }
    }
  }
}
