import GRDB
import OffersCore

/// Notes a sync's run, and what happened to the offers in it. Changes are numbered in the order in
/// which they come.
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
  private let runKey: Int64
  private let insert: RawStatement

  /// Notes the run as far as it has come: its changes refer to it. `complete` notes the rest.
  init(_ database: Database, _ run: SyncRun, feedKey: Int64) throws {
    self.database = database
    runKey = try SyncRunTable.insert(run, feedKey: feedKey, in: database)
    insert = try RawStatement(
      database, "INSERT INTO change (offer_key, run_id, kind, fields) VALUES (?1, ?2, ?3, ?4)")
    insert.bind(2, runKey)
  }

  /// - Parameter fields: what a changed offer's row tells; see `ChangedFields`.
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

  /// Notes the offers of a feed's first sync by one row; see `ChangeSpan`.
  ///
  /// - Parameter lastKey: the last one's key, which follows those of all others.
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

  /// Completes the run by what only the write could tell.
  func complete(_ run: SyncRun, rowsWritten: Int) throws {
    try SyncRunTable.complete(runKey, run, rowsWritten: rowsWritten, in: database)
  }
}
