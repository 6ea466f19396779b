import GRDB
import OffersCore
import OffersStore

/// The results of a search on a feed's server.
extension DifferenceWriter {
  /// Stores the offers that a search found beside the feed's own; see `FoundOffers`. The offers of
  /// the feed and its gone favorites stay as they are, and no change is recorded.
  func writeFound(_ plan: SyncPlan) throws {
    try plan.knownRecords.forEachRecord { record in
      let key = record.offerKey
      guard let difference = try stored.findDifference(record) else { return }
      counts.unchanged += 1
      let isFound = try FoundOffers.contains(key, in: database)
      if !isFound {
        guard difference.wasGone, try !FavoriteQuery.contains(offerKey: key, in: database) else {
          return
        }
      }
      if difference.fields != nil { try update(record, difference) }
      try FoundOffers.put(key, feedKey: feedKey, at: seconds, in: database)
    }
    let records = plan.newRecords.makeReader()
    while let record = try records.next() {
      guard let key = try insert(record) else { continue }
      counts.new += 1
      if record.hasDetails { try writeDetail(record, key) }
      try FoundOffers.put(key, feedKey: feedKey, at: seconds, in: database)
      // A favorite may name an offer that was not stored so far.
      try FoundOffers.updateListed(
        OfferRef(feed: plan.run.feed, offerID: record.id), in: database)
    }
    try removeSurplus()
    try index.finish(newAfter: counts.new > 0 ? lastKey : nil)
  }

  /// Removes the longest unseen of the found offers above `Retention.foundOfferLimit`, except for the
  /// newest offer, whose key must not be given to another one. Their changes stay, too:
  /// the number of the newest one must not be given to another change.
  private func removeSurplus() throws {
    let keys = try Int64.fetchAll(
      database,
      sql: """
        SELECT offer_key FROM (
          SELECT offer_key FROM found_offer WHERE is_listed = 0
          ORDER BY found_at DESC, offer_key DESC LIMIT -1 OFFSET ?)
        WHERE offer_key <> (SELECT max(offer_key) FROM offer)
        ORDER BY offer_key
        """, arguments: [Retention.foundOfferLimit])
    for key in keys {
      try index.willChange(key)
      try OfferTable.delete(key, in: database)
    }
  }
}
