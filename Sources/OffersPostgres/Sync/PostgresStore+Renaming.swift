import OffersCore
import OffersStore

extension PostgresStore {
  package func renameOffers(
    of feed: String, as newOffers: [LinkedOffer], missingKeys: [Int64]
  ) async throws -> Int {
    // Most documents have none, and need no write transaction.
    let none = try await database.read { connection in
      try Self.renames(of: feed, newOffers, missingKeys, in: connection).isEmpty
    }
    if none { return 0 }
    let lease = SyncLease.current
    return try await database.write(kind: .ordered) { connection in
      let order = try CommitOrder(locking: connection)
      let renames = try Self.renames(of: feed, newOffers, missingKeys, in: connection)
      for rename in renames {
        try connection.run(
          "UPDATE offer SET id = $1 WHERE offer_key = $2",
          [.text(rename.newID), .number(rename.key)])
        for (table, other) in [
          ("favorite", ""), ("notice", "AND other.kind = own.kind AND other.about = own.about"),
        ] {
          // A star that somebody has set under the new id already gives way to the older one.
          try connection.run(
            """
            DELETE FROM \(table) AS other WHERE other.feed = $2 AND other.id = $1
              AND EXISTS (SELECT 1 FROM \(table) AS own
                WHERE own.feed = $2 AND own.id = $3 AND own.user_key = other.user_key \(other))
            """, [.text(rename.newID), .text(feed), .text(rename.oldID)])
          try connection.run(
            "UPDATE \(table) SET id = $1 WHERE feed = $2 AND id = $3",
            [.text(rename.newID), .text(feed), .text(rename.oldID)])
        }
      }
      try order.save(in: connection)
      try SyncLease.check(lease, feed, in: connection)
      return renames.count
    }
  }

  private static func renames(
    of feed: String, _ newOffers: [LinkedOffer], _ missingKeys: [Int64],
    in connection: Connection
  ) throws -> [OfferRenaming.Rename] {
    guard let feedKey = try FeedTable.findKey(feed, in: PostgresTransaction(connection)) else {
      return []
    }
    func see(_ renaming: inout OfferRenaming, _ row: Row) {
      guard let url = row.findBytes(2), let name = row.findBytes(3) else { return }
      renaming.see(key: row.number(0), id: row.text(1), url: url, name: name)
    }
    let sql = """
      SELECT offer_key, id, url, name FROM offer
      WHERE feed_key = $1 AND gone_at IS NULL AND found_at IS NULL AND url IS NOT NULL
      """
    // The missing ones first, which are few.
    var renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    let missing = try connection.rows(
      sql + " AND offer_key = ANY($2)", [.number(feedKey), .numbers(missingKeys[...])])
    for index in 0..<missing.count { see(&renaming, missing[index]) }
    if renaming.renames.isEmpty { return [] }
    renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    try connection.forEachRow("linked", sql, [.number(feedKey)]) { see(&renaming, $0) }
    return renaming.renames
  }
}
