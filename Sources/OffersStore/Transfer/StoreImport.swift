import Foundation
import OffersCore

/// The statements of an import into a store, within its transaction. `ImportMerge` decides what they write.
///
/// Offers, changes and favorites come in batches, so that a store on a server needs few round trips. No
/// batch has the same offer twice.
///
/// The import keeps the lock on the numbers of offers, changes and runs (`CommitOrder`) until its transaction
/// ends. Other syncs wait for it, reads do not; favorites wait only in SQLite, which has one writer at a time.
final class StoreImport {
  let transaction: any Transaction
  private let writer: any OfferWriter
  let history: ImportedHistory
  private var order: CommitOrder
  /// The largest key of an offer before the import.
  let lastOfferKey: Int64

  init(_ transaction: any Transaction) throws {
    self.transaction = transaction
    writer = try transaction.makeOfferWriter(isIndexed: true)
    order = try CommitOrder(locking: transaction)
    lastOfferKey = order.lastOfferKey
    history = try ImportedHistory(transaction, order)
  }

  // Offers.

  /// The wanted offers, as the tables of a query, and its parameters.
  private func tables(_ wanted: [ImportedRef]) -> (sql: String, values: [SQLValue]) {
    let table = transaction.dialect.table(
      [
        "feed_key": .numbers(wanted.map(\.feedKey)), "id": .texts(wanted.map(\.ref.offerID)),
        "place": .numbers(wanted.indices.map(Int64.init)),
      ], as: "wanted")
    return (
      "\(table.sql) JOIN offer ON offer.feed_key = wanted.feed_key AND offer.id = wanted.id",
      table.values
    )
  }

  /// The stored offers of some references, in their order; nil for those that are not stored.
  func findOffers(_ wanted: [ImportedRef]) throws -> [StoredOffer?] {
    var found = [StoredOffer?](repeating: nil, count: wanted.count)
    let tables = tables(wanted)
    // An offer that only a search found is gone since then, unless somebody starred it.
    try transaction.scan(
      """
      SELECT wanted.place, offer.offer_key,
        CASE WHEN offer.found_at IS NULL OR \(OfferColumns.isStarred) THEN offer.gone_at
          ELSE offer.found_at END, \(ExportedOffer.columns)
      FROM \(tables.sql) JOIN feed ON feed.feed_key = offer.feed_key
      """, tables.values
    ) { row in
      let place = row.count(0)
      var offer = ExportedOffer(row, from: 3, feed: wanted[place].ref.feed)
      offer.goneAt = row.findNumber(2)
      found[place] = StoredOffer(key: row.number(1), offer: offer)
      return true
    }
    return found
  }

  /// Inserts offers in their order, with keys after all others.
  func insert(_ offers: [(offer: ExportedOffer, feedKey: Int64)]) throws {
    for (offer, feedKey) in offers {
      try writer.insert(
        offer, key: order.nextOfferKey(), feedKey: feedKey,
        firstRunID: history.guessFirstRun(of: offer, feedKey: feedKey))
    }
    try writer.flushImported()
  }

  /// Updates stored offers.
  ///
  /// - Parameter offers: the key of each, its new state, and whether the content differs.
  func update(_ offers: [(key: Int64, offer: ExportedOffer, isOther: Bool)]) throws {
    for (key, offer, isOther) in offers {
      // An offer that this import inserted is not in a search index yet.
      try writer.update(offer, key: key, isOther: isOther, isNew: key > lastOfferKey)
    }
    try writer.flushImported()
  }

  // The history.

  /// The stored offers of the references of some changes, in their order; nil for those that are not
  /// stored.
  func findChanged(_ wanted: [ImportedRef]) throws -> [ImportedChangeTarget?] {
    var found = [ImportedChangeTarget?](repeating: nil, count: wanted.count)
    let tables = tables(wanted)
    try transaction.scan(
      """
      SELECT wanted.place, offer.offer_key, seen_earlier.first_seen_at FROM \(tables.sql)
      LEFT JOIN seen_earlier ON seen_earlier.offer_key = offer.offer_key
      """, tables.values
    ) { row in
      found[row.count(0)] = ImportedChangeTarget(
        key: row.number(1), firstSeenHereAt: row.findNumber(2))
      return true
    }
    return found
  }

  func mergeHistory(renumbers: Bool) throws {
    try history.merge(renumbers: renumbers, &order)
  }

  // Favorites.

  /// Adds favorites to those of their users, shared as in the document. If one is there, the earlier of
  /// two times stays, and so does its sharing.
  ///
  /// - Returns: whether each was added.
  func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool] {
    let new = transaction.dialect.table(
      [
        "user_key": .numbers(favorites.map(\.user)),
        "feed": .texts(favorites.map(\.favorite.ref.feed)),
        "id": .texts(favorites.map(\.favorite.ref.offerID)),
        "created_at": .numbers(favorites.map(\.favorite.starredAt)),
        "shared_at": .numbers(favorites.map(\.favorite.sharedAt)),
      ], as: "new")
    // Without the condition, SQLite takes ON for that of a join.
    var added = Set(
      try transaction.rows(
        """
        INSERT INTO favorite (user_key, feed, id, created_at, shared_at)
        SELECT new.user_key, new.feed, new.id, new.created_at, new.shared_at FROM \(new.sql)
        WHERE true
        ON CONFLICT (user_key, feed, id) DO NOTHING RETURNING user_key, feed, id
        """, new.values
      ) {
        FavoriteKey(user: $0.number(0), ref: OfferRef(feed: $0.text(1), offerID: $0.text(2)))
      })
    try transaction.run(
      """
      UPDATE favorite SET created_at = new.created_at FROM \(new.sql)
      WHERE favorite.user_key = new.user_key AND favorite.feed = new.feed AND favorite.id = new.id
        AND favorite.created_at > new.created_at
      """, new.values)
    return favorites.map { added.remove(FavoriteKey(user: $0.user, ref: $0.favorite.ref)) != nil }
  }

  /// A favorite of a user.
  private struct FavoriteKey: Hashable {
    let user: User.ID
    let ref: OfferRef
  }

  /// Updates counts and derived data, at the end of the import.
  ///
  /// - Parameters:
  ///   - newOffers: the number of inserted offers.
  ///   - updatedOffers: the number of updated offers.
  func finish(newOffers: Int, updatedOffers: Int) throws {
    try history.dropTables()
    if newOffers + updatedOffers > 0 {
      try writer.finish(newAfter: newOffers > 0 ? lastOfferKey : nil)
      try FeedTable.count(in: transaction)
    }
    try order.save(in: transaction)
  }
}

/// The reference of an offer, with the key of its feed in the store.
struct ImportedRef: Hashable {
  let feedKey: Int64
  let ref: OfferRef
}

/// An offer as a store has it before it is merged.
struct StoredOffer {
  let key: Int64
  let offer: ExportedOffer
}

/// An offer of which an export has a change.
struct ImportedChangeTarget {
  let key: Int64
  /// When the store first saw it; nil if the export did not see it earlier.
  let firstSeenHereAt: Int64?
}
