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
