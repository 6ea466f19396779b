import OffersCore

/// The recorded runs and changes of a store, as far as they decide what pruning removes.
package protocol PrunedHistory {
  /// The start of the run with the largest number among those that started within a range of times.
  func findLastRun(from earliest: Int64, through latest: Int64) throws -> Int64?

  /// The number of the first run that started within a range of times. Later runs were recorded by a
  /// clock that was ahead, and are passed over.
  func findFirstRun(from earliest: Int64, through latest: Int64) throws -> Int64?

  /// The number of the last change before those of a run and of later runs; 0 if there is none.
  func findLastChange(beforeRun run: Int64) throws -> Int64

  /// The number up to which changes are surplus; nil while there are few enough, or if all older ones
  /// concern favorites.
  func findSurplus(over limit: HistoryLimit) throws -> Int64?
}
