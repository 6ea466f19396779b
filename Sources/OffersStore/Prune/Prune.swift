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
  ) async throws(OffersError) -> PruneCounts {
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
  private func prune(_ bounds: PruneBounds) async throws(OffersError) -> PruneCounts {
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
      try UserNoticeTable.prune(
        before: bounds.time - Int64(Notice.keptSeconds), in: transaction)
      return count
    }
    try await compactAfterRemoval()
    return counts
  }

  /// Prunes offers and history if anything lies past its age, by a clock that the last runs
  /// confirm, or if there are too many changes. The check looks at the oldest rows only.
  ///
  /// - Parameter now: the time from which ages are counted back.
  package func clearAway(at now: Date) async throws(OffersError) {
    try await clearAway(at: now, limit: .standard)
  }

  /// Prunes what is past its age or over the bound, if pruning is due.
  ///
  /// - Parameters:
  ///   - now: the time from which ages are counted back.
  ///   - limit: the bound on the number of changes.
  ///   - trustsClock: whether to count from `now` whatever the last runs say.
  func clearAway(
    at now: Date, limit: HistoryLimit = .standard, trustsClock: Bool = false
  ) async throws(OffersError) {
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
  static func letOthersWrite() async throws(OffersError) {
    try await OffersError.translating { try await Task.sleep(for: .milliseconds(25)) }
  }
}

/// The removal of the offers of a feed that is not subscribed: all become gone, those that nobody
/// starred are removed, and so is the history that concerns no favorite.
extension OffersDatabase {
  /// Removes the offers of a feed that is not subscribed, with their changes, except those that
  /// anybody starred, which become gone. The next sync reads the whole document again. Does nothing
  /// for an unknown feed or for a subscribed one.
  ///
  /// No sync of the feed may run meanwhile (`withSyncLock`).
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - now: the time from which on the favorites are gone.
  package func removeOffers(of feed: String, at now: Date) async throws(OffersError) {
    let isThere = try await transaction(.removal) { transaction in
      guard let feedKey = try FeedTable.findFormerKey(feed, in: transaction) else { return false }
      try FeedTable.endOffers(feedKey: feedKey, at: now, in: transaction)
      return true
    }
    var isComplete = !isThere
    while !isComplete {
      isComplete = try await transaction(.removal) { transaction in
        // Somebody may have subscribed to the feed again.
        guard let feedKey = try FeedTable.findFormerKey(feed, in: transaction) else { return true }
        let removed = try PruneTable.deleteOffers(
          ofFeed: feedKey, limit: PruneBatch.count, in: transaction)
        if removed == PruneBatch.count { return false }
        try PruneTable.deleteChanges(ofFeed: feedKey, in: transaction)
        return true
      }
      if !isComplete { try await PruneBatch.letOthersWrite() }
    }
    if isThere { try await compactAfterRemoval() }
  }

  private func compactAfterRemoval() async throws(OffersError) {
    try await OffersError.translating { try await engine.compactAfterRemoval() }
  }
}

/// The bounds behind which a pruning removes rows.
struct PruneBounds: Sendable {
  /// A time before which something is old, by its own time and in the order of the runs.
  ///
  /// A run is old if it started before `seconds` and before any run that started since then. So what
  /// was recorded while the clock was behind is kept as long as what was recorded just before.
  struct Age: Sendable {
    /// The time, in Unix seconds.
    let seconds: Int64
    /// The number of the first run since then.
    let run: Int64

    /// - Parameters:
    ///   - seconds: the time, in Unix seconds.
    ///   - time: the time from which ages are counted. Later runs were recorded by a clock that was
    ///     ahead, and make no other run young.
    ///   - history: the recorded runs.
    init(
      before seconds: Int64, countingFrom time: Int64, in history: StoredHistory
    ) throws {
      self.seconds = seconds
      run = try history.findFirstRun(from: seconds, through: time) ?? .max
    }
  }

  /// The time from which ages are counted, in Unix seconds.
  let time: Int64
  /// Vanished offers are removed if they were gone before it.
  let gone: Age
  let history: Age
  /// The age of runs that changed no offer.
  let idleRuns: Age
  /// The number of the last change that may be old.
  let lastOldChange: Int64
  /// The id up to which changes are removed whatever their age, because there are too many; 0 if
  /// there are not.
  let surplus: Int64

  /// The id up to which changes may be removed.
  var through: Int64 { max(lastOldChange, surplus) }

  /// - Parameters:
  ///   - time: the time from which ages are counted, in Unix seconds.
  ///   - goneSeconds: the age of the vanished offers that are removed.
  ///   - limit: the bound on the number of changes.
  ///   - moreSeconds: is added to the ages, except for that of vanished offers.
  ///   - runs: the history to prune.
  init(
    countingFrom time: Int64, goneSeconds: Int64, limit: HistoryLimit, moreSeconds: Int64 = 0,
    in runs: StoredHistory
  ) throws {
    self.time = time
    surplus = try runs.findSurplus(over: limit) ?? 0
    func age(_ seconds: Int64) throws -> Age {
      try Age(before: time - seconds - moreSeconds, countingFrom: time, in: runs)
    }
    // An offer that has been gone for exactly so long is removed.
    gone = try Age(before: time - goneSeconds + 1, countingFrom: time, in: runs)
    history = try age(Retention.historySeconds)
    idleRuns = try age(Retention.idleRunSeconds)
    lastOldChange = try runs.findLastChange(beforeRun: self.history.run)
  }
}
