import Foundation
import OffersCore

/// The SQL that reads the changes of single offers.
extension ChangeTable {
  /// Some of the changes of one offer before the number `id`, except for `new`, newest first; none at
  /// the end.
  static func history(
    of offerKey: Int64, before id: Int64, in transaction: any Transaction
  ) throws -> [RewardHistory.Row] {
    try transaction.rows(
      """
      SELECT change_id, at, kind, \(ChangedFields.columnWithTexts(transaction.dialect)) FROM change
      WHERE offer_key = $1 AND change_id < $2 AND kind NOT IN ('first', 'new')
      ORDER BY change_id DESC LIMIT 50
      """, [.number(offerKey), .number(id)]
    ) {
      RewardHistory.Row(
        id: $0.number(0), at: $0.date(1), kind: $0.text(2), fields: $0.findText(3))
    }
  }

  /// A change of an offer's reward.
  struct RewardChange {
    let id: Int64
    /// The reward before the change.
    let old: Reward?
  }

  /// The changes of the rewards of some offers, from a change on, by offer and in order.
  static func rewardChanges(
    of keys: Set<Int64>, from id: Int64, in transaction: any Transaction
  ) throws -> [Int64: [RewardChange]] {
    var changes: [Int64: [RewardChange]] = [:]
    try forEachRewardChange(of: keys.sorted(), from: id, in: transaction) { key, change in
      changes[key, default: []].append(change)
      return true
    }
    return changes
  }

  /// The first change of an offer's reward at or after a change number.
  static func findRewardChange(
    of offerKey: Int64, from id: Int64, in transaction: any Transaction
  ) throws -> RewardChange? {
    var found: RewardChange?
    try forEachRewardChange(of: [offerKey], from: id, in: transaction) { _, change in
      found = change
      return false
    }
    return found
  }

  private static func forEachRewardChange(
    of keys: [Int64], from id: Int64, in transaction: any Transaction,
    _ body: (Int64, RewardChange) -> Bool
  ) throws {
    if keys.isEmpty { return }
    let dialect = transaction.dialect
    try transaction.scan(
      """
      SELECT offer_key, change_id, \(ChangedFields.column(dialect)) FROM change
      WHERE \(dialect.isElement("offer_key", of: "$1")) AND change_id >= $2
        AND fields LIKE '%"\(OfferField.reward.name)"%'
      ORDER BY offer_key, change_id
      """, [.numbers(keys), .number(id)]
    ) { row in
      guard let rewards = ChangedFields(parsing: row.text(2)).rewards else { return true }
      return body(row.number(0), RewardChange(id: row.number(1), old: rewards.old))
    }
  }
}
