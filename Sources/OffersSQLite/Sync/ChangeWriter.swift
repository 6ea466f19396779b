import GRDB
import OffersCore

/// Records a sync's run and the changes of its offers. Changes are numbered in the order in which
/// they are appended.
struct ChangeWriter {
  enum Kind {
    case new, changed, gone, back

    fileprivate var name: StaticString {
      switch self {
      case .new: "new"
      case .changed: "changed"
      case .gone: "gone"
      case .back: "back"
      }
    }
  }

  private let database: Database
  /// The run's number.
  let runKey: Int64
  private let insert: RawStatement

  /// Records the run first, because its changes reference it. `complete` updates its counts.
  init(_ database: Database, _ run: SyncRun, feedKey: Int64) throws {
    self.database = database
    runKey = try SyncRunTable.insert(run, feedKey: feedKey, in: database)
    insert = try RawStatement(
      database, "INSERT INTO change (offer_key, run_id, kind, fields) VALUES (?1, ?2, ?3, ?4)")
    insert.bind(2, runKey)
  }

  /// Records a change of an offer. `fields` is the JSON of a `changed` row; see `ChangedFields`.
  func append(_ kind: Kind, _ offerKey: Int64, fields: [UInt8]? = nil) throws {
    let name = kind.name
    insert.bind(1, offerKey)
    insert.bind(3, UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    guard let fields else {
      insert.bindNull(4)
      try insert.run()
      return
    }
    try fields.withUnsafeBytes { text in
      insert.bind(4, text)
      try insert.run()
    }
  }

  /// Records all offers of a feed's first sync in one row; see `ChangeSpan`. `lastKey` is the
  /// largest of their keys, which are consecutive.
  func appendFirst(count: Int, lastKey: Int64) throws {
    let count = Int64(count)
    let id = try ChangeTable.fetchLastID(in: database) + count
    try database.execute(
      sql: "INSERT INTO change (change_id, offer_key, run_id, kind) VALUES (?, ?, ?, 'new')",
      arguments: [id, lastKey, runKey])
    if count == 1 { return }
    try database.execute(
      sql: "INSERT INTO new_offers (change_id, offer_count) VALUES (?, ?)", arguments: [id, count])
  }

  /// Updates the run with the counts that are known only after the write.
  func complete(_ run: SyncRun, rowsWritten: Int) throws {
    try SyncRunTable.complete(runKey, run, rowsWritten: rowsWritten, in: database)
  }
}
