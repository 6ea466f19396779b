import Foundation
import OffersCore
import OffersStore

/// The statements of an import into the database.
///
/// It keeps the lock on the numbers of offers, changes and runs until the transaction ends: syncs wait,
/// reads and favorites do not.
final class PostgresImport: SQLImport {
  private let connection: Connection
  var transaction: any Transaction { PostgresTransaction(connection) }
  private let history: ImportedHistory
  private var order: CommitOrder
  private var batch = OfferBatch()
  private var words: Set<String> = []
  let lastOfferKey: Int64

  /// The number of words above which they are written.
  private static let wordLimit = 100_000

  init(_ connection: Connection) throws {
    self.connection = connection
    order = try CommitOrder(locking: connection)
    lastOfferKey = order.lastOfferKey
    history = try ImportedHistory(connection, order)
  }

  // Offers.

  /// The wanted offers, as a table `wanted` of which `$1` and `$2` are the arrays.
  private static let wanted = """
    unnest($1, $2) WITH ORDINALITY AS wanted (feed_key, id, place)
    JOIN offer ON offer.feed_key = wanted.feed_key AND offer.id = wanted.id
    """

  private static func arrays(_ wanted: [ImportedRef]) -> [Parameter] {
    [.numbers(wanted.map(\.feedKey)), .texts(wanted.map(\.ref.offerID))]
  }

  func findOffers(_ wanted: [ImportedRef]) throws -> [StoredOffer?] {
    // An offer that only a search found is gone since then, unless somebody starred it.
    let rows = try connection.rows(
      """
      SELECT wanted.place, offer.offer_key,
        CASE WHEN offer.found_at IS NULL OR \(OfferColumns.isStarred) THEN offer.gone_at
          ELSE offer.found_at END, \(ExportedOffer.columns)
      FROM \(Self.wanted) JOIN feed ON feed.feed_key = offer.feed_key
      """, Self.arrays(wanted))
    var found = [StoredOffer?](repeating: nil, count: wanted.count)
    for index in 0..<rows.count {
      let row = rows[index]
      let place = row.count(0) - 1
      var offer = ExportedOffer(row.dropping(3), feed: wanted[place].ref.feed)
      offer.goneAt = row.findNumber(2)
      found[place] = StoredOffer(key: row.number(1), offer: offer)
    }
    return found
  }

  func insert(_ offers: [(offer: ExportedOffer, feedKey: Int64)]) throws {
    for (offer, feedKey) in offers {
      batch.append(
        offer, key: order.nextOfferKey(), feedKey: feedKey,
        firstRunID: try history.guessFirstRun(of: offer, feedKey: feedKey), words: &words)
      if batch.isFull { try batch.insertImported(in: connection) }
    }
    try batch.insertImported(in: connection)
    try writeWords(above: Self.wordLimit)
  }

  func update(_ offers: [(key: Int64, offer: ExportedOffer, isOther: Bool)]) throws {
    for (key, offer, isOther) in offers {
      batch.append(offer, key: key, isOther: isOther, words: &words)
      if batch.isFull { try batch.updateImported(in: connection) }
    }
    try batch.updateImported(in: connection)
    try writeWords(above: Self.wordLimit)
  }

  private func writeWords(above count: Int) throws {
    guard words.count > count else { return }
    try SearchWordTable.add(words, in: connection)
    words = []
  }

  // The history.

  func fetchRunMarks() throws -> [RunMark: Int64] { try history.fetchMarks() }

  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws {
    try history.add(run, number: number, known: known, feedKey: feedKey)
  }

  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws {
    try history.note(seenEarlier: offers)
  }

  func findChanged(_ wanted: [ImportedRef]) throws -> [ChangedOffer?] {
    let rows = try connection.rows(
      """
      SELECT wanted.place, offer.offer_key, seen_earlier.first_seen_at FROM \(Self.wanted)
      LEFT JOIN seen_earlier ON seen_earlier.offer_key = offer.offer_key
      """, Self.arrays(wanted))
    var found = [ChangedOffer?](repeating: nil, count: wanted.count)
    for index in 0..<rows.count {
      let row = rows[index]
      found[row.count(0) - 1] = ChangedOffer(
        key: row.number(1), firstSeenHereAt: row.findNumber(2))
    }
    return found
  }

  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws {
    try history.add(changes)
  }

  func mergeHistory(renumbers: Bool) throws {
    try history.merge(renumbers: renumbers, &order)
  }

  func findLastChange(through run: Int) throws -> Int64 {
    try history.findLastChange(through: run)
  }

  // Favorites.

  func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool] {
    let columns: [Parameter] = [
      .numbers(favorites.map(\.user)), .texts(favorites.map(\.favorite.ref.feed)),
      .texts(favorites.map(\.favorite.ref.offerID)),
      .numbers(favorites.map(\.favorite.starredAt)),
    ]
    var shared = ArrayParameter(.int8)
    for favorite in favorites { shared.append(favorite.favorite.sharedAt) }
    let added = try connection.rows(
      """
      INSERT INTO favorite (user_key, feed, id, created_at, shared_at)
      SELECT new.* FROM unnest($1, $2, $3, $4, $5) AS new
      ON CONFLICT DO NOTHING RETURNING user_key, feed, id
      """, columns + [.array(shared)])
    var new = Set(
      added.map { Mark(user: $0.number(0), ref: OfferRef(feed: $0.text(1), offerID: $0.text(2))) })
    try connection.run(
      """
      UPDATE favorite SET created_at = new.created_at
      FROM unnest($1, $2, $3, $4) AS new (user_key, feed, id, created_at)
      WHERE favorite.user_key = new.user_key AND favorite.feed = new.feed AND favorite.id = new.id
        AND favorite.created_at > new.created_at
      """, columns)
    return favorites.map { new.remove(Mark(user: $0.user, ref: $0.favorite.ref)) != nil }
  }

  /// A favorite of a user.
  private struct Mark: Hashable {
    let user: User.ID
    let ref: OfferRef
  }

  func finish(newOffers: Int, updatedOffers: Int) throws {
    try writeWords(above: 0)
    if newOffers + updatedOffers > 0 { try FeedTable.count(in: PostgresTransaction(connection)) }
    try order.save(in: connection)
  }
}
