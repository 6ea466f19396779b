import Foundation
import OffersCore
import OffersStore

/// Writes offers and changes by statements for many at once.
final class PostgresOfferWriter: OfferWriter {
  private let connection: Connection
  private var inserts = OfferBatch()
  private var updates = OfferBatch()
  /// The state that the updates have in common.
  private var foundAt: Int64?
  /// The inserted offers, in the order of their keys.
  private var pending: [(key: Int64, id: String, position: Int)] = []
  private var changes = ChangeBatch()
  private var words: Set<String> = []

  init(_ connection: Connection) { self.connection = connection }

  /// The number of offers that are compared after one query.
  private static let pieceCount = 1000

  /// Reads the records twice: first the keys of a piece, then, after one query, their fields.
  func compare(
    _ records: any OfferRecordSource, _ body: (OfferRecord, OfferDifference?) throws -> Void
  ) throws {
    let ahead = records.makeReader()
    let reader = records.makeReader()
    while true {
      var keys: [Int64] = []
      while keys.count < Self.pieceCount, let record = try ahead.next() {
        keys.append(record.offerKey)
      }
      if keys.isEmpty { return }
      let rows = try connection.rows(
        """
        SELECT \(OfferDifference.selection) FROM offer WHERE offer.offer_key = ANY($1)
        FOR NO KEY UPDATE
        """, [.numbers(keys)])
      var places: [Int64: Int] = [:]
      for index in 0..<rows.count { places[rows[index].number(OfferDifference.keyColumn)] = index }
      for _ in keys {
        guard let record = try reader.next() else { break }
        try body(record, places[record.offerKey].map { OfferDifference(record, rows[$0]) })
      }
      try updates.update(foundAt: foundAt, in: connection)
    }
  }

  func update(_ record: OfferRecord, _ difference: OfferDifference, _ state: OfferUpdateValues)
    throws
  {
    if state.foundAt != foundAt { try updates.update(foundAt: foundAt, in: connection) }
    foundAt = state.foundAt
    updates.append(
      record, key: record.offerKey, changedAt: state.changedAt, words: &words)
  }

  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer] {
    inserts.append(record, key: state.key, words: &words)
    pending.append((state.key, record.id, record.position))
    return inserts.isFull ? try flushInserts(state) : []
  }

  func flushInserts(_ state: OfferInsertValues) throws -> [InsertedOffer] {
    let inserted = Set(
      try inserts.insert(
        feedKey: state.feedKey, at: state.time, foundAt: state.foundAt,
        firstRunID: state.firstRunID, in: connection))
    defer { pending = [] }
    return pending.map { key, id, position in
      InsertedOffer(key: key, repeated: inserted.contains(key) ? nil : (id, position))
    }
  }

  func insert(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) throws {
    inserts.append(offer, key: key, feedKey: feedKey, firstRunID: firstRunID, words: &words)
    if inserts.isFull { try flushImported() }
  }

  func flushImported() throws {
    try inserts.insertImported(in: connection)
    if words.count > Self.wordLimit { try finish(newAfter: nil) }
  }

  /// The number of words of imported offers above which they are written.
  private static let wordLimit = 100_000

  func record(_ change: RecordedChange) throws {
    changes.append(change)
    if changes.isFull { try flushChanges() }
  }

  func flushChanges() throws { try changes.insert(in: connection) }

  func finish(newAfter lastKey: Int64?) throws {
    try SearchWordTable.add(words, in: connection)
    words = []
  }
}

/// The writes of offers and the search, which the folder of the transaction may not use.
extension PostgresTransaction {
  func makeOfferWriter(isIndexed: Bool) -> any OfferWriter { PostgresOfferWriter(connection) }

  /// The words of deleted offers are removed by pruning.
  func willDeleteOffers(_ keys: [Int64]) {}

  func search(
    _ query: SearchQuery, of user: User.ID, feedKey: Int64?
  ) throws -> SearchResults? {
    try SearchIndexReader(query, of: user, feedKey: feedKey, in: connection).results(of: query)
  }
}

/// Offers to be inserted or updated by one statement, as an array for each column: a round trip and a
/// plan for many offers instead of one for each.
struct OfferBatch {
  /// A column with the values of all offers of the batch.
  private struct Column {
    let name: String
    /// The type that the values are given in, if it is not that of the column.
    var type: String
    var cast = ""
    var values: ArrayParameter

    init(_ name: String, _ element: ArrayParameter.Element, cast: String = "") {
      self.name = name
      self.cast = cast
      values = ArrayParameter(element)
      type =
        switch element {
        case .bool: "boolean"
        case .bytea: "bytea"
        case .int8: "bigint"
        case .text: "text"
        case .float8: "double precision"
        }
    }
  }

  /// The columns that an offer sets, the id first.
  private var columns: [Column] =
    OfferRow.columns.map { name, kind in
      switch kind {
      case .text: Column(name, .text)
      case .integer: Column(name, .int8)
      case .real: Column(name, .float8)
      case .flag: Column(name, .bool)
      case .bytes: Column(name, .bytea)
      }
    } + [Column("search", .text, cast: "::tsvector")]

  private var keys = ArrayParameter(.int8)
  /// For updates, when each offer changed; NULL to keep the time.
  private var changes = ArrayParameter(.int8)
  /// For imports, the feed, the times and the first sync of each offer.
  private var imported: [Column] = [
    Column("feed_key", .int8), Column("first_seen_at", .int8), Column("gone_at", .int8),
    Column("first_run_id", .int8),
  ]
  private(set) var bytes = 0

  /// The number of offers.
  var count: Int { keys.count }

  /// The size of a batch above which it is written, in bytes, and in offers.
  private static let limitBytes = 1 << 20
  private static let limitCount = 2000

  var isFull: Bool { bytes > Self.limitBytes || count >= Self.limitCount }

  /// Adds an offer.
  ///
  /// - Parameters:
  ///   - record: the fields.
  ///   - key: the offer's key.
  ///   - changedAt: for an update, when the offer changed; nil to keep the time.
  ///   - words: the words of all offers, to which its words are added.
  mutating func append(
    _ record: OfferRecord, key: Int64, changedAt: Int64? = nil, words: inout Set<String>
  ) {
    append(
      OfferRow.values(of: record), key: key, changedAt: changedAt, SearchVector { record[$0] },
      &words)
  }

  private mutating func append(
    _ values: [SQLValue], key: Int64, changedAt: Int64?, _ search: SearchVector,
    _ words: inout Set<String>
  ) {
    keys.append(key)
    changes.append(changedAt)
    for (index, value) in (values + [.text(search.text)]).enumerated() {
      let before = columns[index].values.byteCount
      columns[index].values.append(value)
      bytes += columns[index].values.byteCount - before
    }
    words.formUnion(search.words)
  }

  private var sourceNames: String {
    (["offer_key", "changed_at"] + columns.map(\.name)).joined(separator: ", ")
  }

  private var values: [Parameter] {
    [Parameter(keys), Parameter(changes)] + columns.map { Parameter($0.values) }
  }

  /// The rows of the batch as a table `new`.
  private func source(first: Int, more: [Column] = []) -> String {
    let types = ["bigint", "bigint"] + (columns + more).map(\.type)
    let arrays = types.enumerated().map { "$\($0 + first)::\($1)[]" }.joined(separator: ", ")
    let names = ([sourceNames] + more.map(\.name)).joined(separator: ", ")
    return "unnest(\(arrays)) AS new (\(names))"
  }

  private mutating func removeAll() {
    keys.removeAll()
    changes.removeAll()
    for index in columns.indices { columns[index].values.removeAll() }
    for index in imported.indices { imported[index].values.removeAll() }
    bytes = 0
  }

  /// Inserts the offers and empties the batch. An offer whose id the feed has is left out.
  ///
  /// - Parameters:
  ///   - feedKey: the feed.
  ///   - time: when the offers are first seen, in Unix seconds.
  ///   - foundAt: when a search found them; nil for offers of the document.
  ///   - firstRunID: the run if it is the first sync of the feed.
  ///   - connection: runs the statements.
  /// - Returns: the keys of the inserted offers.
  mutating func insert(
    feedKey: Int64, at time: Int64, foundAt: Int64? = nil, firstRunID: Int64? = nil,
    in connection: Connection
  ) throws -> [Int64] {
    if count == 0 { return [] }
    defer { removeAll() }
    let names = columns.map(\.name).joined(separator: ", ")
    let selected = columns.map { "new.\($0.name)\($0.cast)" }.joined(separator: ", ")
    return try connection.rows(
      """
      INSERT INTO offer (
        offer_key, feed_key, first_seen_at, changed_at, found_at, first_run_id, \(names))
      SELECT new.offer_key, $1, $2, $2, $3, $4, \(selected) FROM \(source(first: 5))
      ON CONFLICT (feed_key, id) DO NOTHING RETURNING offer_key
      """,
      [.number(feedKey), .number(time), .number(foundAt), .number(firstRunID)] + values
    ).map { $0.number(0) }
  }

  /// Replaces the contents of the offers and empties the batch. The offers are not gone then.
  ///
  /// - Parameters:
  ///   - foundAt: when a search found them; nil for offers of the document.
  ///   - connection: runs the statements.
  mutating func update(foundAt: Int64?, in connection: Connection) throws {
    if count == 0 { return }
    defer { removeAll() }
    let assigned = columns.dropFirst()
      .map { "\($0.name) = new.\($0.name)\($0.cast)" }.joined(separator: ", ")
    try connection.run(
      """
      UPDATE offer SET gone_at = NULL, found_at = $1,
        changed_at = coalesce(new.changed_at, offer.changed_at), \(assigned)
      FROM \(source(first: 2)) WHERE offer.offer_key = new.offer_key
      """, [.number(foundAt)] + values)
  }
}

/// Offers of an export.
extension OfferBatch {
  /// Adds an offer of an export.
  ///
  /// - Parameters:
  ///   - offer: the offer as it is to be stored.
  ///   - key: its key.
  ///   - feedKey: its feed.
  ///   - firstRunID: the first sync of the feed, if that one had the offer.
  ///   - words: the words of all offers, to which its words are added.
  mutating func append(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?,
    words: inout Set<String>
  ) {
    append(
      OfferRow.values(of: offer), key: key, changedAt: offer.changedAt, SearchVector { offer[$0] },
      &words)
    let others = [feedKey, offer.firstSeenAt, offer.goneAt, firstRunID]
    for (index, value) in others.enumerated() { imported[index].values.append(value) }
  }

  /// Inserts the offers of an export, which are not stored, and empties the batch.
  mutating func insertImported(in connection: Connection) throws {
    if count == 0 { return }
    defer { removeAll() }
    let names = columns.map(\.name).joined(separator: ", ")
    let selected = columns.map { "new.\($0.name)\($0.cast)" }.joined(separator: ", ")
    try connection.run(
      """
      INSERT INTO offer (
        offer_key, feed_key, first_seen_at, changed_at, gone_at, first_run_id, \(names))
      SELECT new.offer_key, new.feed_key, new.first_seen_at, new.changed_at, new.gone_at,
        new.first_run_id, \(selected)
      FROM \(source(first: 1, more: imported))
      """, values + imported.map { Parameter($0.values) })
  }
}

/// Changes to be recorded by one statement.
struct ChangeBatch {
  private var ids = ArrayParameter(.int8)
  private var runs = ArrayParameter(.int8)
  private var feeds = ArrayParameter(.int8)
  private var times = ArrayParameter(.int8)
  private var keys = ArrayParameter(.int8)
  private var kinds = ArrayParameter(.text)
  private var counts = ArrayParameter(.int8)
  private var fields = ArrayParameter(.text)

  mutating func append(_ change: RecordedChange) {
    ids.append(change.id)
    runs.append(change.runID)
    feeds.append(change.feedKey)
    times.append(change.at)
    keys.append(change.offerKey)
    kinds.append(change.kind.rawValue)
    counts.append(change.offerCount.map(Int64.init))
    fields.append(change.fields)
  }

  var isFull: Bool { ids.count >= 5000 || fields.byteCount > 1 << 20 }

  /// Inserts the changes and empties the batch.
  mutating func insert(in connection: Connection) throws {
    if ids.count == 0 { return }
    try connection.run(
      """
      INSERT INTO change (change_id, run_id, feed_key, at, offer_key, kind, offer_count, fields)
      SELECT new.* FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS new
      """,
      [ids, runs, feeds, times, keys, kinds, counts, fields].map { Parameter($0) })
    self = ChangeBatch()
  }
}
