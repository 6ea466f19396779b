import OffersCore

/// The records of known offers with the offers that they replace, some at a time. The records are read
/// twice: first their keys, then, after one query, their fields.
struct KnownPieces {
  private let connection: Connection
  private let ahead: any OfferRecordReader
  private let reader: any OfferRecordReader
  /// The keys of the piece, in the order of the records.
  private(set) var keys: [Int64] = []
  private var rows: Rows?
  private var places: [Int64: Int] = [:]

  private static let limit = 1000

  init(_ records: any OfferRecordSource, _ connection: Connection) {
    self.connection = connection
    ahead = records.makeReader()
    reader = records.makeReader()
  }

  /// Reads the next piece.
  ///
  /// - Returns: false at the end.
  mutating func readNext() throws -> Bool {
    keys = []
    while keys.count < Self.limit, let record = try ahead.next() { keys.append(record.offerKey) }
    if keys.isEmpty { return false }
    let rows = try connection.rows(
      """
      SELECT \(OfferDifference.selection) FROM offer WHERE offer.offer_key = ANY($1)
      FOR NO KEY UPDATE
      """, [.numbers(keys)])
    places = [:]
    for index in 0..<rows.count { places[rows[index].number(0)] = index }
    self.rows = rows
    return true
  }

  /// Calls `body` with each record of the piece and its stored offer; nil if it was removed.
  func read(_ body: (OfferRecord, Row?) throws -> Void) throws {
    for _ in keys {
      guard let record = try reader.next() else { return }
      let place = places[record.offerKey]
      try body(record, place.flatMap { place in rows.map { $0[place] } })
    }
  }
}
