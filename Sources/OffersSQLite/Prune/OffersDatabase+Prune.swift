import Foundation
import GRDB
import OffersCore

extension OffersDatabase: PruneRepository {
  /// The maximum number of offers, or of rows of `change`, that one transaction removes. It is
  /// bounded, because other writers wait for the transaction.
  static let batchSize = 10_000
  /// The share of free pages above which the file is rewritten (VACUUM).
  package static let freeShare = 0.25

  package func prune(goneBefore: Date, now: Date, isTrial: Bool) async throws -> PruneCounts {
    let bounds = PruneBounds(goneBefore: goneBefore, now: now)
    if isTrial { return try await read { try Self.countDoomed(bounds, in: $0) } }
    var counts = try await deleteOffers(bounds)
    counts.changes += try await deleteChanges(bounds)
    counts.runs = try await write(.unchecked) { database in
      let runs = try PruneTable.doomedRuns(
        old: bounds.history, idle: bounds.idleRuns,
        through: PruneTable.findLastChange(before: bounds.history, in: database),
        ofFavorites: false, in: database)
      try PruneTable.deleteRuns(runs, in: database)
      try NoticeTable.prune(toldBefore: bounds.notices, now: bounds.now, in: database)
      return runs.count
    }
    _ = try await compact(whenFreeAbove: Self.freeShare)
    return counts
  }

  /// The times before which rows are removed, in Unix seconds.
  private struct PruneBounds {
    let gone: Int64
    let now: Int64
    let history: Int64
    let idleRuns: Int64
    let notices: Int64

    init(goneBefore: Date, now: Date) {
      gone = Int64(goneBefore.timeIntervalSince1970)
      self.now = Int64(now.timeIntervalSince1970)
      history = self.now - Retention.historySeconds
      idleRuns = self.now - Retention.idleRunSeconds
      notices = self.now - Retention.noticeSeconds
    }
  }

  private func deleteOffers(_ bounds: PruneBounds) async throws -> PruneCounts {
    let doomed = try await read {
      try PruneTable.doomedOffers(goneBefore: bounds.gone, in: $0)
    }
    var counts = PruneCounts()
    for start in stride(from: 0, to: doomed.count, by: Self.batchSize) {
      let batch = doomed[start..<min(start + Self.batchSize, doomed.count)]
      let removed = try await write(.unchecked) {
        try PruneTable.delete(batch, goneBefore: bounds.gone, in: $0)
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
        let through = try PruneTable.findLastChange(before: bounds.history, in: database)
        let changes = try PruneTable.oldChanges(
          before: bounds.history, after: after, through: through, limit: Self.batchSize,
          in: database)
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
    let doomed = try PruneTable.doomedOffers(goneBefore: bounds.gone, in: database)
    var counts = PruneCounts()
    counts.offers = doomed.count
    counts.changes = try PruneTable.countChanges(of: doomed, in: database)
    let keys = Set(doomed)
    let through = try PruneTable.findLastChange(before: bounds.history, in: database)
    let old = try PruneTable.oldChanges(
      before: bounds.history, after: 0, through: through, limit: .max, in: database)
    // The others were counted with their offers, by `countChanges(of:in:)`.
    for change in old where change.isNew || !keys.contains(change.offerKey) {
      counts.changes += change.offerCount
    }
    counts.runs = try PruneTable.doomedRuns(
      old: bounds.history, idle: bounds.idleRuns, through: through, ofFavorites: true, in: database
    ).count
    return counts
  }
}

extension OffersDatabase {
  /// Prunes offers and history if anything lies past its age. The check is cheap: it looks at the
  /// oldest rows only.
  ///
  /// - Parameter now: the time from which ages are counted back.
  package func clearAway(at now: Date) async throws {
    let gone = now.addingTimeInterval(-Double(Retention.vanishedOfferSeconds))
    let isDue = try await read { database in
      try PruneTable.hasDoomed(
        goneBefore: Int64(gone.timeIntervalSince1970), in: database)
        || PruneTable.hasOldHistory(at: Int64(now.timeIntervalSince1970), in: database)
    }
    if isDue { _ = try await prune(goneBefore: gone, now: now, isTrial: false) }
  }
}
