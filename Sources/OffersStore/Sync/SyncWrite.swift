import OffersCore

/// The write of a sync.
package enum SyncWrite {
  /// Applies a plan.
  ///
  /// - Parameters:
  ///   - plan: the difference between a feed and its stored offers.
  ///   - user: the user who is told of returned favorites.
  ///   - isIndexed: whether to update the search index of a file; otherwise it is rebuilt when it is needed.
  ///   - transaction: writes it.
  /// - Returns: the run as it was recorded.
  package static func apply(
    _ plan: SyncPlan, of user: User.ID, isIndexed: Bool, in transaction: any Transaction
  ) throws -> SyncRun {
    let writer = try transaction.makeOfferWriter(isIndexed: isIndexed)
    return try DifferenceWriter(plan, of: user, by: writer, in: transaction).apply()
  }
}
