import OffersCore

/// The keys of offers, and the ids of changes and runs, that a transaction gives, in the order of commits.
///
/// The row of the last ones is locked before anything else is written, and until the transaction
/// ends: those that write offers and runs follow each other, and a transaction that sees an id sees all
/// before it. No id is given again, also after its row was removed.
package struct CommitOrder {
  package private(set) var lastOfferKey: Int64
  package private(set) var lastChangeID: Int64
  package private(set) var lastRunID: Int64

  /// No database reaches a larger id, and to count on from it cannot overflow.
  private static let mostID = Int64(1) << 53

  /// Locks the row. Waits for the transaction that has it.
  package init(locking transaction: any Transaction) throws {
    let numbers = try transaction.first(
      """
      SELECT last_offer_key, last_change_id, last_run_id FROM commit_order
      WHERE order_key = 1 \(transaction.dialect.forUpdate)
      """
    ) { row in (0..<3).map { row.number($0) } }
    guard let numbers else {
      throw OffersError(.storageFailed, "The database lacks the row of its last numbers.")
    }
    guard numbers.allSatisfy({ (0...Self.mostID).contains($0) }) else {
      throw OffersError(
        .storageFailed, "The last numbers in the table commit_order cannot be right.",
        hint: "Set each to the largest number of its table, or restore a backup.")
    }
    (lastOfferKey, lastChangeID, lastRunID) = (numbers[0], numbers[1], numbers[2])
  }

  package mutating func nextOfferKey() -> Int64 {
    lastOfferKey += 1
    return lastOfferKey
  }

  package mutating func nextChangeID() -> Int64 {
    lastChangeID += 1
    return lastChangeID
  }

  package mutating func nextRunID() -> Int64 {
    lastRunID += 1
    return lastRunID
  }

  /// Stores the last key and ids that were given.
  package func save(in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE commit_order SET last_offer_key = $1, last_change_id = $2, last_run_id = $3
      WHERE order_key = 1
      """, [.number(lastOfferKey), .number(lastChangeID), .number(lastRunID)])
  }
}
