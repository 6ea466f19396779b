import Foundation

/// Removes old offers and history. A call that is cancelled throws `CancellationError`; what it
/// removed before stays removed.
package protocol PruneRepository: Sendable {
  /// Removes gone offers that are not favorites, with their changes, and other changes and runs
  /// that are older than the store keeps them.
  ///
  /// - Parameters:
  ///   - goneBefore: offers that were already gone at this time are removed.
  ///   - now: the current time; history is kept for a bounded time before it.
  ///   - isTrial: whether to count only and remove nothing.
  func prune(goneBefore: Date, now: Date, isTrial: Bool) async throws -> PruneCounts
}

/// The numbers of offers, changes and runs that pruning removed, or would remove.
package struct PruneCounts: Hashable, Sendable {
  package var offers = 0
  package var changes = 0
  package var runs = 0

  package init() {}
}
