import GRDB
import OffersCore
import OffersStore

/// Writes offers and changes, each by a prepared statement.
final class SQLiteOfferWriter: OfferWriter {
  private let database: Database
  private let index: SearchIndexWriter
  private let findOffer: PreparedStatement
  private let insertOffer: OfferStatement
  private let updateOffer: OfferStatement
  private let updateHash: PreparedStatement
  private let insertChange: PreparedStatement
  /// The statement for offers of an export.
  private var imported: OfferStatement?

  init(_ database: Database, isIndexed: Bool) throws {
    self.database = database
    index = try SearchIndexWriter(database, isWanted: isIndexed)
    findOffer = try PreparedStatement(
      database, "SELECT \(OfferDifference.selection) FROM offer WHERE offer_key = ?1")
    insertOffer = try OfferStatement(database, OfferStatement.insertSQL)
    updateOffer = try OfferStatement(database, OfferStatement.updateSQL)
    updateHash = try PreparedStatement(
      database,
      "UPDATE offer SET content_hash = ?1, gone_at = NULL, found_at = ?2 WHERE offer_key = ?3")
    insertChange = try PreparedStatement(
      database,
      """
      INSERT INTO change (change_id, run_id, feed_key, at, offer_key, kind, offer_count, fields)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
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
    let isSame = difference.fields == nil && !difference.hasOtherReward && state.changedAt == nil
    if isSame {
      updateHash.bind(1, Int64(bitPattern: record.contentHash))
      updateHash.bind(2, number: state.foundAt)
      updateHash.bind(3, record.offerKey)
      try updateHash.run()
      return
    }
    if difference.isSearched { try index.willChange(record.offerKey) }
    try updateOffer.run(record) { statement in
      statement.bind(OfferStatement.firstOther, number: state.changedAt)
      statement.bind(OfferStatement.firstOther + 1, number: state.foundAt)
      statement.bind(OfferStatement.firstOther + 2, record.offerKey)
    }
  }

  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer] {
    let count = try insertOffer.run(record) { statement in
      statement.bind(OfferStatement.firstOther, state.key)
      statement.bind(OfferStatement.firstOther + 1, state.feedKey)
      statement.bind(OfferStatement.firstOther + 2, state.time)
      statement.bind(OfferStatement.firstOther + 3, number: state.foundAt)
      statement.bind(OfferStatement.firstOther + 4, number: state.firstRunID)
    }
    return [
      InsertedOffer(key: state.key, repeated: count > 0 ? nil : (record.id, record.position))
    ]
  }

  func flushInserts(_ state: OfferInsertValues) -> [InsertedOffer] { [] }

  func insert(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) throws {
    try importedOffer().run(offer) { statement in
      statement.bind(OfferStatement.firstImported, key)
      statement.bind(OfferStatement.firstImported + 1, feedKey)
      statement.bind(OfferStatement.firstImported + 2, number: firstRunID)
    }
  }

  func flushImported() {}

  private func importedOffer() throws -> OfferStatement {
    if let imported { return imported }
    let made = try OfferStatement(database, OfferStatement.importSQL)
    imported = made
    return made
  }

  func record(_ change: RecordedChange) throws {
    insertChange.bind(1, change.id)
    insertChange.bind(2, change.runID)
    insertChange.bind(3, change.feedKey)
    insertChange.bind(4, change.at)
    insertChange.bind(5, change.offerKey)
    insertChange.bind(6, copying: change.kind.rawValue)
    insertChange.bind(7, number: change.offerCount.map(Int64.init))
    insertChange.bind(8, copying: change.fields)
    try insertChange.run()
  }

  func flushChanges() {}

  /// The index is written last, because FTS5 writes its pending terms when other statements write in
  /// between.
  func finish(newAfter lastKey: Int64?) throws { try index.finish(newAfter: lastKey) }
}
