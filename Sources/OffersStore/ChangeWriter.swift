import GRDB
import OffersCore

/// Notes a sync's run, and what happened to the offers.
///
/// Pages leave the small cache of a sync before the commit. One that is written again is then written
/// over in the log, and SQLite has to read and sum up anew all that stands behind it there. So the
/// changes are held and written in a row, and the run is noted behind the offers.
final class ChangeWriter {
  enum Kind {
    case changed, gone, back

    fileprivate var name: StaticString {
      switch self {
      case .changed: "changed"
      case .gone: "gone"
      case .back: "back"
      }
    }
  }

  private struct Change {
    let kind: Kind
    let offerKey: Int64
    let fields: [UInt8]?
  }

  /// About how much is held in memory; one change may go beyond it.
  private static let pendingLimitBytes = 8 << 20
  /// Roughly what a change takes besides its fields.
  private static let changeBytes = 64

  private let database: Database
  /// As far as it has come. Set before the first change.
  var run: SyncRun
  private let feedKey: Int64
  private let insert: RawStatement
  private var insertedRunKey: Int64?
  private var pending: [Change] = []
  private var pendingBytes = 0

  init(_ database: Database, _ run: SyncRun, feedKey: Int64) throws {
    self.database = database
    self.run = run
    self.feedKey = feedKey
    insert = try RawStatement(
      database, "INSERT INTO change (offer_key, run_id, kind, fields) VALUES (?1, ?2, ?3, ?4)")
  }

  /// Takes a change. Changes are numbered in the order in which they come.
  ///
  /// - Parameter fields: what a changed offer's row tells; see `ChangedFields`.
  func append(_ kind: Kind, _ offerKey: Int64, fields: [UInt8]? = nil) throws {
    pending.append(Change(kind: kind, offerKey: offerKey, fields: fields))
    pendingBytes += Self.changeBytes + (fields?.capacity ?? 0)
    if pendingBytes > Self.pendingLimitBytes { try flush() }
  }

  /// Notes the offers that the sync added, in one row behind the changes so far. Their keys follow
  /// the last one before, because only one process writes at a time.
  func appendNew(count: Int, afterOffer lastKey: Int64) throws {
    if count == 0 { return }
    try flush()
    let count = Int64(count)
    try ChangeTable.insertNew(
      id: ChangeSearch(database).lastID + count, offerKey: lastKey + count, run: noteRun(),
      count: count, in: database)
  }

  /// Writes what is held.
  func flush() throws {
    if pending.isEmpty { return }
    let runKey = try noteRun()
    for change in pending { try write(change, runKey) }
    pending.removeAll(keepingCapacity: true)
    pendingBytes = 0
  }

  /// Completes the run, behind all changes, by what only the write could tell.
  func complete(_ run: SyncRun, rowsWritten: Int) throws {
    try flush()
    if let insertedRunKey {
      try SyncRunTable.complete(insertedRunKey, run, rowsWritten: rowsWritten, in: database)
    } else {
      try SyncRunTable.insert(run, feedKey: feedKey, rowsWritten: rowsWritten, in: database)
    }
  }

  /// The run's key. The run is noted when its key is first needed.
  private func noteRun() throws -> Int64 {
    if let insertedRunKey { return insertedRunKey }
    let key = try SyncRunTable.insert(run, feedKey: feedKey, in: database)
    insertedRunKey = key
    return key
  }

  private func write(_ change: Change, _ runKey: Int64) throws {
    let name = change.kind.name
    insert.bind(1, change.offerKey)
    insert.bind(2, runKey)
    insert.bind(3, UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    guard let fields = change.fields else {
      insert.bindNull(4)
      try insert.run()
      return
    }
    try fields.withUnsafeBytes { text in
      insert.bind(4, text)
      try insert.run()
    }
  }
}
