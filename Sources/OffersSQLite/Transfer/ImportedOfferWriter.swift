import GRDB
import OffersCore

/// Writes the offers of an export.
///
/// The content hash of a new or changed offer is stored as 0. The next sync then compares their
/// values instead of the hashes, and does not report equal offers as changed.
struct ImportedOfferWriter {
  private let findOffer: RawStatement
  private let findKey: RawStatement
  private let insertOffer: RawStatement
  private let updateOffer: RawStatement
  private let replaceDetail: RawStatement
  private let removeDetail: RawStatement
  private let removeFound: RawStatement
  private let index: SearchIndexWriter
  /// The largest offer key before the import.
  let lastKey: Int64

  private static let columns = [
    "id", "name", "description", "terms", "reward_text", "reward_minor_units", "reward_currency",
    "reward_percent_hundredths", "reward_up_to", "image_url", "url", "first_seen_at", "changed_at",
    "gone_at",
  ]
  private static let behind = Int32(columns.count + 1)

  init(_ database: Database) throws {
    lastKey = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
    findOffer = try RawStatement(
      database,
      """
      SELECT offer.offer_key, \(ExportedOffer.columns), \(ExportedOffer.detailColumns)
      FROM offer LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
      WHERE offer.feed_key = ?1 AND offer.id = ?2
      """)
    findKey = try RawStatement(
      database, "SELECT offer_key FROM offer WHERE feed_key = ?1 AND id = ?2")
    let names = Self.columns.joined(separator: ", ")
    let parameters = (1...Self.behind).map { "?\($0)" }.joined(separator: ", ")
    insertOffer = try RawStatement(
      database,
      "INSERT INTO offer (\(names), feed_key, content_hash) VALUES (\(parameters), 0)")
    let values = Self.columns.enumerated().dropFirst().map { "\($1) = ?\($0 + 1)" }
    updateOffer = try RawStatement(
      database,
      """
      UPDATE offer SET \(values.joined(separator: ", ")),
        content_hash = CASE WHEN ?1 THEN 0 ELSE content_hash END
      WHERE offer_key = ?\(Self.behind)
      """)
    replaceDetail = try RawStatement(database, DifferenceWriter.detailSQL)
    removeDetail = try RawStatement(database, "DELETE FROM offer_detail WHERE offer_key = ?1")
    removeFound = try RawStatement(database, "DELETE FROM found_offer WHERE offer_key = ?1")
    index = try SearchIndexWriter(database)
  }

  /// The stored offer and its key.
  func find(_ ref: OfferRef, feedKey: Int64) throws -> (key: Int64, offer: ExportedOffer)? {
    findOffer.bind(1, feedKey)
    findOffer.bind(2, copying: ref.offerID)
    defer { findOffer.reset() }
    guard try findOffer.step() else { return nil }
    var offer = ExportedOffer(findOffer, feed: ref.feed, from: 1)
    offer.setDetails(findOffer, from: 1 + ExportedOffer.columnCount)
    return (findOffer.number(0), offer)
  }

  func findKey(_ ref: OfferRef, feedKey: Int64) throws -> Int64? {
    findKey.bind(1, feedKey)
    findKey.bind(2, copying: ref.offerID)
    defer { findKey.reset() }
    return try findKey.step() ? findKey.number(0) : nil
  }

  func insert(_ offer: ExportedOffer, feedKey: Int64) throws {
    bind(offer, to: insertOffer)
    insertOffer.bind(1, copying: offer.ref.offerID)
    insertOffer.bind(Self.behind, feedKey)
    try insertOffer.run()
    if offer.hasDetails {
      try writeDetail(offer, key: insertOffer.lastInsertedKey)
    }
  }

  /// Updates a stored offer to an imported one. `isOther` tells whether their contents differ.
  func update(_ key: Int64, to offer: ExportedOffer, isOther: Bool) throws {
    // An offer that this import inserted is not in the index yet.
    if isOther, key <= lastKey { try index.willChange(key) }
    bind(offer, to: updateOffer)
    updateOffer.bind(1, isOther ? 1 : 0)
    updateOffer.bind(Self.behind, key)
    try updateOffer.run()
    removeFound.bind(1, key)
    try removeFound.run()
    if offer.hasDetails { return try writeDetail(offer, key: key) }
    removeDetail.bind(1, key)
    try removeDetail.run()
  }

  /// Updates the search index. Called last, because FTS5 flushes its pending terms when other
  /// statements write in between.
  func finishIndex(hasNew: Bool) throws {
    try index.finish(newAfter: hasNew ? lastKey : nil)
  }

  /// Binds the values of `columns`, except for the first one, the id.
  private func bind(_ offer: ExportedOffer, to statement: RawStatement) {
    statement.bind(2, copying: offer.name)
    statement.bind(3, copying: offer.description)
    statement.bind(4, copying: offer.terms)
    statement.bind(5, copying: offer.reward?.text)
    statement.bind(6, number: offer.reward?.minorUnits)
    statement.bind(7, copying: offer.reward?.storedCurrency)
    statement.bind(8, number: offer.reward?.percentHundredths)
    statement.bind(9, offer.reward?.isUpTo == true ? 1 : 0)
    statement.bind(10, copying: offer.imageURL)
    statement.bind(11, copying: offer.url)
    statement.bind(12, offer.firstSeenAt)
    statement.bind(13, offer.changedAt)
    statement.bind(14, number: offer.goneAt)
  }

  private func writeDetail(_ offer: ExportedOffer, key: Int64) throws {
    replaceDetail.bind(1, key)
    replaceDetail.bind(2, copying: offer.retailer)
    replaceDetail.bind(3, copying: offer.categories)
    replaceDetail.bind(4, number: offer.startsAt)
    replaceDetail.bind(5, number: offer.expiresAt)
    replaceDetail.bind(6, real: offer.latitude)
    replaceDetail.bind(7, real: offer.longitude)
    replaceDetail.bind(8, copying: offer.attributes)
    try replaceDetail.run()
  }
}
