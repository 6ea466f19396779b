import GRDB
import OffersCore

/// The SQL for what is kept of a large feed's offers to compare with.
///
/// It tells of the offers as they were when it was written. Which of them are not so any more is noted
/// by triggers, whoever writes; what came since stands behind it in the table of offers.
enum KnownOffersTable {
  /// A smaller feed's offers are read as fast.
  static let minimumCount = 4096
  fileprivate static let tables = ["known_offers_piece", "known_offers_doubt", "known_offers"]

  /// The offers as they are now; nil where nothing is kept, or not what was written there.
  static func fetch(
    feedKey: Int64, capacity: Int, in database: Database
  ) throws -> KnownOffers? {
    guard let (lastKey, idSeed) = try find(feedKey: feedKey, in: database) else { return nil }
    var known = KnownOffers(capacity: capacity, idSeed: idSeed)
    var doubts = try Doubts(feedKey: feedKey, idSeed: idSeed, in: database)
    let pieces = try RawStatement(
      database,
      """
      SELECT first_key, offers FROM known_offers_piece WHERE feed_key = \(feedKey)
      ORDER BY first_key
      """)
    defer { pieces.reset() }
    let isSound = try database.scanning {
      while try pieces.step() {
        let firstKey = pieces.number(0)
        let isSound = pieces.withBytes(1) { bytes in
          KnownOffersPiece.forEach(in: bytes, firstKey: firstKey, idSeed: idSeed) { offer in
            if let now = doubts.settle(offer) { known.insert(now) }
          }
        }
        if !isSound { return false }
      }
      return true
    }
    if !isSound { return nil }
    try KnownOffersQuery.scan(behind: lastKey, feedKey: feedKey, into: &known, in: database)
    return known
  }

  /// Offers that are not as they are kept, asked for in the order of their keys.
  private struct Doubts {
    private var keys: ArraySlice<Int64>
    /// Those that are still there.
    private var offers: ArraySlice<KnownOffer>

    init(feedKey: Int64, idSeed: UInt64, in database: Database) throws {
      keys = try Int64.fetchAll(
        database,
        sql: "SELECT offer_key FROM known_offers_doubt WHERE feed_key = ? ORDER BY offer_key",
        arguments: [feedKey])[...]
      offers = []
      if keys.isEmpty { return }
      var known = KnownOffers(capacity: keys.count, idSeed: idSeed)
      try KnownOffersQuery.addDoubtful(feedKey: feedKey, to: &known, in: database)
      offers = Array(known.offers)[...]
    }

    /// The offer as it is now; nil when it is there no more.
    mutating func settle(_ offer: KnownOffer) -> KnownOffer? {
      while let key = keys.first, key < offer.key { keys.removeFirst() }
      if keys.first != offer.key { return offer }
      while let other = offers.first, other.key < offer.key { offers.removeFirst() }
      return offers.first?.key == offer.key ? offers.first : nil
    }
  }

  private static func find(
    feedKey: Int64, in database: Database
  ) throws -> (lastKey: Int64, idSeed: UInt64)? {
    let statement = try database.cachedStatement(
      sql: "SELECT last_key, id_seed FROM known_offers WHERE feed_key = ?")
    return try Row.fetchOne(statement, arguments: [feedKey]).map {
      ($0[0], UInt64(bitPattern: $0[1]))
    }
  }

  /// Writes anew what is kept, where more than a few offers are not in it as they are.
  static func renew(feedKey: Int64, in database: Database) throws {
    let count = try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database)
    let kept = try find(feedKey: feedKey, in: database)
    if kept == nil, count < minimumCount { return }
    let lastKey = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
    if let kept {
      let doubts = try Int64.fetchOne(
        database, sql: "SELECT count(*) FROM known_offers_doubt WHERE feed_key = ?",
        arguments: [feedKey])
      let (newer, isBeyond) = lastKey.subtractingReportingOverflow(kept.lastKey)
      // A key that somebody else wrote there may be any.
      if !isBeyond, newer >= 0, newer <= count,
        RecordMemoryDraft.isFew(Int(newer + (doubts ?? 0)), of: count)
      {
        return
      }
    }
    let known = try KnownOffersQuery.fetch(feedKey: feedKey, in: database)
    let writer = try KnownOffersWriter(feedKey: feedKey, idSeed: known.idSeed, in: database)
    for offer in known.offers { try writer.append(offer) }
    try writer.finish(lastKey: lastKey)
  }
}

extension KnownOffersTable {
  /// How many feeds something is kept of.
  static func countFeeds(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM known_offers") ?? 0
  }

  /// The feeds of which something is kept that is not what their offers are.
  static func findWrong(in database: Database) throws -> [String] {
    try Row.fetchAll(
      database, sql: "SELECT feed_key, name FROM feed JOIN known_offers USING (feed_key)"
    ).filter { row in
      let feedKey: Int64 = row[0]
      guard let kept = try fetch(feedKey: feedKey, capacity: 0, in: database) else { return true }
      var real = KnownOffers(capacity: 0, idSeed: kept.idSeed)
      try KnownOffersQuery.scan(behind: .min, feedKey: feedKey, into: &real, in: database)
      return !kept.offers.elementsEqual(real.offers)
    }.map { $0[1] }
  }

  /// Forgets all that is kept.
  static func forget(in database: Database) throws {
    for table in tables { try database.execute(sql: "DELETE FROM \(table)") }
  }
}

/// Writes what is kept of a large feed's offers in the place of what was.
final class KnownOffersWriter {
  private let database: Database
  private let feedKey: Int64
  private let idSeed: UInt64
  private let insert: RawStatement
  private var piece: KnownOffersPiece?
  private var count = 0

  init(
    feedKey: Int64, idSeed: UInt64 = .random(in: .min ... .max), in database: Database
  ) throws {
    self.database = database
    self.feedKey = feedKey
    self.idSeed = idSeed
    insert = try RawStatement(
      database,
      "INSERT INTO known_offers_piece (feed_key, first_key, offers) VALUES (\(feedKey), ?1, ?2)")
    for table in KnownOffersTable.tables {
      try database.execute(sql: "DELETE FROM \(table) WHERE feed_key = ?", arguments: [feedKey])
    }
  }

  /// Takes a new offer.
  func append(id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64) throws {
    try append(
      KnownOffer(
        idHash: KnownOffer.idHash(of: id, seed: idSeed), contentHash: contentHash, key: key,
        isGone: false))
  }

  /// Takes an offer. Keys ascend.
  func append(_ offer: KnownOffer) throws {
    count += 1
    if piece?.append(offer) == true { return }
    try flush()
    piece = KnownOffersPiece(firstKey: offer.key, idSeed: idSeed)
    _ = piece?.append(offer)
  }

  /// Writes what is left. Offers behind a key were not taken.
  func finish(lastKey: Int64) throws {
    // Without the row that names their last key, pieces that were full already tell nothing.
    if count < KnownOffersTable.minimumCount { return }
    try flush()
    try database.execute(
      sql: "INSERT INTO known_offers (feed_key, last_key, id_seed) VALUES (?, ?, ?)",
      arguments: [feedKey, lastKey, Int64(bitPattern: idSeed)])
  }

  private func flush() throws {
    guard var piece else { return }
    self.piece = nil
    insert.bind(1, piece.firstKey)
    try piece.withBytes { bytes in
      insert.bind(2, bytes: bytes)
      try insert.run()
    }
  }
}
