/// The consecutive offers that one row of `change` stands for, and their change numbers.
///
/// The changes of a feed's first sync are reported as one entry (`FirstSyncTable`); those of other
/// rows one by one.
///
/// A row normally stands for one offer, under its own number. The exception is a feed's first sync:
/// one row records that all its offers are new (run-length encoding). A row in `new_offers` holds
/// the number of these offers. The invariants of such a row:
/// - Its offers have consecutive keys and, in the same order, consecutive change numbers. Its own
///   `offer_key` and `change_id` are the last ones, so the difference between change number and
///   offer key is the same for all of them.
/// - No other row uses one of its numbers. So the order of changes is the order of their numbers,
///   and a number can mark the position at which a reader stopped.
/// - Pruning never splits it; only an import that renumbers all changes replaces it by a row per
///   offer. An offer that was removed disappears from it, because each query joins the offers. Its
///   key is never reused (`PruneTable`), or the row is shortened first (`FeedRemoval`).
///
/// Databases of older versions also have such rows for later syncs.
struct ChangeSpan {
  /// The row's own change number and offer key, which are the last ones.
  let lastID: Int64
  let lastKey: Int64
  /// The number of offers; 1 for an ordinary row.
  let offerCount: Int64

  /// The change number of an offer of the span.
  func id(of offerKey: Int64) -> Int64 {
    lastID.subtracting(clamped: lastKey.subtracting(clamped: offerKey))
  }
}

/// SQL fragments for queries over spans.
extension ChangeSpan {
  /// The rows of `change`, joined with their number of offers; see `offerCountSQL`.
  static let rows = "change LEFT JOIN new_offers ON \(isCounted)"
  /// An impossible count, as in a damaged database, is ignored.
  private static let isCounted =
    "new_offers.change_id = change.change_id AND \(isPossible)"
  static let isPossible = "new_offers.offer_count BETWEEN 2 AND new_offers.change_id"
  static let offerCountSQL = "coalesce(new_offers.offer_count, 1)"

  /// Joins the offers that a row of `change` stands for.
  ///
  /// - Parameter number: an SQL expression of a change number. Only offers whose own changes have
  ///   larger numbers are joined.
  static func offers(after number: String) -> String {
    """
    offer ON offer.offer_key > max(
      change.offer_key - \(offerCountSQL), \(number) - change.change_id + change.offer_key)
      AND offer.offer_key <= change.offer_key
    """
  }

  /// The change number of a joined offer.
  static let offerID = "change.change_id - change.offer_key + offer.offer_key"

  /// Counts the changes of all rows, those of removed offers included.
  static let totalSQL = """
    SELECT (SELECT count(*) FROM change)
      + (SELECT coalesce(sum(offer_count - 1), 0) FROM new_offers WHERE \(isPossible))
    """
}
