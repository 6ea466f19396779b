import Foundation
import OffersCore
import OffersStore

/// Writes offers and changes by statements for many at once.
final class PostgresOfferWriter: OfferWriter {
  private let connection: Connection
  private var inserts = RowBatch.offers
  private var updates = RowBatch.offers
  /// The inserted offers, in the order of their keys.
  private var pending: [(key: Int64, id: String, position: Int)] = []
  private var changes = RowBatch.changes
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
      try updates.update(in: connection)
    }
  }

  func update(_ record: OfferRecord, _ difference: OfferDifference, _ state: OfferUpdateValues)
    throws
  {
    updates.append(
      row(OfferRow.values(of: record, updated: state), SearchVector { record[$0] }))
  }

  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer] {
    inserts.append(
      row(OfferRow.values(of: record, inserted: state), SearchVector { record[$0] }))
    pending.append((state.key, record.id, record.position))
    return inserts.isFull ? try flushInserts(state) : []
  }

  func flushInserts(_ state: OfferInsertValues) throws -> [InsertedOffer] {
    let inserted = Set(
      try inserts.insert(
        "ON CONFLICT (feed_key, id) DO NOTHING RETURNING offer_key", in: connection))
    defer { pending = [] }
    return pending.map { key, id, position in
      InsertedOffer(key: key, repeated: inserted.contains(key) ? nil : (id, position))
    }
  }

  func insert(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) throws {
    inserts.append(
      row(
        OfferRow.values(of: offer, key: key, feedKey: feedKey, firstRunID: firstRunID),
        SearchVector { offer[$0] }))
    if inserts.isFull { try flushImported() }
  }

  /// The values of `RowBatch.offers`. Notes the searched words.
  private func row(_ values: [SQLValue], _ search: SearchVector) -> [SQLValue] {
    words.formUnion(search.words)
    return values + [.text(search.text)]
  }

  func flushImported() throws {
    try inserts.insert(in: connection)
    if words.count > Self.wordLimit { try finish(newAfter: nil) }
  }

  /// The number of words of imported offers above which they are written.
  private static let wordLimit = 100_000

  func record(_ change: RecordedChange) throws {
    changes.append(change.values)
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

  func isSearchCurrent() -> Bool { true }

  func search(
    _ query: SearchQuery, _ conditions: SearchConditions, of user: User.ID
  ) throws -> SearchResults {
    try PostgresIndexReader(query, conditions, in: connection).results(of: query)
  }
}

/// Rows to be written by one statement, as an array for each column: a round trip and a plan for many rows
/// instead of one for each.
struct RowBatch {
  private struct Column {
    let name: String
    var cast = ""
    /// The type that the values are given in.
    let type: String
    var values: ArrayParameter

    init(_ name: String, _ kind: OfferRow.Kind, cast: String = "") {
      self.name = name
      self.cast = cast
      let (type, element): (String, ArrayParameter.Element) =
        switch kind {
        case .text: ("text", .text)
        case .integer: ("bigint", .int8)
        case .real: ("double precision", .float8)
        case .flag: ("boolean", .bool)
        case .bytes: ("bytea", .bytea)
        }
      self.type = type
      values = ArrayParameter(element)
    }
  }

  private let table: String
  private var columns: [Column]

  /// Offers: the columns of `OfferRow`, and the searched words.
  static let offers = RowBatch(
    table: "offer",
    columns: OfferRow.columns.map { Column($0, $1) }
      + [Column("search", .text, cast: "::tsvector")])

  static let changes = RowBatch(
    table: "change", columns: RecordedChange.columns.map { Column($0, $1) })

  /// The size of a batch above which it is written, in bytes, and in rows.
  private static let limitBytes = 1 << 20
  private static let limitCount = 2000

  private var count: Int { columns[0].values.count }

  var isFull: Bool {
    count >= Self.limitCount
      || columns.reduce(0) { $0 + $1.values.byteCount } > Self.limitBytes
  }

  /// Adds a row.
  mutating func append(_ row: [SQLValue]) {
    for (index, value) in row.enumerated() { columns[index].values.append(value) }
  }

  private var names: String { columns.map(\.name).joined(separator: ", ") }

  /// The rows of the batch as a table `new`.
  private var source: String {
    let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
    return "unnest(\(arrays)) AS new (\(names))"
  }

  /// Runs a statement with the rows, and empties the batch.
  private mutating func write(_ sql: String, in connection: Connection) throws -> Rows {
    defer { for index in columns.indices { columns[index].values.removeAll() } }
    return try connection.rows(sql, columns.map { Parameter($0.values) })
  }

  /// Inserts the rows and empties the batch.
  ///
  /// - Parameters:
  ///   - rest: the rest of the statement.
  ///   - connection: runs the statement.
  /// - Returns: the integers that the statement returns, one for each row.
  @discardableResult
  mutating func insert(_ rest: String = "", in connection: Connection) throws -> [Int64] {
    if count == 0 { return [] }
    let selected = columns.map { "new.\($0.name)\($0.cast)" }.joined(separator: ", ")
    return try write(
      "INSERT INTO \(table) (\(names)) SELECT \(selected) FROM \(source) \(rest)",
      in: connection
    ).map { $0.number(0) }
  }

  /// Replaces the contents of the offers and empties the batch. The offers are not gone then. One that has
  /// not changed keeps the time of its last change.
  mutating func update(in connection: Connection) throws {
    if count == 0 { return }
    let assigned = columns.dropFirst(OfferRow.firstContent)
      .map { "\($0.name) = new.\($0.name)\($0.cast)" }.joined(separator: ", ")
    _ = try write(
      """
      UPDATE offer SET gone_at = NULL, found_at = new.found_at,
        changed_at = coalesce(new.changed_at, offer.changed_at), \(assigned)
      FROM \(source) WHERE offer.offer_key = new.offer_key
      """, in: connection)
  }
}
