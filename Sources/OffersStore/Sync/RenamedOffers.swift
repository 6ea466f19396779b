import OffersCore

/// The SQL that finds offers whose ids have changed, and gives them their new ids.
enum RenamedOffers {
  /// Finds the stored offers that a document has under other ids.
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - newOffers: the offers of its document that are not stored.
  ///   - missingKeys: the keys of the stored offers that its document lacks.
  ///   - transaction: reads the offers.
  static func find(
    of feed: String, _ newOffers: [RenameCandidate], _ missingKeys: [Int64],
    in transaction: any Transaction
  ) throws -> [RenamedOfferMatcher.Rename] {
    guard let feedKey = try FeedTable.findKey(feed, in: transaction) else { return [] }
    func see(_ renaming: inout RenamedOfferMatcher, _ row: any SQLRow) {
      guard let url = row.findUTF8(2), let name = row.findUTF8(3) else { return }
      renaming.see(key: row.number(0), id: row.text(1), url: url, name: name)
    }
    let sql = """
      SELECT offer_key, id, url, name FROM offer
      WHERE feed_key = $1 AND gone_at IS NULL AND found_at IS NULL AND url IS NOT NULL
      """
    // The missing ones first, which are few.
    var renaming = RenamedOfferMatcher(newOffers, missingKeys: missingKeys)
    let isMissing = transaction.dialect.isElement("offer_key", of: "$2")
    try transaction.scan(
      "\(sql) AND \(isMissing)", [.number(feedKey), .numbers(missingKeys)]
    ) {
      see(&renaming, $0)
      return true
    }
    if renaming.renames.isEmpty { return [] }
    renaming = RenamedOfferMatcher(newOffers, missingKeys: missingKeys)
    try transaction.forEach(sql, [.number(feedKey)]) { see(&renaming, $0) }
    return renaming.renames
  }

  /// Gives an offer its new id, in favorites, hidings and notices as well.
  static func rename(
    _ rename: RenamedOfferMatcher.Rename, of feed: String, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "UPDATE offer SET id = $1 WHERE offer_key = $2", [.text(rename.newID), .number(rename.key)])
    for (table, other) in [
      ("favorite", ""), ("hiding", ""),
      ("notice", "AND other.kind = own.kind AND other.about = own.about"),
    ] {
      // What somebody has set under the new id already gives way to the older one.
      try transaction.run(
        """
        DELETE FROM \(table) AS other WHERE other.feed = $2 AND other.id = $1
          AND EXISTS (SELECT 1 FROM \(table) AS own
            WHERE own.feed = $2 AND own.id = $3 AND own.user_key = other.user_key \(other))
        """, [.text(rename.newID), .text(feed), .text(rename.oldID)])
      try transaction.run(
        "UPDATE \(table) SET id = $1 WHERE feed = $2 AND id = $3",
        [.text(rename.newID), .text(feed), .text(rename.oldID)])
    }
    // The offer's end is not told again under its new id.
    let subject =
      "'ending ' || $2 || ':' || $1 || substr(user_notice.subject, length('ending ' || $2 || ':' || $3) + 1)"
    try transaction.run(
      """
      UPDATE user_notice SET id = $1,
        subject = CASE WHEN subject LIKE 'ending %' AND NOT EXISTS (
            SELECT 1 FROM user_notice AS other
            WHERE other.user_key = user_notice.user_key AND other.subject = \(subject))
          THEN \(subject) ELSE subject END
      WHERE feed = $2 AND id = $3
      """, [.text(rename.newID), .text(feed), .text(rename.oldID)])
  }
}
