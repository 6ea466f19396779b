import GRDB
import OffersCore
import OffersStore

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
    runKey = try SyncRunTable.insert(
      run, id: nil, feedKey: feedKey, in: SQLiteTransaction(database))
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

  /// Records all offers of a feed's first sync: the inserted ones in one row (see `ChangeSpan`),
  /// those that a search had found in a row each. They are reported as one entry (`FirstSyncTable`).
  ///
  /// - Parameters:
  ///   - inserted: the number of inserted offers, whose keys are consecutive.
  ///   - key: the largest key before them.
  ///   - promoted: the keys of the others.
  func appendFirst(inserted: Int, after key: Int64, promoted: [Int64]) throws {
    for key in promoted.sorted() { try append(.new, key) }
    var id = try ChangeTable.fetchLastID(in: database)
    if inserted > 0 {
      let count = Int64(inserted)
      id = id.adding(clamped: count)
      try database.execute(
        sql: "INSERT INTO change (change_id, offer_key, run_id, kind) VALUES (?, ?, ?, 'new')",
        arguments: [id, key.adding(clamped: count), runKey])
      if count > 1 {
        try database.execute(
          sql: "INSERT INTO new_offers (change_id, offer_count) VALUES (?, ?)",
          arguments: [id, count])
      }
    }
    try FirstSyncTable.insert(
      runKey: runKey, lastChangeID: id, offerCount: inserted + promoted.count, in: database)
  }

  /// Removes the changes of an offer, except for `new`.
  func forget(_ offerKey: Int64) throws {
    try database.cachedStatement(sql: "DELETE FROM change WHERE offer_key = ? AND kind <> 'new'")
      .execute(arguments: [offerKey])
  }

  /// Removes the `new` changes of the built-in sample's runs of a feed. Later changes must exist, so
  /// that the numbers of the removed ones are not used again.
  func forgetSample(feedKey: Int64) throws {
    let rows = """
      SELECT change_id FROM change
      WHERE kind = 'new' AND run_id IN (
        SELECT run_id FROM sync_run WHERE feed_key = ? AND source = 'sample')
      """
    for table in ["first_sync", "new_offers", "change"] {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE change_id IN (\(rows))", arguments: [feedKey])
    }
  }

  /// Updates the run with the counts that are known only after the write.
  func complete(_ run: SyncRun) throws {
    try SyncRunTable.complete(runKey, run, in: SQLiteTransaction(database))
  }
}
