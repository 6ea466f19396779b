import OffersCore

/// Identifies a run that both the export and the store have.
struct RunFingerprint: Hashable {
  let feedKey: Int64
  let startedAt: Int64
  let durationMilliseconds: Int64
  let outcome: String
  /// The numbers of offers, in the order of `ExportedRun.countNames`.
  let counts: [Int64]
}

/// The runs of an export, and which of its changes are imported.
///
/// For an offer that the store knows, only those changes of runs that the store lacks are imported that
/// happened before its first sighting here or after its feed's last sync here, so that no change is
/// recorded twice.
struct ImportedRuns {
  /// The keys of the store's own runs.
  private let known: [RunFingerprint: Int64]
  /// The start of each run of the document, and whether the store lacks it.
  private var runs: [(startedAt: Int64, isNew: Bool)] = []
  private(set) var newCount = 0
  /// Whether the export saw an offer earlier than the store.
  var hasEarlierSights = false
  private var insertsIntoOldRuns = false

  init(known: [RunFingerprint: Int64]) { self.known = known }

  var mustRenumber: Bool { hasEarlierSights || insertsIntoOldRuns }

  /// - Returns: the number of the run in the document, and its key in the store if that has it.
  mutating func add(_ run: ExportedRun, feedKey: Int64) -> (number: Int, known: Int64?) {
    let mark = RunFingerprint(
      feedKey: feedKey, startedAt: run.startedAt, durationMilliseconds: run.durationMilliseconds,
      outcome: run.outcome.rawValue, counts: run.counts)
    let runID = known[mark]
    runs.append((run.startedAt, runID == nil))
    if runID == nil { newCount += 1 }
    return (runs.count, runID)
  }

  /// Whether a change is imported.
  ///
  /// - Parameters:
  ///   - change: the imported change.
  ///   - offer: its offer in this store.
  ///   - isNewOffer: whether the offer was not stored here before the import.
  ///   - seenHereUntil: the start of the last successful sync of the offer's feed in this store.
  mutating func takes(
    _ change: ExportedChange, of offer: ImportedChangeTarget, isNewOffer: Bool,
    seenHereUntil: Int64?
  ) -> Bool {
    guard runs.indices.contains(change.run.subtracting(clamped: 1)) else { return false }
    let run = runs[change.run.subtracting(clamped: 1)]
    if isNewOffer {
      if !run.isNew { insertsIntoOldRuns = true }
      return true
    }
    guard run.isNew else { return false }
    if change.kind == .new { return offer.firstSeenHereAt != nil }
    let isEarlier = offer.firstSeenHereAt.map { run.startedAt < $0 } ?? false
    return isEarlier || run.startedAt > seenHereUntil ?? .min
  }
}
