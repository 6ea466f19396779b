/// The offers that one row of `change` tells of, and the numbers by which it does.
///
/// A row tells of one offer, by its own number, with one exception: that the offers of a feed's first
/// sync are new is told by one row for all of them. Its row in `new_offers` says how many they are.
/// The invariants of such a row:
/// - It tells of offers whose keys follow one another, by numbers that follow one another in the same
///   order. Its own `offer_key` and `change_id` are the last ones, so the difference between a number
///   and its offer's key is the same for all of them.
/// - No other row has one of its numbers. So changes are in the order of their numbers, whichever
///   row tells of them, and a number can stand for the place where somebody stopped reading.
/// - It is never split. An offer that was removed since has no change in it any more, because each
///   reader joins the offers. Its key is never given to another offer; see `PruneTable`.
///
/// Databases of older versions have such rows of later syncs, too.
struct ChangeSpan {
  /// The row's own number and offer, which are the last.
  let lastID: Int64
  let lastKey: Int64
  /// 1 for a row that tells of one offer.
  let offerCount: Int64

  /// The number of the change that tells of an offer of the span.
  func id(of offerKey: Int64) -> Int64 { lastID - (lastKey - offerKey) }
}

/// The same in SQL.
extension ChangeSpan {
  /// The rows, with how many offers each tells of as `offerCountSQL`.
  static let rows = "change LEFT JOIN new_offers ON \(isCounted)"
  /// A count that cannot be true, as in a damaged database, counts as none.
  private static let isCounted =
    "new_offers.change_id = change.change_id AND \(isPossible)"
  private static let isPossible = "new_offers.offer_count BETWEEN 2 AND new_offers.change_id"
  static let offerCountSQL = "coalesce(new_offers.offer_count, 1)"

  /// A join of the offers that a row tells of, in the order of their keys.
  ///
  /// - Parameter number: a parameter: only changes with higher numbers.
  static func offers(after number: String) -> String {
    """
    offer ON offer.offer_key > max(
      change.offer_key - \(offerCountSQL), \(number) - change.change_id + change.offer_key)
      AND offer.offer_key <= change.offer_key
    """
  }

  /// The number by which a row tells of an offer that was joined.
  static let offerID = "change.change_id - change.offer_key + offer.offer_key"

  /// How many changes all rows tell of, those of offers that were removed since included.
  static let totalSQL = """
    SELECT (SELECT count(*) FROM change)
      + (SELECT coalesce(sum(offer_count - 1), 0) FROM new_offers WHERE \(isPossible))
    """
}
