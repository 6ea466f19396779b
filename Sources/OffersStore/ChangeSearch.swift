import GRDB
import OffersCore

/// Finds change rows without an index on what is looked for: a million rows would pay for it at
/// each import.
///
/// One writer at a time numbers the rows, so they are in the order of their runs. Within a run, an
/// offer's row comes in the order that `DifferenceWriter` writes: changed and back, then new in the
/// order of the offers' keys, then gone. Both can be searched by halves. A row that tells of many new
/// offers has as many numbers, up to its own.
struct ChangeSearch {
  private let statement: Statement
  /// The newest row there is; 0 without any.
  let lastID: Int64

  private struct Found {
    let id: Int64
    let runID: Int64
    let offerKey: Int64
    /// Of how many offers it tells, up to that one.
    let offerCount: Int64
    /// Where rows of its kind stand within a run.
    let rank: Int

    /// The first of its numbers.
    var firstID: Int64 { id - offerCount + 1 }

    init(_ row: Row) {
      id = row["change_id"]
      runID = row["run_id"]
      offerKey = row["offer_key"]
      offerCount = row["offer_count"]
      switch row["kind"] as String {
      case "new": rank = 1
      case "gone": rank = 2
      default: rank = 0
      }
    }

    /// Which of its numbers says that an offer is new; nil when none does.
    func findID(ofNew key: Int64, run: Int64) -> Int64? {
      guard runID == run, rank == 1, key <= offerKey, key > offerKey - offerCount else {
        return nil
      }
      return id - (offerKey - key)
    }
  }

  init(_ database: Database) throws {
    lastID = try Int64.fetchOne(database, sql: "SELECT max(change_id) FROM change") ?? 0
    statement = try database.cachedStatement(
      sql: """
        SELECT change.change_id, run_id, offer_key, kind, \(ChangeTable.offerCount) AS offer_count
        FROM \(ChangeTable.counted)
        WHERE change.change_id >= ? ORDER BY change.change_id LIMIT 1
        """)
  }

  /// The number of the last row before those of a run and the later ones.
  func idBefore(run runID: Int64) throws -> Int64 {
    try findFirst(after: 0) { $0.runID >= runID }.map { $0.firstID - 1 } ?? lastID
  }

  /// The number of the change that says that an offer is new.
  ///
  /// - Parameters:
  ///   - run: the run that first saw it.
  ///   - guess: where it may stand; looked at first.
  func findNew(offerKey: Int64, run runID: Int64, guess: Int64) throws -> Int64? {
    if guess > 0, try first(from: guess)?.findID(ofNew: offerKey, run: runID) == guess {
      return guess
    }
    return try findFirst(after: 0) {
      ($0.runID, $0.rank, $0.offerKey) >= (runID, 1, offerKey)
    }?.findID(ofNew: offerKey, run: runID)
  }

  private func first(from id: Int64) throws -> Found? {
    try Row.fetchOne(statement, arguments: [id]).map(Found.init)
  }

  /// The first row for which `isReached` holds, as it does for all behind it.
  private func findFirst(after id: Int64, _ isReached: (Found) -> Bool) throws -> Found? {
    var low = id + 1
    var high = lastID + 1
    var best: Found?
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = try first(from: middle), found.id <= lastID else {
        high = middle
        continue
      }
      if isReached(found) {
        best = found
        high = min(middle, found.firstID)
      } else {
        low = found.id + 1
      }
    }
    return best
  }
}

/// Knows which change says that an offer is new.
struct NewChangeSearch {
  private struct Sight: Hashable {
    let feedKey: Int64
    let seconds: Int64
  }

  private let search: ChangeSearch
  private var runs: [Sight: [Int64]] = [:]
  private var previous: (offerKey: Int64, id: Int64) = (0, 0)

  /// - Parameter lowest: the first run that counts.
  init(_ search: ChangeSearch, fromRun lowest: Int64 = 0, in database: Database) throws {
    self.search = search
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT run_id, feed_key, started_at FROM sync_run
        WHERE run_id >= ? AND new_count > 0 ORDER BY run_id
        """, arguments: [lowest])
    while let row = try rows.next() {
      let sight = Sight(feedKey: row["feed_key"], seconds: row["started_at"])
      runs[sight, default: []].append(row["run_id"])
    }
  }

  /// Offers asked for in the order of their keys are found at once, most of the time.
  mutating func find(
    offerKey: Int64, feedKey: Int64, firstSeenAt: Int64
  ) throws -> Int64? {
    let guess = previous.id + offerKey - previous.offerKey
    for run in runs[Sight(feedKey: feedKey, seconds: firstSeenAt)] ?? [] {
      if let id = try search.findNew(offerKey: offerKey, run: run, guess: guess) {
        previous = (offerKey, id)
        return id
      }
    }
    return nil
  }
}
