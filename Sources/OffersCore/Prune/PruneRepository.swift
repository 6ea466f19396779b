import Foundation

/// Removes old offers and history. A call that is cancelled throws `CancellationError`; what it
/// removed before stays removed.
package protocol PruneRepository: Sendable {
  /// Removes gone offers that are not favorites, with their changes, and other changes and runs
  /// that are older than the store keeps them. If the last syncs do not confirm the present time,
  /// ages are counted from the earlier one of the last two.
  ///
  /// - Parameters:
  ///   - goneBefore: offers that were already gone at this time are removed.
  ///   - now: the current time; history is kept for a bounded time before it.
  ///   - trustsClock: whether to count from `now` whatever the last syncs say.
  ///   - isTrial: whether to count only and remove nothing.
  func prune(
    goneBefore: Date, now: Date, trustsClock: Bool, isTrial: Bool
  ) async throws -> PruneCounts
}

/// The numbers of offers, changes and runs that pruning removed, or would remove.
package struct PruneCounts: Hashable, Sendable {
  package var offers = 0
  package var changes = 0
  package var runs = 0
  /// The time from which ages were counted instead of the present one, because the last syncs do not
  /// confirm the clock; nil if they do.
  package var countedFrom: Date?

  package init() {}
}
