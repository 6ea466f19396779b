import Foundation
import OffersCore

/// Finds the keys of the offers that a query selects, in the query's order.
///
/// The statements select keys only, so that a sort moves no whole offers. The sorts by value, name and age
/// read all offers: indexes for them would slow down every sync, and a first import most.
package struct SelectedOffers {
  /// A part of the list, without LIMIT and OFFSET.
  private struct Section {
    let condition: String
    let orderBy: String
  }

  /// The parts of the list, which follow one another.
  private let parts: [Section]
  /// The tables, of which the first is the one with the fewest rows that has all selected offers.
  private let source: String
  private let bindings: Bindings
  /// Whether the list is in the order of keys, so that a page can begin at the last key of the previous one
  /// and costs as much as the first.
  let isStream: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - user: the user whose favorites it selects.
  ///   - feedKey: the key of the query's feed; nil for all feeds.
  ///   - lastKey: for a query with `isStream`, the key of the last offer of the previous page. It takes
  ///     precedence over the query's own position.
  ///   - transaction: runs the statements.
  /// - Throws: `OffersError` with `invalidRequest` for a position of another list.
  package init(
    _ query: OfferQuery, of user: User.ID, feedKey: Int64?, behind lastKey: Int64? = nil,
    in transaction: any Transaction
  ) throws {
    let dialect = transaction.dialect
    let now = query.now ?? Date()
    var dated = query
    dated.now = now
    let readsAll =
      !query.favoritesOnly && !query.goneOnly && query.expiring == nil
      && !query.selection.sortsExpiredLast
    isStream = query.sort == .feed && readsAll
    source = query.favoritesOnly ? OfferColumns.favoriteSource : "offer"
    let filter = OfferConditions(
      query, at: now, of: user, feedKey: feedKey,
      pricedKeys: try Self.pricedKeys(of: query, in: transaction), dialect)
    var bindings = filter.bindings
    let place =
      try lastKey.map { Place(values: [], key: $0) }
      ?? query.after.map { try Place($0, in: dated, of: user, transaction) }
    // SQLite would look for gone offers in the order of keys instead of in their index.
    let key = query.goneOnly ? dialect.unindexed("offer.offer_key") : "offer.offer_key"
    func part(_ conditions: [String], _ order: OfferOrder, behind place: Place?) throws -> Section {
      var conditions = conditions
      if let place {
        guard let isBehind = order.isBehind(place.values, place.key, &bindings) else {
          throw Self.otherOrder
        }
        conditions.append(isBehind)
      }
      return Section(condition: conditions.joined(separator: " AND "), orderBy: order.orderBy)
    }
    if query.sort == .expiry && readsAll {
      // First the offers with an end, by the index, then the others. Neither statement sorts, so a page reads
      // little more than its own rows.
      let order = { OfferOrder(isDated: $0, key: key, isReversed: query.isReversed) }
      var parts: [Section] = []
      if place?.values != [.none] {
        parts.append(
          try part(
            filter.parts + ["offer.expires_at IS NOT NULL"], order(true), behind: place))
      }
      let undated = place.flatMap { $0.values == [.none] ? Place(values: [], key: $0.key) : nil }
      parts.append(
        try part(filter.parts + ["offer.expires_at IS NULL"], order(false), behind: undated))
      self.parts = parts
    } else {
      let order = OfferOrder(query, at: now, key: key, isPriced: filter.isPriced, &bindings)
      parts = [try part(filter.parts, order, behind: place)]
    }
    self.bindings = bindings
  }

  /// The keys of the feeds whose values are prices, for a query for which that matters.
  private static func pricedKeys(
    of query: OfferQuery, in transaction: any Transaction
  ) throws -> [Int64] {
    let usesRole =
      query.rewardMinimum != nil || query.priceMaximum != nil || query.sort == .reward
      || query.sort == .price
    let names = query.pricedFeeds.filter(StoredText.isStorable)
    if !usesRole || names.isEmpty { return [] }
    return try transaction.rows(
      """
      SELECT feed_key FROM feed WHERE \(transaction.dialect.isElement("name", of: "$1"))
      ORDER BY feed_key
      """, [.texts(names.sorted())]
    ) { $0.number(0) }
  }

  private static let otherOrder = OffersError(
    .invalidRequest, "The position to continue from belongs to another sort order.",
    hint: startAgain)

  private static let startAgain = "Start the list from the beginning."

  /// The place of an offer in the list.
  private struct Place {
    /// The sort keys, without the last one.
    let values: [OfferPosition.Value]
    /// The key of the offer, the last sort key.
    let key: Int64

    init(values: [OfferPosition.Value], key: Int64) {
      self.values = values
      self.key = key
    }

    /// The place of a position, which may have no sort keys.
    init(
      _ position: OfferPosition, in query: OfferQuery, of user: User.ID,
      _ transaction: any Transaction
    ) throws {
      let removed = OffersError(
        .invalidRequest, "The offer after which the list continues was removed.", hint: startAgain)
      if position.values.isEmpty {
        guard let found = try OfferTable.find(position.ref, of: user, in: transaction) else {
          throw removed
        }
        self.init(
          values: OfferPosition(of: found.offer.offer, in: query).values, key: found.key)
      } else {
        guard let key = try OfferTable.findKey(position.ref, in: transaction) else { throw removed }
        self.init(values: position.values, key: key)
      }
    }
  }
}

extension SelectedOffers {
  /// The keys of the list in its order, at most `limit` after the first `offset`.
  package func keys(offset: Int, limit: Int?, in transaction: any Transaction) throws -> [Int64] {
    var keys: [Int64] = []
    var offset = offset
    for (index, part) in parts.enumerated() {
      let left = limit.map { $0 - keys.count }
      if left == 0 { break }
      var bindings = bindings
      let page = """
        LIMIT \(bindings.add(.number(left.map(Int64.init) ?? .max))) OFFSET \(bindings.add(.count(offset)))
        """
      keys += try transaction.rows(
        """
        SELECT offer.offer_key FROM \(source) WHERE \(part.condition) ORDER BY \(part.orderBy) \(page)
        """, bindings.values
      ) { $0.number(0) }
      if index == parts.count - 1 { break }
      // Subtract the rows of this part that OFFSET skipped.
      offset = keys.isEmpty && offset > 0 ? offset - (try count(part, in: transaction)) : 0
    }
    return keys
  }

  /// The number of offers of the list.
  package func count(in transaction: any Transaction) throws -> Int {
    try parts.reduce(0) { $0 + (try count($1, in: transaction)) }
  }

  private func count(_ part: Section, in transaction: any Transaction) throws -> Int {
    try transaction.first(
      "SELECT count(*) FROM \(source) WHERE \(part.condition)", bindings.values
    ) { $0.count(0) } ?? 0
  }
}
