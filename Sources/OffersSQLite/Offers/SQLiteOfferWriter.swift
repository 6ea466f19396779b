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
  private var importOffer: PreparedStatement?

  init(_ database: Database, isIndexed: Bool) throws {
    self.database = database
    index = try SearchIndexWriter(database, isWanted: isIndexed)
    findOffer = try PreparedStatement(
      database, "SELECT \(OfferDifference.selection) FROM offer WHERE offer_key = ?1")
    insertOffer = try PreparedStatement(database, Self.insertSQL)
    updateOffer = try PreparedStatement(database, Self.updateSQL)
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

  private static let columns = OfferRow.columns.map(\.name)
  /// The number of the parameter after those of an offer's columns.
  private static let next = columns.count + 1

  private static func parameters(_ count: Int) -> String {
    (1...count).map { "?\($0)" }.joined(separator: ", ")
  }

  /// The further parameters are the key, the feed, the time, and the values of `found_at` and `first_run_id`.
  private static let insertSQL = """
    INSERT INTO offer (
      \(columns.joined(separator: ", ")), offer_key, feed_key, first_seen_at, found_at, first_run_id,
      changed_at)
    VALUES (\(parameters(columns.count + 5)), ?\(next + 2))
    ON CONFLICT (feed_key, id) DO NOTHING
    """

  /// The offer keeps its id. The further parameters are the time of the change, NULL to keep it, the value of
  /// `found_at`, and the key.
  private static let updateSQL = """
    UPDATE offer SET
      \(columns.enumerated().dropFirst().map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")),
      changed_at = coalesce(?\(next), changed_at), found_at = ?\(next + 1), gone_at = NULL
    WHERE offer_key = ?\(next + 2)
    """

  /// The further parameters are the times, the key, the feed, and the value of `first_run_id`.
  private static let importSQL = """
    INSERT INTO offer (
      \(columns.joined(separator: ", ")), first_seen_at, changed_at, gone_at, offer_key, feed_key,
      first_run_id)
    VALUES (\(parameters(columns.count + 6)))
    """

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
      try updateHash.run([
        .number(Int64(bitPattern: record.contentHash)), .number(state.foundAt),
        .number(record.offerKey),
      ])
      return
    }
    if difference.isSearched { try index.willChange(record.offerKey) }
    try updateOffer.run(
      OfferRow.values(of: record) + [
        .number(state.changedAt), .number(state.foundAt), .number(record.offerKey),
      ])
  }

  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer] {
    let count = try insertOffer.run(
      OfferRow.values(of: record) + [
        .number(state.key), .number(state.feedKey), .number(state.time), .number(state.foundAt),
        .number(state.firstRunID),
      ])
    return [
      InsertedOffer(key: state.key, repeated: count > 0 ? nil : (record.id, record.position))
    ]
  }

  func flushInserts(_ state: OfferInsertValues) -> [InsertedOffer] { [] }

  func insert(
    _ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) throws {
    let statement = try importOffer ?? PreparedStatement(database, Self.importSQL)
    importOffer = statement
    try statement.run(
      OfferRow.values(of: offer) + [
        .number(offer.firstSeenAt), .number(offer.changedAt), .number(offer.goneAt), .number(key),
        .number(feedKey), .number(firstRunID),
      ])
  }

  func flushImported() {}

  func record(_ change: RecordedChange) throws {
    try insertChange.run([
      .number(change.id), .number(change.runID), .number(change.feedKey), .number(change.at),
      .number(change.offerKey), .text(change.kind.rawValue),
      .number(change.offerCount.map(Int64.init)), .text(change.fields),
    ])
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

  func search(
    _ query: SearchQuery, of user: User.ID, feedKey: Int64?
  ) throws -> SearchResults? {
    guard try SearchIndex.isCurrent(in: database) else { return nil }
    return try SearchIndexReader(query, of: user, feedKey: feedKey, in: database).results(of: query)
  }
}
