import GRDB
import OffersCore

/// Updates the search index for the offers that one transaction writes.
///
/// The index is an external-content FTS5 table: an entry can be deleted only with the texts it was
/// inserted with, so `willChange` must be called before an offer is changed or removed. New offers
/// have keys above the last one and are indexed at the end. FTS5 gathers terms in memory and writes
/// them in large segments as long as rowids ascend and no other statement writes in between;
/// therefore the changes are collected and written in key order.
/// https://sqlite.org/fts5.html#external_content_tables
final class SearchIndexWriter {
  /// The way in which the index is updated.
  private enum Work {
    /// Only differing offers are written.
    case difference
    /// The index is rebuilt at the end.
    case rebuild
    /// The index is not touched. At the end it is marked as not current if an offer differs or is
    /// new.
    case nothing
  }

  private let database: Database
  private var work: Work
  private var differs = false
  /// The texts before the change, by offer key.
  private var pending: [Int64: [String?]] = [:]
  private var pendingBytes = 0
  /// The number of calls of `willChange`.
  private var count: Int64 = 0
  /// Prepared on the first change, so that a sync without changes does not pay for it.
  private var statements: Statements?

  private struct Statements {
    let find: PreparedStatement
    let delete: PreparedStatement
    let insert: PreparedStatement
    /// The number of changed offers above which a rebuild is cheaper.
    let rebuildCount: Int64

    init(_ database: Database) throws {
      let columns = SearchIndex.columns
      let parameters = SearchIndex.fields.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      find = try PreparedStatement(
        database, "SELECT \(columns) FROM search_text WHERE offer_key = ?1")
      delete = try PreparedStatement(
        database,
        """
        INSERT INTO offer_search (offer_search, rowid, \(columns))
        VALUES ('delete', ?1, \(parameters))
        """)
      insert = try PreparedStatement(
        database, "INSERT INTO offer_search (rowid, \(columns)) VALUES (?1, \(parameters))")
      let last = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
      rebuildCount = max(1000, last / 4)
    }
  }

  /// The size of the texts in `pending` above which they are written, in bytes.
  private static let pendingLimitBytes = 8 << 20

  /// - Parameters:
  ///   - database: the database that has the index.
  ///   - isWanted: whether to update the index; otherwise it is marked as not current.
  ///   - rebuilds: whether to rebuild an index that is not current; otherwise it stays so.
  init(_ database: Database, isWanted: Bool = true, rebuilds: Bool = true) throws {
    self.database = database
    let isCurrent = try SearchIndex.isCurrent(in: database)
    work = !isWanted ? .nothing : isCurrent ? .difference : rebuilds ? .rebuild : .nothing
  }

  /// Must be called before an offer's texts are changed or removed.
  func willChange(_ key: Int64) throws {
    differs = true
    guard work == .difference else { return }
    let statements = try self.statements ?? Statements(database)
    self.statements = statements
    count += 1
    if count > statements.rebuildCount {
      work = .rebuild
      pending = [:]
      return
    }
    if pendingBytes > Self.pendingLimitBytes { try flush() }
    // Only the texts before an offer's first change are needed, because the index contains those.
    guard pending[key] == nil else { return }
    statements.find.bind(1, key)
    let found = try statements.find.first { row in
      SearchIndex.fields.indices.map { row.findText($0) }
    }
    guard let texts = found else { return }
    pendingBytes += texts.reduce(64) { $0 + ($1?.utf8.count ?? 0) }
    pending[key] = texts
  }

  /// Removes offers that are about to be deleted. If there are too many, the index is emptied, and rebuilt when
  /// it is needed.
  func remove(_ keys: [Int64]) throws {
    for key in keys {
      try willChange(key)
      try delete(key)
      pending = [:]
      pendingBytes = 0
      if work != .difference { break }
    }
    if work == .rebuild { try SearchIndex.clear(in: database) }
  }

  /// Writes the pending changes and indexes the new offers.
  ///
  /// - Parameter lastKey: the offers with larger keys are new; nil if there are no new offers.
  func finish(newAfter lastKey: Int64? = nil) throws {
    switch work {
    case .nothing:
      if differs || lastKey != nil { try SearchIndex.setCurrent(false, in: database) }
    case .rebuild:
      try SearchIndex.rebuild(in: database)
    case .difference:
      try flush()
      if work == .rebuild {
        try SearchIndex.rebuild(in: database)
      } else if let lastKey {
        try database.execute(
          sql: """
            INSERT INTO offer_search (rowid, \(SearchIndex.columns))
            SELECT offer_key, \(SearchIndex.columns) FROM search_text
            WHERE offer_key > ? ORDER BY offer_key
            """, arguments: [lastKey])
      }
    }
  }

  private func flush() throws {
    guard let statements else { return }
    let (find, insert) = (statements.find, statements.insert)
    for (key, texts) in pending.sorted(by: { $0.key < $1.key }) {
      try delete(key)
      if work == .rebuild { break }
      find.bind(1, key)
      _ = try find.first { row in
        insert.bind(1, key)
        for place in texts.indices { insert.bind(Int32(place + 2), row.findUTF8(place)) }
        try insert.run()
      }
    }
    pending = [:]
    pendingBytes = 0
  }

  /// Removes the entry of a pending offer.
  private func delete(_ key: Int64) throws {
    guard work == .difference, let statements, let texts = pending[key] else { return }
    let delete = statements.delete
    delete.bind(1, key)
    for (place, text) in texts.enumerated() { delete.bind(Int32(place + 2), copying: text) }
    do {
      try delete.run()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CORRUPT_VTAB {
      // Another program changed texts without updating the index.
      work = .rebuild
    }
  }
}
