import GRDB
import OffersCore
import OffersStore

extension OfferTable {
  /// The offers with the given keys, in the order of the keys; missing ones are omitted. For
  /// `textBytes`, see `OfferQuery`.
  static func list(
    keys: some Collection<Int64>, of user: User.ID, textBytes: Int? = nil, in database: Database
  ) throws -> [UserOffer] {
    try list(keys: keys, of: user, in: SQLiteTransaction(database)).map { stored in
      textBytes.map { stored.offer.abridged(toBytes: $0) } ?? stored.offer
    }
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
    let transaction = SQLiteTransaction(database)
    try forEach(of: keys, user, in: transaction) { stored in
      let offer = fit(stored.offer)
      bytes += offer.textBytes
      found[stored.key] = offer
      return bytes <= maximumBytes
    }
    if bytes <= maximumBytes { return (keys.compactMap { found[$0] }, keys.count) }
    // The limit was exceeded, and the rows came in no particular order. Read one offer at a time in
    // the order of the keys, so that not all are in memory at once.
    found = [:]
    bytes = 0
    var offers: [UserOffer] = []
    for (count, key) in keys.enumerated() {
      guard let offer = try find(key: key, of: user, in: transaction).map(fit) else { continue }
      bytes += offer.textBytes
      if bytes > maximumBytes, !offers.isEmpty { return (offers, count) }
      offers.append(offer)
    }
    return (offers, keys.count)
  }

  /// Removes an offer with its details. Its changes stay.
  static func delete(_ key: Int64, in database: Database) throws {
    for table in ["offer_detail", "found_offer", "missing_offer", "offer"] {
      try database.cachedStatement(sql: "DELETE FROM \(table) WHERE offer_key = ?")
        .execute(arguments: [key])
    }
  }
}
