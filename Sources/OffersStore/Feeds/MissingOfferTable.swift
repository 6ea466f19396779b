import Foundation
import OffersCore

/// The SQL for current offers that the last document of their feed lacks.
package enum MissingOfferTable {
  static func fetch(of feed: String, in transaction: any Transaction) throws -> [MissingOffer] {
    if !StoredText.isStorable(feed) { return [] }
    return try transaction.rows(
      """
      SELECT missing.offer_key, missing.since, missing.is_older
      FROM missing_offer AS missing JOIN feed ON feed.feed_key = missing.feed_key
      WHERE feed.name = $1 ORDER BY missing.offer_key
      """, [.text(feed)]
    ) { MissingOffer(key: $0.number(0), since: $0.findDate(1), isOlder: $0.flag(2)) }
  }

  /// The number of offers that one statement inserts.
  private static let pieceCount = 10_000

  /// Replaces the missing offers of a feed. Those that were removed from the store are left out.
  package static func replace(
    with missing: [MissingOffer], feedKey: Int64, in transaction: any Transaction
  ) throws {
    try clear(feedKey: feedKey, in: transaction)
    // By a value that all offers of a group share.
    let groups = Dictionary(grouping: missing) {
      MissingOffer(key: 0, since: $0.since, isOlder: $0.isOlder)
    }
    for (group, offers) in groups {
      let keys = offers.map(\.key)
      for start in stride(from: 0, to: keys.count, by: pieceCount) {
        let piece = keys[start..<min(start + pieceCount, keys.count)]
        // The plus keeps SQLite from walking through all offers of the feed.
        try transaction.run(
          """
          INSERT INTO missing_offer (offer_key, feed_key, since, is_older)
          SELECT offer_key, feed_key, $3, $4 FROM offer
          WHERE \(transaction.dialect.isElement("offer_key", of: "$1")) AND +feed_key = $2
            AND gone_at IS NULL
          """, [.numbers(Array(piece)), .number(feedKey), .date(group.since), .flag(group.isOlder)])
      }
    }
  }

  /// Those of some offers of a feed that are older than another one: by their days of publication, else by
  /// the places at which documents first listed them, the newest first.
  static func findOlder(
    than key: Int64, among keys: [Int64], in transaction: any Transaction
  ) throws -> [Int64] {
    func place(_ offer: String) -> String {
      """
      (\(offer).first_seen_at, coalesce(\(offer).first_run_id, (SELECT max(change.run_id) FROM change
        WHERE change.offer_key = \(offer).offer_key AND change.kind = 'new'), 0), -\(offer).offer_key)
      """
    }
    func day(_ attributes: String?) -> String? {
      attributes.map(OfferAttribute.parse)?.first { $0.label == OfferAttribute.published }?.value
    }
    return try transaction.rows(
      """
      SELECT offer.offer_key, \(place("offer")) < \(place("other")), offer.attributes, other.attributes
      FROM offer JOIN offer AS other ON other.offer_key = $2
      WHERE \(transaction.dialect.isElement("offer.offer_key", of: "$1")) ORDER BY offer.offer_key
      """, [.numbers(keys), .number(key)]
    ) { row -> Int64? in
      var isOlder = row.flag(1)
      if let own = day(row.findText(2)), let other = day(row.findText(3)), own != other {
        isOlder = own < other
      }
      return isOlder ? row.number(0) : nil
    }.compactMap(\.self)
  }

  /// Forgets the missing offers of a feed.
  package static func clear(feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM missing_offer WHERE feed_key = $1", [.number(feedKey)])
  }
}
