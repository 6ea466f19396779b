import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: PruneRepository {
  /// The maximum number of offers, or of rows of `change`, that one transaction removes. It is
  /// bounded, because other writers wait for the transaction.
  static let batchSize = 10_000
  /// The share of free pages above which the file is rewritten (VACUUM).
  package static let freeShare = 0.25

  package func prune(
    goneBefore: Date, now: Date, trustsClock: Bool, isTrial: Bool
  ) async throws -> PruneCounts {
    let seconds = now.storedSeconds
    let trust = trustsClock ? .now : try await read { try ClockTrust.find(at: seconds, in: $0) }
    try trust.check(at: seconds)
    let time = trust.time(at: seconds)
    let bounds = try await read {
      try PruneBounds(
        countingFrom: time, goneSeconds: seconds - goneBefore.storedSeconds,
        limit: .standard, in: $0)
    }
    var counts =
      isTrial
      ? try await read { try Self.countDoomed(bounds, in: $0) } : try await prune(bounds)
    counts.countedFrom = trust.witness
    return counts
  }

  /// Removes what lies behind the bounds.
  private func prune(_ bounds: PruneBounds) async throws -> PruneCounts {
    var counts = bounds.time == nil ? PruneCounts() : try await deleteOffers(bounds)
    counts.changes += try await deleteChanges(bounds)
    if let time = bounds.time {
      counts.runs = try await write(.unchecked) { database in
        let runs = try PruneTable.doomedRuns(bounds, ofFavorites: false, in: database)
        try PruneTable.deleteRuns(runs, in: database)
        try NoticeTable.prune(
          toldBefore: time - Retention.noticeSeconds, now: time,
          in: SQLiteTransaction(database))
        return runs.count
      }
    }
    _ = try await compact(whenFreeAbove: Self.freeShare)
    return counts
  }

  /// Waits between two transactions for longer than the longest pause of another writer that polls for
  /// the lock, which would otherwise hardly ever find it free.
  static func letOthersWrite() async throws { try await Task.sleep(for: .milliseconds(25)) }

  private func deleteOffers(_ bounds: PruneBounds) async throws -> PruneCounts {
    let doomed = try await read {
      try PruneTable.doomedOffers(bounds, in: $0)
    }
    var counts = PruneCounts()
    for start in stride(from: 0, to: doomed.count, by: Self.batchSize) {
      if start > 0 { try await Self.letOthersWrite() }
      let batch = doomed[start..<min(start + Self.batchSize, doomed.count)]
      let removed = try await write(.unchecked) {
        try PruneTable.delete(batch, goneBefore: bounds.gone.seconds, in: $0)
      }
      counts.offers += removed.offers
      counts.changes += removed.changes
    }
    return counts
  }

  private func deleteChanges(_ bounds: PruneBounds) async throws -> Int {
    var count = 0
    var last: Int64? = 0
    while let after = last {
      let changes = try await write(.unchecked) { database in
        let changes = try PruneTable.doomedChanges(
          bounds, after: after, limit: Self.batchSize, in: database)
        try PruneTable.delete(changes, in: database)
        return changes
      }
      count += changes.reduce(0) { $0 + $1.offerCount }
      last = changes.count < Self.batchSize ? nil : changes.last?.id
    }
    return count
  }

  /// Counts the offers, changes and runs that would be removed.
  private static func countDoomed(
    _ bounds: PruneBounds, in database: Database
  ) throws -> PruneCounts {
    let doomed = try PruneTable.doomedOffers(bounds, in: database)
    var counts = PruneCounts()
    counts.offers = doomed.count
    counts.changes = try PruneTable.countChanges(of: doomed, in: database)
    let keys = Set(doomed)
    let old = try PruneTable.doomedChanges(bounds, after: 0, limit: .max, in: database)
    // The others were counted with their offers, by `countChanges(of:in:)`.
    for change in old where change.isNew || !keys.contains(change.offerKey) {
      counts.changes += change.offerCount
    }
    counts.runs = try PruneTable.doomedRuns(bounds, ofFavorites: true, in: database).count
    return counts
  }
}

extension OffersDatabase {
  /// Prunes offers and history if anything lies past its age, by a clock that is believed
  /// (`ClockTrust`), or if there are too many changes. The check is cheap: it looks at the oldest
  /// rows only.
  ///
  /// - Parameter now: the time from which ages are counted back.
  package func clearAway(at now: Date) async throws {
    try await clearAway(at: now, limit: .standard)
  }

  /// - Parameters:
  ///   - now: the time from which ages are counted back.
  ///   - limit: the bound on the number of changes.
  ///   - trust: how far `now` is believed; nil for what the last runs say.
  func clearAway(
    at now: Date, limit: HistoryLimit = .standard, trust: ClockTrust? = nil
  ) async throws {
    let seconds = now.storedSeconds
    let due = try await read { database -> PruneBounds? in
      let time = try (trust ?? ClockTrust.find(at: seconds, in: database)).time(at: seconds)
      guard try PruneTable.isDue(countingFrom: time, limit: limit, in: database) else { return nil }
      return try PruneBounds(
        countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit, in: database)
    }
    if let due { _ = try await prune(due) }
  }
}
