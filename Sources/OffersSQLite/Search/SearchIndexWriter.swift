import GRDB
import OffersCore

/// Brings the search index up to date with the offers that one transaction writes.
///
/// The index can take an offer out only by the texts it was put in with, so whoever changes or
/// removes an offer says so before. What is new stands behind the last offer and is found by that.
/// The index is written by the megabyte in the order of the keys: each step back in that order, and
/// each statement of another kind between two writes, makes it write what it has gathered.
final class SearchIndexWriter {
  /// What becomes of the index.
  private enum Work {
    /// Only what differs is written.
    case difference
    /// It is made anew at the end.
    case rebuild
    /// It is left as it is, and is no longer what the offers are once one of them differs.
    case nothing
  }

  private let database: Database
  private var work: Work
  private var differs = false
  /// The texts that offers had, by their keys.
  private var pending: [Int64: [String?]] = [:]
  private var pendingBytes = 0
  /// How many offers were changed or removed.
  private var count: Int64 = 0
  /// Made when the first offer is changed, which is not what a small sync is kept waiting for.
  private var statements: Statements?

  private struct Statements {
    let find: RawStatement
    let delete: RawStatement
    let insert: RawStatement
    /// Above so many changed offers it is cheaper to make the index anew.
    let rebuildCount: Int64

    init(_ database: Database) throws {
      let columns = SearchIndex.columns
      let parameters = SearchIndex.fields.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      find = try RawStatement(database, "SELECT \(columns) FROM search_text WHERE offer_key = ?1")
      delete = try RawStatement(
        database,
        """
        INSERT INTO offer_search (offer_search, rowid, \(columns))
        VALUES ('delete', ?1, \(parameters))
        """)
      insert = try RawStatement(
        database, "INSERT INTO offer_search (rowid, \(columns)) VALUES (?1, \(parameters))")
      let last = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
      rebuildCount = max(1000, last / 4)
    }
  }

  /// Most bytes of texts that are held at a time.
  private static let pendingLimitBytes = 8 << 20

  /// - Parameters:
  ///   - isWanted: whether to keep the index; else it is marked as not current.
  ///   - rebuilds: whether to make an index anew that is not current; else it is left so.
  init(_ database: Database, isWanted: Bool = true, rebuilds: Bool = true) throws {
    self.database = database
    let isCurrent = try SearchIndex.isCurrent(in: database)
    work = !isWanted ? .nothing : isCurrent ? .difference : rebuilds ? .rebuild : .nothing
  }

  /// Says that an offer's texts are about to change, or to be removed.
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
    // The texts that the index has are those before the first change.
    guard pending[key] == nil else { return }
    let find = statements.find
    find.bind(1, key)
    defer { find.reset() }
    guard try find.step() else { return }
    let texts = SearchIndex.fields.indices.map { find.string(Int32($0)) }
    pendingBytes += texts.reduce(64) { $0 + ($1?.utf8.count ?? 0) }
    pending[key] = texts
  }

  /// Takes back what was said of an offer: it stays as it was.
  func didKeep(_ key: Int64) { pending[key] = nil }

  /// Writes what is left, and the offers behind a key, which are all new.
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
    let (find, delete, insert) = (statements.find, statements.delete, statements.insert)
    for (key, texts) in pending.sorted(by: { $0.key < $1.key }) {
      delete.bind(1, key)
      for (place, text) in texts.enumerated() { delete.bind(Int32(place + 2), copying: text) }
      do {
        try delete.run()
      } catch let error as DatabaseError
        where error.extendedResultCode == .SQLITE_CORRUPT_VTAB
      {
        // Another program has written texts that the index was not told of.
        work = .rebuild
        break
      }
      find.bind(1, key)
      defer { find.reset() }
      guard try find.step() else { continue }
      insert.bind(1, key)
      for place in texts.indices { insert.bind(Int32(place + 2), find.text(Int32(place))) }
      try insert.run()
    }
    pending = [:]
    pendingBytes = 0
  }
}
