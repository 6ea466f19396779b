import OffersCore

extension OfferTable {
  /// An offer that was removed.
  package struct Removed: Sendable {
    package let key: Int64
    package let feedKey: Int64
    package let wasGone: Bool
  }

  /// Removes offers that nobody starred. Their changes stay.
  ///
  /// - Parameters:
  ///   - condition: selects the offers, of a query over `OfferColumns.source`; with an order and a limit,
  ///     where it needs them.
  ///   - values: its parameters.
  ///   - transaction: nobody can star an offer before it ends.
  package static func delete(
    where condition: String, order: String = "", _ values: [SQLValue] = [],
    in transaction: any Transaction
  ) throws -> [Removed] {
    let dialect = transaction.dialect
    if let lock = dialect.lockOfFavorites { try transaction.run(lock) }
    let keys = try transaction.rows(
      """
      SELECT offer.offer_key FROM \(OfferColumns.source)
      WHERE \(condition) AND NOT \(OfferColumns.isStarred) \(order)
      """, values
    ) { $0.number(0) }
    if keys.isEmpty { return [] }
    try transaction.willDeleteOffers(keys)
    try transaction.run(
      "DELETE FROM watch_state WHERE \(dialect.isElement("offer_key", of: "$1"))", [.numbers(keys)])
    return try transaction.rows(
      """
      DELETE FROM offer WHERE \(dialect.isElement("offer_key", of: "$1"))
      RETURNING offer_key, feed_key, gone_at IS NOT NULL
      """, [.numbers(keys)]
    ) { Removed(key: $0.number(0), feedKey: $0.number(1), wasGone: $0.flag(2)) }
  }

  /// Removes the offers above `Retention.foundOfferLimit` that only searches on the servers of their feeds
  /// found: those whose last find is oldest.
  package static func deleteSurplusFound(in transaction: any Transaction) throws {
    let surplus = "offer.found_at IS NOT NULL AND NOT \(OfferColumns.isStarred)"
    let dialect = transaction.dialect
    let order = """
      ORDER BY offer.found_at DESC, offer.offer_key DESC
      \(dialect.offset("\(Retention.foundOfferLimit)"))
      """
    // Stars wait for the lock, which is taken only if there is a surplus.
    let isThere = try transaction.exists(
      "SELECT 1 FROM \(OfferColumns.source) WHERE \(surplus) \(order)")
    if !isThere { return }
    let removed = try delete(where: surplus, order: order, in: transaction)
    try deleteChanges(of: removed.map(\.key), in: transaction)
  }

  /// Removes the changes of removed offers, except for those that record that they were new.
  ///
  /// - Returns: how many were removed.
  @discardableResult
  package static func deleteChanges(
    of keys: [Int64], in transaction: any Transaction
  ) throws -> Int {
    try transaction.run(
      """
      DELETE FROM change
      WHERE \(transaction.dialect.isElement("offer_key", of: "$1")) AND kind NOT IN ('first', 'new')
      """, [.numbers(keys)])
  }
}
