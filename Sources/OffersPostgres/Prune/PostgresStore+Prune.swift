import Foundation
import OffersCore
import OffersStore

extension PostgresStore: PruneRepository {
  /// The maximum number of offers, or of changes, that one transaction removes. It is bounded, because
  /// syncs and favorites wait for the transaction.
  static let batchCount = 2000

  package func prune(
    goneBefore: Date, now: Date, trustsClock: Bool, isTrial: Bool
  ) async throws -> PruneCounts {
    let seconds = now.storedSeconds
    let (trust, bounds) = try await database.read { connection in
      let history = StoredHistory(connection: connection)
      let trust = trustsClock ? .now : try ClockTrust.find(at: seconds, in: history)
      try trust.check(at: seconds)
      let bounds = try PruneBounds(
        countingFrom: trust.time(at: seconds), goneSeconds: seconds - goneBefore.storedSeconds,
        limit: .standard, in: history)
      return (trust, bounds)
    }
    var counts = try await isTrial ? countDoomed(bounds) : prune(bounds)
    counts.countedFrom = trust.witness
    return counts
  }

  /// Removes what lies behind the bounds, in several transactions.
  private func prune(_ bounds: PruneBounds) async throws -> PruneCounts {
    var counts = PruneCounts()
    while bounds.time != nil {
      let removed = try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try PruneTable.deleteOffers(bounds, limit: Self.batchCount, in: connection)
      }
      counts.offers += removed.offers
      counts.changes += removed.changes
      if removed.offers < Self.batchCount { break }
    }
    var last: Int64? = 0
    while let after = last {
      let removed = try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try PruneTable.deleteChanges(
          bounds, after: after, limit: Self.batchCount, in: connection)
      }
      counts.changes += removed.count
      last = removed.lastID
    }
    try await removeUnusedWords()
    guard let time = bounds.time else { return counts }
    counts.runs = try await database.write(kind: .ordered) { connection in
      _ = try CommitOrder(locking: PostgresTransaction(connection))
      let count = try PruneTable.deleteRuns(bounds, in: connection)
      try NoticeTable.prune(
        toldBefore: time - Retention.noticeSeconds, now: time, in: PostgresTransaction(connection))
      return count
    }
    return counts
  }

  /// Removes the words that only removed or changed offers had, in several transactions.
  func removeUnusedWords() async throws {
    var next: String? = ""
    while let word = next {
      next = try await database.write(kind: .ordered, isCounted: false) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try SearchWordTable.deleteUnused(after: word, limit: Self.batchCount, in: connection)
      }
    }
  }

  /// Counts what would be removed, by a transaction that removes it and is rolled back.
  private func countDoomed(_ bounds: PruneBounds) async throws -> PruneCounts {
    try await database.write(kind: .ordered, isKept: false) { connection in
      _ = try CommitOrder(locking: PostgresTransaction(connection))
      var counts = PruneCounts()
      if bounds.time != nil {
        counts = try PruneTable.deleteOffers(bounds, limit: Int(Int32.max), in: connection)
      }
      counts.changes += try PruneTable.deleteChanges(
        bounds, after: 0, limit: Int(Int32.max), in: connection
      ).count
      if bounds.time != nil { counts.runs = try PruneTable.deleteRuns(bounds, in: connection) }
      return counts
    }
  }

  /// Prunes offers and history if anything lies past its age, by a clock that is believed
  /// (`ClockTrust`), or if there are too many changes. The check looks at the oldest rows only.
  ///
  /// - Parameter now: the time from which ages are counted back.
  package func clearAway(at now: Date) async throws {
    try await clearAway(at: now, limit: .standard)
  }

  /// - Parameters:
  ///   - now: the time from which ages are counted back.
  ///   - limit: the bound on the number of changes.
  func clearAway(at now: Date, limit: HistoryLimit) async throws {
    let seconds = now.storedSeconds
    let due = try await database.read { connection -> PruneBounds? in
      let history = StoredHistory(connection: connection)
      let time = try ClockTrust.find(at: seconds, in: history).time(at: seconds)
      guard try Self.isDue(countingFrom: time, limit: limit, in: connection) else { return nil }
      return try PruneBounds(
        countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit, in: history)
    }
    if let due { _ = try await prune(due) }
  }

  /// Whether there are too many changes, a vanished offer past its age, or changes, runs or notices that
  /// are at least a day past theirs. The day limits pruning to once a day, although some row passes its
  /// age at nearly every sync.
  ///
  /// Numbers of runs and changes ascend with time, so each query begins at the oldest row and stops at
  /// the first one that is young enough.
  private static func isDue(
    countingFrom time: Int64?, limit: HistoryLimit, in connection: Connection
  ) throws -> Bool {
    let bounds = try PruneBounds(
      countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit,
      moreSeconds: Retention.daySeconds, in: StoredHistory(connection: connection))
    if bounds.surplus > 0 { return true }
    guard let time else { return false }
    return try PruneTable.hasDoomed(bounds, in: connection)
      || PruneTable.hasIdleRun(bounds.idleRuns, in: connection)
      || PruneTable.hasDoomedChange(bounds, in: connection)
      || NoticeTable.hasOld(
        toldBefore: time - Retention.noticeSeconds - Retention.daySeconds, now: time,
        in: PostgresTransaction(connection))
  }
}
