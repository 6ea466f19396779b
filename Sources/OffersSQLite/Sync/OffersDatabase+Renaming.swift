import GRDB
import OffersCore
import OffersStore

extension OffersDatabase {
  package func renameOffers(
    of feed: String, as newOffers: [LinkedOffer], missingKeys: [Int64]
  ) async throws -> Int {
    // Most documents have none, and need no write transaction.
    let none = try await read { database in
      try Self.renames(of: feed, newOffers, missingKeys, in: database).isEmpty
    }
    if none { return 0 }
    return try await write { database in
      let renames = try Self.renames(of: feed, newOffers, missingKeys, in: database)
      for rename in renames {
        try database.execute(
          sql: "UPDATE offer SET id = ? WHERE offer_key = ?", arguments: [rename.newID, rename.key])
        for table in ["favorite", "notice"] {
          // A star that somebody has set under the new id already gives way to the older one.
          try database.execute(
            sql: "UPDATE OR REPLACE \(table) SET id = ? WHERE feed = ? AND id = ?",
            arguments: [rename.newID, feed, rename.oldID])
        }
      }
      return renames.count
    }
  }

  private static func renames(
    of feed: String, _ newOffers: [LinkedOffer], _ missingKeys: [Int64], in database: Database
  ) throws -> [OfferRenaming.Rename] {
    guard let feedKey = try FeedTable.findKey(feed, in: SQLiteTransaction(database)) else {
      return []
    }
    func see(_ renaming: inout OfferRenaming, _ row: Row) {
      renaming.see(
        key: row[0], id: row[1], url: (row[2] as String).utf8, name: (row[3] as String).utf8)
    }
    let sql = """
      SELECT offer_key, id, url, name FROM offer
      WHERE feed_key = ? AND gone_at IS NULL AND url IS NOT NULL
      """
    // The missing ones first, which are few.
    var renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    let statement = try database.cachedStatement(sql: sql + " AND offer_key = ?")
    for key in missingKeys {
      if let row = try Row.fetchOne(statement, arguments: [feedKey, key]) { see(&renaming, row) }
    }
    if renaming.renames.isEmpty { return [] }
    renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    let rows = try Row.fetchCursor(database, sql: sql, arguments: [feedKey])
    while let row = try rows.next() { see(&renaming, row) }
    return renaming.renames
  }
}
