import Foundation
import OffersCore

/// The SQL that reads single offers.
package enum OfferTable {
  /// An offer with its key.
  package struct Stored: Sendable {
    package let key: Int64
    package let offer: UserOffer
  }

  package static func find(
    _ ref: OfferRef, of user: User.ID, in transaction: any Transaction
  ) throws -> Stored? {
    if !isStorable(ref) { return nil }
    return try transaction.first(
      "\(select) WHERE feed.name = $2 AND offer.id = $3",
      [.number(user), .text(ref.feed), .text(ref.offerID)], isFrequent: true, stored)
  }

  package static func findKey(_ ref: OfferRef, in transaction: any Transaction) throws -> Int64? {
    if !isStorable(ref) { return nil }
    return try transaction.first(
      """
      SELECT offer.offer_key FROM offer JOIN feed ON feed.feed_key = offer.feed_key
      WHERE feed.name = $1 AND offer.id = $2
      """, [.text(ref.feed), .text(ref.offerID)]
    ) { $0.number(0) }
  }

  /// The keys of the stored ones of some offers.
  static func findKeys(
    _ refs: some Collection<OfferRef>, in transaction: any Transaction
  ) throws -> [Int64] {
    let tables = OfferColumns.source(of: refs.filter(isStorable), first: 1, transaction.dialect)
    return try transaction.rows("SELECT offer.offer_key FROM \(tables.sql)", tables.values) {
      $0.number(0)
    }
  }

  /// Finds the offer that a text names: `feed:id` if the part before the first colon is a feed with
  /// that offer, otherwise a bare id.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` if several feeds have the bare id.
  package static func fetch(
    named text: String, of user: User.ID, in transaction: any Transaction
  ) throws -> Stored {
    if let ref = OfferRef(text), let found = try find(ref, of: user, in: transaction) {
      return found
    }
    let found =
      StoredText.isStorable(text)
      ? try transaction.rows(
        "\(select) WHERE offer.id = $2 ORDER BY feed.name",
        [.number(user), .text(text)], stored) : []
    if found.count == 1 { return found[0] }
    if found.isEmpty {
      throw try NearIDs(in: transaction).missing(text) {
        try findKey($0, in: transaction) != nil
      }
    }
    let names = found.map(\.offer.ref.description).joined(separator: ", ")
    throw OffersError(
      .ambiguous, "Several feeds have an offer “\(text)”.", hint: "Say which: \(names).")
  }

  /// The references of offers that texts name; see `fetch(named:of:in:)`.
  static func refs(
    named names: [String], of user: User.ID, in transaction: any Transaction
  ) throws -> [OfferRef] {
    try names.map { try fetch(named: $0, of: user, in: transaction).offer.ref }
  }

  /// The offers of some keys, in their order. Those that were removed are left out.
  package static func list(
    keys: some Collection<Int64>, of user: User.ID, in transaction: any Transaction
  ) throws -> [Stored] {
    var found: [Int64: Stored] = [:]
    found.reserveCapacity(keys.count)
    try forEach(of: keys, user, in: transaction) {
      found[$0.key] = $0
      return true
    }
    return keys.compactMap { found[$0] }
  }

  /// Calls `body` with the offers of some keys, in any order, until it returns false.
  package static func forEach(
    of keys: some Collection<Int64>, _ user: User.ID, in transaction: any Transaction,
    _ body: (Stored) throws -> Bool
  ) throws {
    let isWanted = transaction.dialect.isElement("offer.offer_key", of: "$2")
    try transaction.scan(
      "\(select) WHERE \(isWanted)", [.number(user), .numbers(Array(keys))],
      isFrequent: true
    ) { try body(stored($0)) }
  }

  package static func find(
    key: Int64, of user: User.ID, in transaction: any Transaction
  ) throws -> UserOffer? {
    try transaction.first(
      "\(select) WHERE offer.offer_key = $2",
      [.number(user), .number(key)], OfferColumns.offer)
  }

  /// The stored ones of some offers.
  static func find(
    _ refs: [OfferRef], of user: User.ID, in transaction: any Transaction
  ) throws -> [OfferRef: UserOffer] {
    let dialect = transaction.dialect
    let tables = OfferColumns.source(of: refs, first: 2, dialect)
    var offers: [OfferRef: UserOffer] = [:]
    let found = try transaction.rows(
      "SELECT \(OfferColumns.columns) FROM \(tables.sql)",
      [.number(user)] + tables.values, isFrequent: true, OfferColumns.offer)
    for offer in found { offers[offer.ref] = offer }
    return offers
  }

  package static func stored(_ row: any SQLRow) -> Stored {
    Stored(key: OfferColumns.key(row), offer: OfferColumns.offer(row))
  }

  private static let select = "SELECT \(OfferColumns.columns) FROM \(OfferColumns.source)"

  private static func isStorable(_ ref: OfferRef) -> Bool {
    StoredText.isStorable(ref.feed) && StoredText.isStorable(ref.offerID)
  }

  /// Refuses references that no stored offer has, because no store can hold their characters.
  static func checkStorable(_ refs: [OfferRef]) throws(OffersError) {
    if let odd = refs.first(where: { !isStorable($0) }) { throw unknown(odd) }
  }

  static func unknown(_ ref: OfferRef) -> OffersError {
    OffersError(.notFound, "There is no offer “\(ref)”.")
  }
}

extension OffersDatabase {
  /// The offer, or nil when the database does not have it.
  public func findOffer(_ ref: OfferRef) async throws(OffersError) -> UserOffer? {
    try await transaction(.query) { [user] in
      try OfferTable.find(ref, of: user, in: $0)?.offer
    }
  }

  /// The offer that a person named: by a full reference such as `ibotta:110579`, or a bare id such
  /// as `110579`.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` when several feeds have the bare
  ///   id; the hint names them.
  public func fetchOffer(named text: String) async throws(OffersError) -> UserOffer {
    try await transaction(.read) { [user] in
      try OfferTable.fetch(named: text, of: user, in: $0).offer
    }
  }
}

extension OfferTable {
  /// The number of offers that one statement reads.
  private static let pieceCount = 200

  /// The first offers, in the order of the keys, whose texts have at most `maximumBytes` together;
  /// at least one.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - user: the user who sees the offers.
  ///   - maximumBytes: the bound of the texts, in bytes of UTF-8.
  ///   - textBytes: the size to which texts are truncated; nil for whole offers.
  ///   - transaction: runs the statements.
  /// - Returns: also the number of keys consumed, those of removed offers included.
  static func page(
    keys: some Collection<Int64>, of user: User.ID, maximumBytes: Int, textBytes: Int? = nil,
    in transaction: any Transaction
  ) throws -> (offers: [UserOffer], keyCount: Int) {
    func fit(_ offer: UserOffer) -> UserOffer {
      textBytes.map { offer.abridged(toBytes: $0) } ?? offer
    }
    var offers: [UserOffer] = []
    var bytes = 0
    var count = 0
    while count < keys.count {
      let piece = keys.dropFirst(count).prefix(pieceCount)
      var found: [Int64: UserOffer] = [:]
      var foundBytes = 0
      try forEach(of: piece, user, in: transaction) { stored in
        let offer = fit(stored.offer)
        foundBytes += offer.textBytes
        found[stored.key] = offer
        return bytes + foundBytes <= maximumBytes
      }
      if bytes + foundBytes <= maximumBytes {
        offers += piece.compactMap { found[$0] }
        bytes += foundBytes
        count += piece.count
        continue
      }
      // The limit was exceeded, and the rows came in no particular order. Read one offer at a time in
      // the order of the keys, so that not all are in memory at once.
      found = [:]
      for key in piece {
        guard let offer = try find(key: key, of: user, in: transaction).map(fit) else {
          count += 1
          continue
        }
        bytes += offer.textBytes
        if bytes > maximumBytes, !offers.isEmpty { return (offers, count) }
        offers.append(offer)
        count += 1
      }
    }
    return (offers, count)
  }
}

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
