import Foundation
import OffersCore

extension OffersDatabase {
  /// Removes gone offers that are not favorites, with their changes, and other changes and runs
  /// that are older than the store keeps them. If the last syncs do not confirm the present time,
  /// ages are counted from the earlier one of the last two.
  ///
  /// - Parameters:
  ///   - goneBefore: offers that were already gone at this time are removed.
  ///   - now: the current time; history is kept for a bounded time before it.
  ///   - trustsClock: whether to count from `now` whatever the last syncs say.
  ///   - isTrial: whether to count only and remove nothing.
  package func prune(
    goneBefore: Date, now: Date, trustsClock: Bool, isTrial: Bool
  ) async throws -> PruneCounts {
    let seconds = now.storedSeconds
    let (bounds, trial) = try await transaction(.read) { transaction in
      let history = StoredHistory(transaction)
      let bounds = try PruneBounds(
        countingFrom: trustsClock ? seconds : try history.findTime(at: seconds),
        goneSeconds: seconds - goneBefore.storedSeconds, limit: .standard, in: history)
      let trial = isTrial ? try PruneTable.countDoomed(bounds, in: transaction) : nil
      return (bounds, trial)
    }
    var counts = if let trial { trial } else { try await prune(bounds) }
    if bounds.time != seconds { counts.countedFrom = Date(storedSeconds: bounds.time) }
    return counts
  }

  /// Removes what lies behind the bounds, in several transactions.
  private func prune(_ bounds: PruneBounds) async throws -> PruneCounts {
    var counts = PruneCounts()
    var isComplete = false
    while !isComplete {
      let removed = try await transaction(.removal) {
        try PruneTable.deleteOffers(bounds, limit: PruneBatch.count, in: $0)
      }
      counts.offers += removed.offers
      counts.changes += removed.changes
      isComplete = removed.offers < PruneBatch.count
      if !isComplete { try await PruneBatch.letOthersWrite() }
    }
    var last: Int64? = 0
    while let after = last {
      let removed = try await transaction(.removal) {
        try PruneTable.deleteChanges(bounds, after: after, limit: PruneBatch.count, in: $0)
      }
      counts.changes += removed.count
      last = removed.lastID
      if last != nil { try await PruneBatch.letOthersWrite() }
    }
    counts.runs = try await transaction(.removal) { transaction in
      let count = try PruneTable.deleteRuns(bounds, in: transaction)
      try NoticeTable.prune(
        toldBefore: bounds.time - Retention.noticeSeconds, now: bounds.time, in: transaction)
      return count
    }
    try await engine.compactAfterRemoval()
    return counts
  }

  /// Prunes offers and history if anything lies past its age, by a clock that the last runs
  /// confirm, or if there are too many changes. The check looks at the oldest rows only.
  ///
  /// - Parameter now: the time from which ages are counted back.
  package func clearAway(at now: Date) async throws {
    try await clearAway(at: now, limit: .standard)
  }

  /// - Parameters:
  ///   - now: the time from which ages are counted back.
  ///   - limit: the bound on the number of changes.
  ///   - trustsClock: whether to count from `now` whatever the last runs say.
  func clearAway(
    at now: Date, limit: HistoryLimit = .standard, trustsClock: Bool = false
  ) async throws {
    let seconds = now.storedSeconds
    let due = try await transaction(.read) { transaction -> PruneBounds? in
      let history = StoredHistory(transaction)
      let time = trustsClock ? seconds : try history.findTime(at: seconds)
      guard try PruneTable.isDue(countingFrom: time, limit: limit, in: transaction) else {
        return nil
      }
      return try PruneBounds(
        countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit, in: history)
    }
    if let due { _ = try await prune(due) }
  }
}

extension PruneTable {
  /// Whether there are too many changes, a vanished offer past its age, or changes or runs that are at
  /// least a day past theirs. Old notices go with them. The day limits pruning to once a day, although some row passes its
  /// age at nearly every sync.
  ///
  /// Numbers of runs and changes ascend with time, so each query begins at the oldest row and stops at
  /// the first one that is young enough. The rows before it are those that are kept: the last runs of
  /// feeds, runs that changed offers, and the history of favorites.
  ///
  /// - Parameters:
  ///   - time: the time from which ages are counted, in Unix seconds.
  ///   - limit: the bound on the number of changes.
  ///   - transaction: the transaction that reads them.
  fileprivate static func isDue(
    countingFrom time: Int64, limit: HistoryLimit, in transaction: any Transaction
  ) throws -> Bool {
    let bounds = try PruneBounds(
      countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit,
      moreSeconds: Retention.daySeconds, in: StoredHistory(transaction))
    if bounds.surplus > 0 { return true }
    return try hasDoomedOffer(bounds, in: transaction)
      || hasIdleRun(bounds.idleRuns, in: transaction)
      || hasDoomedChange(bounds, in: transaction)
  }
}

/// The transactions of a removal. Syncs and favorites wait for each of them, so each is short.
enum PruneBatch {
  /// The maximum number of offers, or of changes, that one transaction removes.
  static let count = 2000

  /// Waits between two transactions for longer than the longest pause of another writer that polls for
  /// the lock of a file, which would otherwise hardly ever find it free.
  static func letOthersWrite() async throws { try await Task.sleep(for: .milliseconds(25)) }
}
