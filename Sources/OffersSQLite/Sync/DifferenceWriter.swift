import GRDB
import OffersCore
import OffersStore

/// Writes the difference of one sync: offers, details, changes and the search index.
final class DifferenceWriter {
  let database: Database
  let feedKey: Int64
  let seconds: Int64
  let changes: ChangeWriter
  private let insertOffer: RawStatement
  private let updateOffer: RawStatement
  private let updateHash: RawStatement
  private let updateReward: RawStatement
  private let updateGone: RawStatement
  private let replaceDetail: RawStatement
  private let removeDetail: RawStatement
  let stored: StoredOfferQuery
  let index: SearchIndexWriter
  var counts = SyncCounts()
  private(set) var problems: [ReadProblem] = []
  private var firstPageRecords = Int.max
  /// Whether the feed has offers that only a search found.
  private var hasFound = false
  /// The keys of those that the feed's document has now, so that they are new offers of the feed.
  private var promotedKeys: [Int64] = []
  /// The change of the feed's current count that `counts` does not show: minus one for each removed
  /// current offer, and for each new offer that was already listed.
  private var otherDifference = 0
  /// The largest offer key of all feeds before the first new offer.
  private(set) var lastKey: Int64 = 0

  /// - Parameters:
  ///   - database: the database to write to.
  ///   - run: the sync's run so far. New, changed and gone offers get its start as their time.
  ///   - feedKey: the key of the run's feed.
  ///   - isIndexed: whether to update the search index.
  init(_ database: Database, _ run: SyncRun, feedKey: Int64, isIndexed: Bool = true) throws {
    self.database = database
    self.feedKey = feedKey
    seconds = StoredTime.bounded(run.startedAt.storedSeconds)
    changes = try ChangeWriter(database, run, feedKey: feedKey)
    insertOffer = try RawStatement(database, Self.insertSQL)
    updateOffer = try RawStatement(database, Self.updateSQL)
    updateHash = try RawStatement(
      database, "UPDATE offer SET content_hash = ?1, gone_at = NULL WHERE offer_key = ?2")
    updateReward = try RawStatement(
      database,
      """
      UPDATE offer SET reward_text = ?1, reward_minor_units = ?2, reward_currency = ?3,
        reward_percent_hundredths = ?4, reward_up_to = ?5 WHERE offer_key = ?6
      """)
    updateGone = try RawStatement(
      database,
      """
      UPDATE offer SET gone_at = max(?1, first_seen_at) WHERE offer_key = ?2 AND gone_at IS NULL
      """)
    replaceDetail = try RawStatement(database, Self.detailSQL)
    removeDetail = try RawStatement(database, "DELETE FROM offer_detail WHERE offer_key = ?1")
    stored = try StoredOfferQuery(database)
    index = try SearchIndexWriter(database, isWanted: isIndexed)
  }

  /// The text columns of `offer`, in the order of `OfferField`.
  static let textColumns = [
    "id", "name", "description", "terms", "reward_text", "image_url", "url",
  ]
  /// The columns of `offer_detail`, in the order of `OfferField`.
  static let detailColumns = [
    "retailer", "categories", "starts_at", "expires_at", "latitude", "longitude", "attributes",
  ]
  static let rewardColumns = [
    "reward_minor_units", "reward_currency", "reward_percent_hundredths", "reward_up_to",
  ]
  /// The columns that `bind` binds, in the order of the parameters.
  private static let boundColumns = textColumns + ["content_hash"] + rewardColumns
  /// The first parameter after the texts.
  private static let firstOther = Int32(textColumns.count + 1)
  private static let parameterCount = Int32(boundColumns.count)

  private static var insertSQL: String {
    let columns = boundColumns.joined(separator: ", ")
    let parameters = (1...parameterCount).map { "?\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO offer (\(columns), feed_key, first_seen_at, changed_at)
      VALUES (\(parameters), ?\(parameterCount + 1), ?\(parameterCount + 2), ?\(parameterCount + 2))
      ON CONFLICT (feed_key, id) DO NOTHING
      """
  }

  private static var updateSQL: String {
    // The row is selected by its key; its id stays.
    let columns = boundColumns.enumerated().dropFirst()
      .map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    return """
      UPDATE offer SET \(columns), changed_at = ?\(parameterCount + 1), gone_at = NULL
      WHERE offer_key = ?\(parameterCount + 2)
      """
  }

  /// The SQL that inserts or replaces an offer's details. Its parameters are the key, then
  /// `detailColumns`.
  static var detailSQL: String {
    let columns = detailColumns.joined(separator: ", ")
    let parameters = (2...detailColumns.count + 1).map { "?\($0)" }.joined(separator: ", ")
    let updates = detailColumns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO offer_detail (offer_key, \(columns)) VALUES (?1, \(parameters))
      ON CONFLICT (offer_key) DO UPDATE SET \(updates)
      """
  }

  /// By how much the number of the feed's current offers grew.
  var currentDifference: Int { counts.new + counts.back - counts.gone + otherDifference }

  /// Writes a plan: the known records, the new ones, the vanished offers, then the search index.
  func write(_ plan: SyncPlan) throws {
    counts = plan.run.counts
    problems = plan.run.problems
    firstPageRecords = plan.firstPageRecords ?? .max
    lastKey = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
    if plan.isSearch { return try writeFound(plan) }
    let isFirst =
      try plan.replacesSample || !FeedTable.hasListedOffers(feedKey: feedKey, in: database)
    hasFound = try FoundOffers.exist(feedKey: feedKey, in: database)
    // Known offers that were removed from the store since the comparison are inserted as new ones.
    var lostKeys: Set<Int64> = []
    try plan.knownRecords.forEachRecord { record in
      if try !replace(record) { lostKeys.insert(record.offerKey) }
    }
    counts.new += promotedKeys.count
    if !isFirst {
      for key in promotedKeys.sorted() { try changes.append(.new, key) }
    }
    if !lostKeys.isEmpty {
      try insert(PickedRecords(plan.knownRecords.makeReader(), keys: lostKeys), isFirst: isFirst)
    }
    try insert(plan.newRecords.makeReader(), isFirst: isFirst)
    if isFirst, counts.new > 0 {
      try changes.appendFirst(
        inserted: counts.new - promotedKeys.count, after: lastKey, promoted: promotedKeys)
    }
    let goneSeconds = plan.vanishedKeys.isEmpty ? seconds : try fetchGoneTime()
    for key in plan.vanishedKeys {
      if plan.replacesSample, try removeSample(key) { continue }
      updateGone.bind(1, goneSeconds)
      updateGone.bind(2, key)
      guard try updateGone.run() > 0 else { continue }
      counts.gone += 1
      try changes.append(.gone, key)
    }
    if plan.replacesSample { try changes.forgetSample(feedKey: feedKey) }
    // The index is written last, because FTS5 flushes its pending terms when other statements write
    // in between.
    try index.finish(newAfter: counts.new > 0 ? lastKey : nil)
  }

  /// The time of vanished offers: the run's start, but never before the feed's last run, in which
  /// they were still there or nobody knew that they were not. A clock that was set back would make
  /// them look as if they had vanished long ago.
  private func fetchGoneTime() throws -> Int64 {
    let last = try SyncRunTable.findLastStart(
      feedKey: feedKey, before: changes.runKey, in: SQLiteTransaction(database))
    return max(seconds, last ?? seconds)
  }

  /// - Parameter isFirst: whether this is the feed's first sync, whose new offers are recorded in
  ///   one row.
  private func insert(_ records: any OfferRecordReader, isFirst: Bool) throws {
    while let record = try records.next() {
      guard let key = try insert(record) else {
        skipRepeated(record)
        continue
      }
      counts.new += 1
      if record.hasDetails { try writeDetail(record, key) }
      if !isFirst { try changes.append(.new, key) }
    }
  }

  /// Removes an offer of the sample with its changes, unless it is a favorite.
  ///
  /// - Returns: whether it was removed.
  private func removeSample(_ key: Int64) throws -> Bool {
    if try FavoriteQuery.contains(offerKey: key, in: database) { return false }
    try index.willChange(key)
    try OfferTable.delete(key, in: database)
    try changes.forget(key)
    otherDifference -= 1
    return true
  }

  /// - Returns: the new offer's key; nil if the feed already has an offer with its id.
  func insert(_ record: OfferRecord) throws -> Int64? {
    bind(record, to: insertOffer)
    insertOffer.bind(Self.parameterCount + 1, feedKey)
    insertOffer.bind(Self.parameterCount + 2, seconds)
    return try insertOffer.run() > 0 ? insertOffer.lastInsertedKey : nil
  }

  private func skipRepeated(_ record: OfferRecord) {
    if record.position > firstPageRecords { return }
    counts.skipped += 1
    if problems.count < SyncRun.problemLimit {
      let id = record.text(OfferField.id.rawValue).map { $0.prefix(60) }
      problems.append(
        ReadProblem(
          position: record.position, effect: .skipped,
          reason: ReadProblem.repeated(id.map { String(decoding: $0, as: UTF8.self) } ?? "")))
    }
  }

  /// Updates an offer whose hash differs or that was gone; only a comparison of the values shows
  /// whether it changed.
  ///
  /// - Returns: false if the offer is not stored.
  private func replace(_ record: OfferRecord) throws -> Bool {
    let key = record.offerKey
    guard let difference = try stored.findDifference(record) else { return false }
    if hasFound, try FoundOffers.contains(key, in: database) {
      try promote(record, difference)
      return true
    }
    if let fields = difference.fields {
      try update(record, difference)
      try changes.append(.changed, key, fields: fields)
    } else {
      updateHash.bind(1, Int64(bitPattern: record.contentHash))
      updateHash.bind(2, key)
      try updateHash.run()
      if difference.hasOtherReward { try writeReward(record) }
    }
    if difference.wasGone {
      counts.back += 1
      try changes.append(.back, key)
    } else if difference.fields != nil {
      counts.changed += 1
    } else {
      counts.unchanged += 1
    }
    return true
  }

  /// Makes an offer that a search found an offer of the feed: a new one, or one that is back if the
  /// feed had it before.
  private func promote(_ record: OfferRecord, _ difference: StoredOfferQuery.Difference) throws {
    let key = record.offerKey
    if !difference.wasGone { otherDifference -= 1 }
    try update(record, difference)
    try FoundOffers.remove(key, in: database)
    if try ChangeTable.hasGone(key, in: database) {
      counts.back += 1
      return try changes.append(.back, key)
    }
    try database.execute(
      sql: "UPDATE offer SET first_seen_at = changed_at WHERE offer_key = ?", arguments: [key])
    promotedKeys.append(key)
  }

  /// Writes a record over a stored offer.
  func update(_ record: OfferRecord, _ difference: StoredOfferQuery.Difference) throws {
    let key = record.offerKey
    if difference.isSearched { try index.willChange(key) }
    bind(record, to: updateOffer)
    updateOffer.bind(Self.parameterCount + 1, seconds)
    updateOffer.bind(Self.parameterCount + 2, key)
    try updateOffer.run()
    if record.hasDetails {
      try writeDetail(record, key)
    } else {
      removeDetail.bind(1, key)
      try removeDetail.run()
    }
  }

  /// Binds the texts, the hash and the reward, in the order of `boundColumns`.
  private func bind(_ record: OfferRecord, to statement: RawStatement) {
    record.forEachText(of: Self.textColumns.count) { statement.bind(Int32($0 + 1), $1) }
    statement.bind(Self.firstOther, Int64(bitPattern: record.contentHash))
    bindReward(record, to: statement, from: Self.firstOther + 1)
  }

  /// Binds the columns of `rewardColumns`.
  private func bindReward(_ record: OfferRecord, to statement: RawStatement, from first: Int32) {
    let reward = record.rewardParts
    let isAmount = reward.kind == OfferRecord.amount
    if isAmount { statement.bind(first, reward.number) } else { statement.bindNull(first) }
    statement.bind(first + 1, isAmount ? reward.currency : nil)
    if reward.kind == OfferRecord.percent {
      statement.bind(first + 2, reward.number)
    } else {
      statement.bindNull(first + 2)
    }
    statement.bind(first + 3, record.isUpTo ? 1 : 0)
  }

  /// Writes the reward of an offer that is otherwise unchanged.
  private func writeReward(_ record: OfferRecord) throws {
    updateReward.bind(1, record.text(OfferField.reward.rawValue))
    bindReward(record, to: updateReward, from: 2)
    updateReward.bind(6, record.offerKey)
    _ = try updateReward.run()
  }

  func writeDetail(_ record: OfferRecord, _ key: Int64) throws {
    replaceDetail.bind(1, key)
    record.forEachField { field, text in
      let place = field.rawValue - Self.textColumns.count
      if place >= 0 { replaceDetail.bind(Int32(place + 2), text) }
    }
    try replaceDetail.run()
  }
}

/// Filters records by the keys of their offers.
private final class PickedRecords: OfferRecordReader {
  private let reader: any OfferRecordReader
  private let keys: Set<Int64>

  init(_ reader: any OfferRecordReader, keys: Set<Int64>) {
    self.reader = reader
    self.keys = keys
  }

  func next() throws -> OfferRecord? {
    while let record = try reader.next() {
      if keys.contains(record.offerKey) { return record }
    }
    return nil
  }
}
