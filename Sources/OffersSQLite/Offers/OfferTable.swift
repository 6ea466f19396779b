import Foundation
import GRDB
import OffersCore

/// The SQL that reads offers.
enum OfferTable {
  /// Selects the columns that `offer(from:)` expects, joined with the feed and the favorite. The
  /// first argument is the user whose favorites are marked.
  private static let selection = """
    SELECT
      offer.offer_key, feed.name AS feed_name, offer.id, offer.name, offer.description, offer.terms,
      offer.reward_text, offer.reward_minor_units, offer.reward_currency,
      offer.reward_percent_hundredths, offer.reward_up_to, offer.image_url, offer.url,
      detail.retailer, detail.categories, detail.starts_at, detail.expires_at, detail.latitude,
      detail.longitude, detail.attributes, feed.shared,
      offer.first_seen_at, offer.changed_at,
      CASE WHEN \(FoundOffers.isUnlisted) THEN NULL ELSE offer.gone_at END AS gone_at,
      favorite.created_at IS NOT NULL AS is_favorite
    FROM offer
    JOIN feed USING (feed_key)
    LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
    LEFT JOIN favorite ON favorite.user_key = ?
      AND favorite.feed = feed.name AND favorite.id = offer.id
    """

  static let findSQL = "\(selection) WHERE feed.name = ? AND offer.id = ?"

  /// Selects the names of the feeds that have an offer with an id.
  static let feedsWithIDSQL = """
    SELECT feed.name FROM feed JOIN offer USING (feed_key)
    WHERE offer.id = ? ORDER BY feed.name
    """

  static func find(_ ref: OfferRef, of user: User.ID, in database: Database) throws -> UserOffer? {
    let statement = try database.cachedStatement(sql: findSQL)
    return try one(statement, [user, ref.feed.lookedUp, ref.offerID.lookedUp])
  }

  static let findByKeySQL = "\(selection) WHERE offer.offer_key = ?"

  static func find(key: Int64, of user: User.ID, in database: Database) throws -> UserOffer? {
    let statement = try database.cachedStatement(sql: findByKeySQL)
    return try one(statement, [user, key])
  }

  /// Decodes the row from the cursor: looking up columns by name in a copied row takes longer than
  /// the query.
  private static func one(_ statement: Statement, _ arguments: StatementArguments) throws
    -> UserOffer?
  {
    try Row.fetchCursor(statement, arguments: arguments).map(offer).next()
  }

  static func findKey(_ ref: OfferRef, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT offer.offer_key FROM offer JOIN feed USING (feed_key)
        WHERE feed.name = ? AND offer.id = ?
        """, arguments: [ref.feed.lookedUp, ref.offerID.lookedUp])
  }

  /// Removes an offer with its details. Its changes stay.
  static func delete(_ key: Int64, in database: Database) throws {
    for table in ["offer_detail", "found_offer", "missing_offer", "offer"] {
      try database.cachedStatement(sql: "DELETE FROM \(table) WHERE offer_key = ?")
        .execute(arguments: [key])
    }
  }

  static func feeds(havingID id: String, in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: feedsWithIDSQL, arguments: [id.lookedUp])
  }

  /// The offers with the given keys, in the order of the keys; missing ones are omitted. For
  /// `textBytes`, see `OfferQuery`.
  ///
  /// One statement reads all of them, which is faster than one statement per key.
  static func list(
    keys: some Collection<Int64>, of user: User.ID, textBytes: Int? = nil, in database: Database
  ) throws -> [UserOffer] {
    var found: [Int64: UserOffer] = [:]
    found.reserveCapacity(keys.count)
    try forEach(of: keys, user, in: database) { key, offer in
      found[key] = textBytes.map { offer.abridged(toBytes: $0) } ?? offer
      return true
    }
    return keys.compactMap { found[$0] }
  }

  /// The first offers, in the order of the keys, whose texts have at most `maximumBytes` together;
  /// at least one.
  ///
  /// - Parameter textBytes: the size to which texts are truncated; nil for whole offers.
  /// - Returns: also the number of keys consumed, missing offers included.
  static func page(
    keys: some Collection<Int64>, of user: User.ID, maximumBytes: Int, textBytes: Int? = nil,
    in database: Database
  ) throws -> (offers: [UserOffer], keyCount: Int) {
    func fit(_ offer: UserOffer) -> UserOffer {
      textBytes.map { offer.abridged(toBytes: $0) } ?? offer
    }
    var found: [Int64: UserOffer] = [:]
    found.reserveCapacity(keys.count)
    var bytes = 0
    try forEach(of: keys, user, in: database) { key, offer in
      let offer = fit(offer)
      bytes += offer.textBytes
      found[key] = offer
      return bytes <= maximumBytes
    }
    if bytes <= maximumBytes { return (keys.compactMap { found[$0] }, keys.count) }
    // The limit was exceeded, and the rows came in no particular order. Read one offer at a time in
    // the order of the keys, so that not all are in memory at once.
    found = [:]
    bytes = 0
    var offers: [UserOffer] = []
    for (count, key) in keys.enumerated() {
      guard let offer = try find(key: key, of: user, in: database).map(fit) else { continue }
      bytes += offer.textBytes
      if bytes > maximumBytes, !offers.isEmpty { return (offers, count) }
      offers.append(offer)
    }
    return (offers, keys.count)
  }

  /// - Parameter body: is called once per offer, in any order, and returns whether to continue.
  private static func forEach(
    of keys: some Collection<Int64>, _ user: User.ID, in database: Database,
    _ body: (_ key: Int64, _ offer: UserOffer) throws -> Bool
  ) throws {
    let statement = try database.cachedStatement(
      sql: "\(selection) WHERE offer.offer_key IN (SELECT value FROM json_each(?))")
    let wanted = "[" + keys.map(String.init).joined(separator: ",") + "]"
    let rows = try Row.fetchCursor(statement, arguments: [user, wanted])
    while let row = try rows.next() {
      guard try body(row["offer_key"], offer(from: row)) else { return }
    }
  }

  private static func offer(from row: Row) -> UserOffer {
    UserOffer(
      Offer(
        ref: OfferRef(feed: row["feed_name"], offerID: row["id"]),
        name: row["name"],
        description: row["description"],
        terms: row["terms"],
        reward: reward(from: row),
        imageURLText: row["image_url"],
        urlText: row["url"],
        retailer: row["retailer"],
        categories: (row["categories"] as String?).map(JSONTexts.parse) ?? [],
        startsAt: (row["starts_at"] as Int64?).map(Date.init(storedSeconds:)),
        expiresAt: (row["expires_at"] as Int64?).map(Date.init(storedSeconds:)),
        latitude: row["latitude"],
        longitude: row["longitude"],
        attributes: attributes(from: row),
        firstSeenAt: Date(storedSeconds: row["first_seen_at"]),
        changedAt: Date(storedSeconds: row["changed_at"]),
        goneAt: (row["gone_at"] as Int64?).map(Date.init(storedSeconds:))),
      isFavorite: row["is_favorite"])
  }

  /// The offer's own attributes, then those of the feed whose labels the offer does not use.
  private static func attributes(from row: Row) -> [OfferAttribute] {
    let own = (row["attributes"] as String?).map(OfferAttribute.parse) ?? []
    guard let shared = row["shared"] as String? else { return own }
    let labels = Set(own.map(\.label))
    return own + OfferAttribute.parse(shared).filter { !labels.contains($0.label) }
  }

  static func reward(from row: Row) -> Reward? {
    guard let text = row["reward_text"] as String? else { return nil }
    var value: Reward.Value?
    if let units = row["reward_minor_units"] as Int64?, let code = row["reward_currency"] as String?
    {
      value = .amount(minorUnits: units, storedCurrency: code)
    } else if let hundredths = row["reward_percent_hundredths"] as Int64? {
      value = .percent(hundredths: hundredths)
    }
    return Reward(text: text, value: value, isUpTo: row["reward_up_to"])
  }
}
