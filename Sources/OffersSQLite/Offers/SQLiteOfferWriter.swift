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

/// A statement that writes the row of an offer.
final class OfferStatement {
  let statement: PreparedStatement
  /// Whether the parameters of the details, the fields from the retailer on, may have values.
  private var hasDetails = true

  init(_ database: Database, _ sql: String) throws {
    statement = try PreparedStatement(database, sql)
  }

  /// The columns that `bind` binds, in the order of the parameters.
  private static let boundColumns =
    OfferField.allCases.map(\.column) + ["content_hash"] + OfferField.rewardColumns
    + ["name_key", "retailer_key", "category_keys"]
  /// The number of the parameter after those that `bind` binds.
  static let firstOther = Int32(boundColumns.count + 1)
  private static let firstReward = Int32(OfferField.count + 2)
  private static let firstKey = firstReward + Int32(OfferField.rewardColumns.count)

  /// Inserts an offer. The further parameters are its key, its feed, the time, and the values of `found_at`
  /// and `first_run_id`.
  static var insertSQL: String {
    let columns = boundColumns.joined(separator: ", ")
    let parameters = (1..<firstOther).map { "?\($0)" }.joined(separator: ", ")
    let other = firstOther
    return """
      INSERT INTO offer (
        \(columns), offer_key, feed_key, first_seen_at, changed_at, found_at, first_run_id)
      VALUES (\(parameters), ?\(other), ?\(other + 1), ?\(other + 2), ?\(other + 2), ?\(other + 3),
        ?\(other + 4))
      ON CONFLICT (feed_key, id) DO NOTHING
      """
  }

  /// Updates an offer, which keeps its id. The further parameters are the time of the change, NULL to keep
  /// it, the value of `found_at`, and the key.
  static var updateSQL: String {
    let columns = boundColumns.enumerated().dropFirst()
      .map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    return """
      UPDATE offer SET \(columns), changed_at = coalesce(?\(firstOther), changed_at),
        found_at = ?\(firstOther + 1), gone_at = NULL
      WHERE offer_key = ?\(firstOther + 2)
      """
  }

  /// Binds the fields of a record, and runs the statement.
  ///
  /// - Parameter other: binds the further parameters.
  /// - Returns: the number of rows that it has written.
  @discardableResult
  func run(_ record: OfferRecord, _ other: (PreparedStatement) -> Void) throws -> Int {
    // Details that were NULL in the last row, and are NULL again, need not be bound.
    let bindsDetails = hasDetails || record.hasDetails
    hasDetails = record.hasDetails
    for field in OfferField.allCases
    where bindsDetails || field.rawValue < OfferField.retailer.rawValue {
      statement.bind(Int32(field.rawValue + 1), copying: record[field])
    }
    if bindsDetails { bindKeys(of: record) }
    statement.bind(Self.firstReward - 1, Int64(bitPattern: record.contentHash))
    bindReward(record)
    statement.bind(Self.firstKey, copying: record[.name].map { NaturalOrder.key($0) })
    other(statement)
    return try statement.run()
  }

  /// Binds the keys of the retailer and the categories.
  private func bindKeys(of record: OfferRecord) {
    statement.bind(Self.firstKey + 1, copying: record[.retailer].map { NaturalOrder.key($0) })
    let categories = record[.categories].map(JSONTexts.parse)
    statement.bind(Self.firstKey + 2, copying: categories.map { NaturalOrder.keys($0) })
  }

  private func bindReward(_ record: OfferRecord) {
    let firstReward = Self.firstReward
    let reward = record.reward
    statement.bind(firstReward, number: reward?.minorUnits)
    statement.bind(firstReward + 1, copying: reward?.storedCurrency)
    statement.bind(firstReward + 2, number: reward?.percentHundredths)
    statement.bind(firstReward + 3, reward?.isUpTo == true ? 1 : 0)
  }
}

/// Offers of an export.
extension OfferStatement {
  private static let importedColumns = boundColumns + ["first_seen_at", "changed_at", "gone_at"]
  /// The number of the parameter after those of an export's offer.
  static let firstImported = Int32(importedColumns.count + 1)

  /// Inserts an offer. The further parameters are its key, its feed and the value of `first_run_id`.
  static var importSQL: String {
    let parameters = (1..<firstImported + 3).map { "?\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO offer (
        \(importedColumns.joined(separator: ", ")), offer_key, feed_key, first_run_id)
      VALUES (\(parameters))
      """
  }

  /// Binds the fields and the times of an offer, and runs the statement.
  ///
  /// - Parameter other: binds the further parameters.
  func run(_ offer: ExportedOffer, _ other: (PreparedStatement) -> Void) throws {
    let (firstReward, firstKey, firstOther) = (Self.firstReward, Self.firstKey, Self.firstOther)
    for field in OfferField.allCases {
      let index = Int32(field.rawValue + 1)
      switch field.columnType {
      case .text: statement.bind(index, copying: offer[field])
      case .seconds: statement.bind(index, number: offer.seconds(field))
      case .degrees: statement.bind(index, real: offer.degrees(field))
      }
    }
    statement.bind(firstReward - 1, 0)
    statement.bind(firstReward, number: offer.reward?.minorUnits)
    statement.bind(firstReward + 1, copying: offer.reward?.storedCurrency)
    statement.bind(firstReward + 2, number: offer.reward?.percentHundredths)
    statement.bind(firstReward + 3, offer.reward?.isUpTo == true ? 1 : 0)
    statement.bind(firstKey, copying: NaturalOrder.key(offer.name))
    statement.bind(firstKey + 1, copying: offer[.retailer].map { NaturalOrder.key($0) })
    statement.bind(
      firstKey + 2, copying: offer[.categories].map { NaturalOrder.keys(JSONTexts.parse($0)) })
    statement.bind(firstOther, offer.firstSeenAt)
    statement.bind(firstOther + 1, offer.changedAt)
    statement.bind(firstOther + 2, number: offer.goneAt)
    other(statement)
    try statement.run()
  }
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
