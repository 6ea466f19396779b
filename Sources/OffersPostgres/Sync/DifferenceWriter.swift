import Foundation
import OffersCore
import OffersStore

/// The write of one sync, within the caller's transaction.
final class DifferenceWriter {
  private let connection: Connection
  private let plan: SyncPlan
  /// The user who is told of returned favorites.
  private let user: User.ID
  private let time: Int64
  /// The write counts to the duration of the run.
  private let begun = ContinuousClock.now
  private let feedKey: Int64
  private let runID: Int64
  private var order: CommitOrder
  private var counts: SyncCounts
  private var problems: [ReadProblem]
  private var changes = ChangeBatch()
  private var words: Set<String> = []
  /// The offers of a first sync.
  private var firstKeys: (last: Int64, count: Int) = (0, 0)
  private let isFirst: Bool
  /// The change of the feed's stored counts.
  private var difference = FeedCounts()
  /// The last key before the new offers.
  private let oldKey: Int64
  /// The start of the feed's run before this one.
  private let lastStart: Int64?

  init(_ plan: SyncPlan, of user: User.ID, in connection: Connection) throws {
    self.plan = plan
    self.connection = connection
    self.user = user
    time = plan.run.startedAt.storedSeconds
    counts = plan.run.counts
    problems = plan.run.problems
    order = try CommitOrder(locking: connection)
    // A search on a feed's server does not subscribe to the feed.
    feedKey = try FeedTable.put(
      plan.run.feed, source: plan.rememberedSource?.text ?? plan.run.source,
      subscribes: !plan.isSearch, at: plan.run.startedAt, in: PostgresTransaction(connection)
    ).key
    lastStart = try SyncRunTable.findLastStart(
      feedKey: feedKey, in: PostgresTransaction(connection))
    runID = order.nextRunID()
    oldKey = order.lastOfferKey
    isFirst =
      try plan.replacesSample
      || connection.rows(
        "SELECT 1 FROM offer WHERE feed_key = $1 AND found_at IS NULL LIMIT 1", [.number(feedKey)]
      ).count == 0
    try SyncRunTable.insert(
      plan.run, id: runID, feedKey: feedKey, in: PostgresTransaction(connection))
  }

  /// Applies the plan and completes its run.
  ///
  /// - Returns: the run as it was recorded.
  func apply() throws -> SyncRun {
    if plan.isSearch { try writeFound() } else { try writeDocument() }
    try SearchWordTable.add(words, in: connection)
    if !plan.isSearch { try writeFeed() }
    if let missing = plan.missing {
      try MissingOfferTable.replace(
        with: missing, feedKey: feedKey, in: PostgresTransaction(connection))
    }
    try FeedTable.setSource(
      plan.rememberedSource, feedKey: feedKey, in: PostgresTransaction(connection))
    if let fetch = plan.fetch {
      try FetchStateTable.save(fetch, feedKey: feedKey, in: PostgresTransaction(connection))
    }
    try FeedTable.setPresentation(
      plan.presentation, feedKey: feedKey, in: PostgresTransaction(connection))
    let returned =
      plan.isSearch
      ? []
      : try LostFavorites.returned(
        of: user, to: plan.run.feed, feedKey: feedKey, after: oldKey,
        in: PostgresTransaction(connection))
    let run = plan.run.completed(
      counts: counts, problems: problems, returned: returned,
      writeSeconds: (.now - begun) / .seconds(1))
    try SyncRunTable.complete(runID, run, in: PostgresTransaction(connection))
    try FeedTable.add(difference, feedKey: feedKey, in: PostgresTransaction(connection))
    try order.save(in: connection)
    return run
  }

  private func writeFeed() throws {
    let transaction = PostgresTransaction(connection)
    try FeedTable.setDocument(plan.document, feedKey: feedKey, in: transaction)
    if plan.keepsFacts { return }
    try FeedTable.setDetails(
      title: plan.title, shared: OfferAttribute.json(plan.shared), source: plan.run.source,
      feedKey: feedKey, in: transaction)
  }

  private func record(
    _ kind: OfferChange.Kind, _ key: Int64, offerCount: Int? = nil, fields: String? = nil
  ) throws {
    changes.append(
      kind, key, id: order.nextChangeID(), offerCount: offerCount, fields: fields)
    if changes.isFull { try flushChanges() }
  }

  private func flushChanges() throws {
    try changes.insert(runID: runID, feedKey: feedKey, at: time, in: connection)
  }

  private func recordNew(_ key: Int64) throws {
    counts.new += 1
    if isFirst {
      firstKeys = (key, firstKeys.count + 1)
    } else {
      try record(.new, key)
    }
  }

  // MARK: The offers of the document

  private func writeDocument() throws {
    var pieces = KnownPieces(plan.knownRecords, connection)
    var promoted: [Int64] = []
    var lost: Set<Int64> = []
    var batch = OfferBatch()
    while try pieces.readNext() {
      try pieces.read { record, row in
        guard let row else {
          lost.insert(record.offerKey)
          return
        }
        let difference = OfferDifference(record, row)
        if difference.wasFound || difference.wasGone { self.difference.current += 1 }
        if difference.wasGone { self.difference.gone -= 1 }
        try check(record)
        let changedAt = difference.wasFound || difference.fields != nil ? time : nil
        batch.append(record, key: record.offerKey, changedAt: changedAt, words: &words)
        if try self.record(difference, of: record.offerKey) { promoted.append(record.offerKey) }
      }
      try batch.update(foundAt: nil, in: connection)
    }
    if !promoted.isEmpty {
      promoted.sort()
      try connection.run(
        "UPDATE offer SET first_seen_at = $2, first_run_id = $3 WHERE offer_key = ANY($1)",
        [.numbers(promoted), .number(time), .number(isFirst ? runID : nil)])
      for key in promoted { try recordNew(key) }
    }
    // Known offers that were removed from the store since the comparison are new ones.
    if !lost.isEmpty { try insert(plan.knownRecords) { lost.contains($0.offerKey) } }
    try insert(plan.newRecords) { _ in true }
    if firstKeys.count > 0 {
      try record(.first, firstKeys.last, offerCount: firstKeys.count)
    }
    try removeVanished()
    try flushChanges()
  }

  /// Records how a known offer differs.
  ///
  /// - Returns: whether it is a new offer of the feed, which only a search had found so far.
  private func record(_ difference: OfferDifference, of key: Int64) throws -> Bool {
    if difference.wasFound {
      guard try hasGone(key) else { return true }
      counts.back += 1
      try record(.back, key)
      return false
    }
    if let fields = difference.fields {
      try record(difference.direction ?? .changed, key, fields: fields)
    }
    if difference.wasGone {
      counts.back += 1
      try record(.back, key)
    } else if difference.fields == nil {
      counts.unchanged += 1
    } else {
      counts.changed += 1
    }
    return false
  }

  /// Whether a change says that the offer was gone.
  private func hasGone(_ key: Int64) throws -> Bool {
    try flushChanges()
    return try connection.rows(
      "SELECT 1 FROM change WHERE offer_key = $1 AND kind = 'gone' LIMIT 1", [.number(key)]
    ).count > 0
  }

  /// Inserts the new offers among some records. Those whose id the feed has already are skipped.
  private func insert(
    _ records: any OfferRecordSource, where isWanted: (OfferRecord) -> Bool
  ) throws {
    var batch = OfferBatch()
    var pending: [(key: Int64, id: String, position: Int)] = []
    func flush() throws {
      let inserted = Set(
        try batch.insert(
          feedKey: feedKey, at: time, firstRunID: isFirst ? runID : nil, in: connection))
      difference.current += inserted.count
      for (key, id, position) in pending {
        if inserted.contains(key) { try recordNew(key) } else { skip(id, at: position) }
      }
      pending = []
    }
    try records.forEachRecord { record in
      guard isWanted(record) else { return }
      try check(record)
      let key = order.nextOfferKey()
      batch.append(record, key: key, words: &words)
      pending.append((key, record.id, record.position))
      if batch.isFull { try flush() }
    }
    try flush()
  }

  private func skip(_ id: String, at position: Int) {
    if position > plan.firstPageRecords ?? .max { return }
    counts.skipped += 1
    if problems.count < SyncRun.problemLimit {
      problems.append(
        ReadProblem(position: position, effect: .skipped, reason: ReadProblem.repeated(id)))
    }
  }

  private func removeVanished() throws {
    var keys = plan.vanishedKeys
    if plan.replacesSample {
      try flushChanges()
      keys = try removeSample(keys)
    }
    // Never before the feed's last run: a clock that was set back would make the offers look as if
    // they had vanished long ago.
    let end = max(time, lastStart ?? time)
    for start in stride(from: 0, to: keys.count, by: 10_000) {
      let piece = keys[start..<min(start + 10_000, keys.count)]
      let gone = try connection.rows(
        """
        UPDATE offer SET gone_at = greatest($2, first_seen_at)
        WHERE offer_key = ANY($1) AND gone_at IS NULL AND found_at IS NULL RETURNING offer_key
        """, [.numbers(piece), .number(end)]
      ).map { $0.number(0) }
      difference.current -= gone.count
      difference.gone += gone.count
      for key in gone.sorted() {
        counts.gone += 1
        try record(.gone, key)
      }
    }
  }

  /// Removes the vanished offers of the built-in sample, except for favorites, and the changes that
  /// record that its offers were new.
  ///
  /// - Returns: the keys of the favorites.
  private func removeSample(_ keys: [Int64]) throws -> [Int64] {
    // Nobody can star an offer while it is being removed.
    try connection.script("LOCK TABLE favorite IN SHARE MODE")
    let removed = try connection.rows(
      """
      DELETE FROM offer USING feed
      WHERE offer.offer_key = ANY($1) AND offer.gone_at IS NULL AND offer.found_at IS NULL
        AND feed.feed_key = offer.feed_key
        AND NOT \(OfferColumns.isStarred)
      RETURNING offer.offer_key
      """, [.numbers(keys)]
    ).map { $0.number(0) }
    difference.current -= removed.count
    try connection.run("DELETE FROM change WHERE offer_key = ANY($1)", [.numbers(removed)])
    try connection.run(
      """
      DELETE FROM change USING sync_run
      WHERE change.feed_key = $1 AND change.kind IN ('first', 'new')
        AND sync_run.run_id = change.run_id AND sync_run.source = $2 AND change.run_id <> $3
      """, [.number(feedKey), .text(SyncSource.sample.text), .number(runID)])
    let gone = Set(removed)
    return keys.filter { !gone.contains($0) }
  }

  // MARK: The offers of a search

  /// Stores the offers that a search on the feed's server found, beside those of the feed's document.
  private func writeFound() throws {
    var pieces = KnownPieces(plan.knownRecords, connection)
    var batch = OfferBatch()
    while try pieces.readNext() {
      let starred = try starredKeys(pieces.keys)
      try pieces.read { record, row in
        guard let row else { return }
        counts.unchanged += 1
        let difference = OfferDifference(record, row)
        let isStarred = starred.contains(record.offerKey)
        guard difference.wasFound || (difference.wasGone && !isStarred) else { return }
        if difference.wasGone { self.difference.gone -= 1 }
        try check(record)
        let changedAt = difference.fields == nil ? nil : time
        batch.append(record, key: record.offerKey, changedAt: changedAt, words: &words)
      }
      try batch.update(foundAt: time, in: connection)
    }
    try plan.newRecords.forEachRecord { record in
      try check(record)
      batch.append(record, key: order.nextOfferKey(), words: &words)
      if batch.isFull { try insertFound(&batch) }
    }
    try insertFound(&batch)
    try OfferTable.deleteSurplusFound(in: PostgresTransaction(connection))
  }

  private func insertFound(_ batch: inout OfferBatch) throws {
    counts.new += try batch.insert(
      feedKey: feedKey, at: time, foundAt: time, in: connection
    ).count
  }

  private func starredKeys(_ keys: [Int64]) throws -> Set<Int64> {
    Set(
      try connection.rows(
        """
        SELECT offer.offer_key FROM \(OfferColumns.tables)
        WHERE offer.offer_key = ANY($1) AND \(OfferColumns.isStarred)
        """, [.numbers(keys)]
      ).map { $0.number(0) })
  }

  private func check(_ record: OfferRecord) throws {
    if record.text(OfferField.name.rawValue)?.isEmpty ?? true {
      throw OffersError(.storageFailed, "An offer without a name cannot be stored.")
    }
  }
}
