import Foundation

/// Facts about the contents of a store, for its operator.
///
/// Every call may throw `OffersError` with `storageFailed`.
package protocol StoreFacts: Sendable {
  /// Counts offers, the bound user's favorites, changes and runs.
  func countEverything() async throws -> StoreCounts

  /// The size of the history and its bound.
  func fetchHistorySize() async throws -> HistorySize

  /// The newest of the times of each feed's last run and of all favorites; nil in a new store.
  func findNewestTime() async throws -> Date?

  /// Counts the runs, offers and images with a time after a given one.
  func countTimes(after time: Date) async throws -> FutureTimestamps
}

/// The numbers of the things in a store.
package struct StoreCounts: Hashable, Sendable {
  package let offers: Int
  package let favorites: Int
  package let changes: Int
  package let runs: Int

  package init(offers: Int, favorites: Int, changes: Int, runs: Int) {
    self.offers = offers
    self.favorites = favorites
    self.changes = changes
    self.runs = runs
  }
}

/// The numbers of runs, offers and images with a time in the future, and the latest of these times.
package struct FutureTimestamps: Hashable, Sendable {
  package let runs: Int
  package let offers: Int
  package let images: Int
  package let latest: Date?

  package init(runs: Int, offers: Int, images: Int, latest: Date?) {
    self.runs = runs
    self.offers = offers
    self.images = images
    self.latest = latest
  }
}
