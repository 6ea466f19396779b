import GRDB
import OffersCore
import OffersStore

/// Writes offers and changes, each by a prepared statement.
final class SQLiteOfferWriter: OfferWriter {
  private let database: Database
  private let index: SearchIndexWriter
  private let findOffer: PreparedStatement
  private let insertOffer: PreparedStatement
  private let updateOffer: PreparedStatement
  private let updateHash: PreparedStatement
  private let insertChange: PreparedStatement
  /// The statement for offers of an export.
  private let importOffer: PreparedStatement

  init(_ database: Database, isIndexed: Bool) throws {
    self.database = database
    index = try SearchIndexWriter(database, isWanted: isIndexed)
    findOffer = try PreparedStatement(
      database, "SELECT \(OfferDifference.selection) FROM offer WHERE offer_key = ?1")
    insertOffer = try PreparedStatement(
      database, Self.insertSQL + " ON CONFLICT (feed_key, id) DO NOTHING")
    importOffer = try PreparedStatement(database, Self.insertSQL)
    updateOffer = try PreparedStatement(database, Self.updateSQL)
    updateHash = try PreparedStatement(
      database,
      "UPDATE offer SET content_hash = ?1, gone_at = NULL, found_at = ?2 WHERE offer_key = ?3")
    insertChange = try PreparedStatement(
      database, Self.insert(into: "change", RecordedChange.columns))
  }

  private static func insert(
    into table: String, _ columns: [(name: String, kind: OfferRow.Kind)]
  ) -> String {
    """
    INSERT INTO \(table) (\(columns.map(\.name).joined(separator: ", ")))
    VALUES (\((1...columns.count).map { "?\($0)" }.joined(separator: ", ")))
    """
  }

  private static let insertSQL = insert(into: "offer", OfferRow.columns)

  /// Sets the columns of the content, and those of the state that change.
  private static let updateSQL = """
    UPDATE offer SET
      \(OfferRow.columns.enumerated().dropFirst(OfferRow.firstContent)
        .map { "\($1.name) = ?\($0 + 1)" }.joined(separator: ", ")),
      changed_at = coalesce(\(parameter("changed_at")), changed_at),
      found_at = \(parameter("found_at")), gone_at = NULL
    WHERE offer_key = \(parameter("offer_key"))
    """

  /// The parameter with the value of a column.
  private static func parameter(_ column: String) -> String {
    "?\(1 + (OfferRow.columns.firstIndex { $0.name == column } ?? 0))"
  }

  func compare(
    _ records: any OfferRecordSource, _ body: (OfferRecord, OfferDifference?) throws -> Void
  ) throws {
    try records.forEachRecord { record in try body(record, findDifference(record)) }
  }

  private func findDifference(_ record: OfferRecord) throws -> OfferDifference? {
    findOffer.bind(1, record.offerKey)
    return try findOffer.first { OfferDifference(record, $0) }
  }

  func update(_ record: OfferRecord, _ difference: OfferDifference, _ state: OfferUpdateValues)
    throws
  {
    let isSame = difference.fields == nil && !difference.isRewritten && state.changedAt == nil
    if isSame {
      try updateHash.run([
        .number(Int64(bitPattern: record.contentHash)), .number(state.foundAt),
        .number(record.offerKey),
      ])
      return
    }
    if difference.isSearched { try index.willChange(record.offerKey) }
    try updateOffer.run(OfferRow.values(of: record, updated: state))
  }

  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer] {
    let count = try insertOffer.run(OfferRow.values(of: record, inserted: state))
    return [
      InsertedOffer(key: state.key, repeated: count > 0 ? nil : (record.id, record.position))
    ]
  }

  func flushInserts(_ state: OfferInsertValues) -> [InsertedOffer] { [] }

  func insert(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) throws {
    try importOffer.run(
      OfferRow.values(of: offer, key: key, feedKey: feedKey, firstRunID: firstRunID))
  }

  func flushImported() {}

  func record(_ change: RecordedChange) throws {
    try insertChange.run(change.values)
  }

  func flushChanges() {}

  /// The index is written last, because FTS5 writes its pending terms when other statements write in
  /// between.
  func finish(newAfter lastKey: Int64?) throws { try index.finish(newAfter: lastKey) }
}

/// The writes of offers and the search, which the folder of the transaction may not use.
extension SQLiteTransaction {
  func makeOfferWriter(isIndexed: Bool) throws -> any OfferWriter {
    try SQLiteOfferWriter(database, isIndexed: isIndexed)
  }

  func willDeleteOffers(_ keys: [Int64]) throws {
    try SearchIndexWriter(database, rebuilds: false).remove(keys)
  }

  func isSearchCurrent() throws -> Bool { try SearchIndex.isCurrent(in: database) }

  func search(
    _ query: SearchQuery, _ conditions: SearchConditions, of user: User.ID
  ) throws -> SearchResults {
    try SQLiteIndexReader(query, conditions, of: user, in: database).results(of: query)
  }
}
