import Foundation
import OffersCore

/// The write of one sync, within the caller's transaction.
final class DifferenceWriter {
  private let transaction: any Transaction
  private let writer: any OfferWriter
  private let plan: SyncPlan
  /// The user who is told of returned favorites.
  private let user: User.ID
  private let time: Int64
  /// When the write began: its time is part of the duration of the run.
  private let begun = ContinuousClock.now
  private let feedKey: Int64
  private let runID: Int64
  private var order: CommitOrder
  private var counts: SyncCounts
  private var problems: [ReadProblem]
  /// The offers of a first sync.
  private var firstKeys: (last: Int64, count: Int) = (0, 0)
  private let isFirst: Bool
  /// The change of the feed's stored counts.
  private var countChange = FeedCountChange()
  /// The last key before the new offers.
  private let oldKey: Int64
  /// The start of the feed's run before this one.
  private let lastStart: Int64?
  /// The cached images whose addresses have other signatures now, by their addresses in the cache.
  private var movedImages: [String: String] = [:]
  private lazy var cachedImages = Result { try ImageTable.urls(in: transaction) }

  /// - Parameters:
  ///   - plan: the sync.
  ///   - user: the user who is told of returned favorites.
  ///   - isIndexed: whether to update the search index of a file; otherwise it is rebuilt when it is needed.
  ///   - transaction: its transaction.
  init(
    _ plan: SyncPlan, of user: User.ID, isIndexed: Bool, in transaction: any Transaction
  ) throws {
    self.plan = plan
    self.transaction = transaction
    writer = try transaction.makeOfferWriter(isIndexed: isIndexed)
    self.user = user
    time = StoredTime.bounded(plan.run.startedAt.storedSeconds)
    counts = plan.run.counts
    problems = plan.run.problems
    order = try CommitOrder(locking: transaction)
    // A search on a feed's server does not subscribe to the feed.
    feedKey = try FeedTable.put(
      plan.run.feed, source: plan.rememberedSource?.text ?? plan.run.source,
      subscribes: !plan.isSearch, at: plan.run.startedAt, in: transaction
    ).key
    lastStart = try SyncRunTable.findLastStart(
      feedKey: feedKey, in: transaction)
    runID = order.nextRunID()
    oldKey = order.lastOfferKey
    isFirst =
      try plan.replacesSample || !FeedTable.hasOffers(feedKey: feedKey, in: transaction)
    try SyncRunTable.insert(
      plan.run, id: runID, feedKey: feedKey, in: transaction)
  }

  /// Applies the plan and completes its run.
  ///
  /// - Returns: the run as it was recorded.
  func apply() throws -> SyncRun {
    if plan.isSearch { try writeFound() } else { try writeDocument() }
    try ImageTable.move(movedImages, in: transaction)
    try writer.finish(newAfter: counts.new > 0 ? oldKey : nil)
    // After the index has the new offers, which may be among them.
    if plan.isSearch { try OfferTable.deleteSurplusFound(in: transaction) }
    if !plan.isSearch { try writeFeed() }
    if let missing = plan.missing {
      try MissingOfferTable.replace(
        with: missing, feedKey: feedKey, in: transaction)
    }
    try FeedTable.setSource(
      plan.rememberedSource, feedKey: feedKey, in: transaction)
    if let fetch = plan.fetch {
      try FetchStateTable.save(fetch, feedKey: feedKey, in: transaction)
    }
    try FeedTable.setPresentation(
      plan.presentation, feedKey: feedKey, in: transaction)
    let returned =
      plan.isSearch || counts.new == 0
      ? []
      : try LostFavorites.returned(
        of: user, to: plan.run.feed, feedKey: feedKey, after: oldKey, in: transaction)
    let run = plan.run.completed(
      counts: counts, problems: problems, returned: returned,
      writeSeconds: (.now - begun) / .seconds(1))
    try SyncRunTable.complete(runID, run, in: transaction)
    try FeedTable.add(countChange, feedKey: feedKey, in: transaction)
    try writeNotices()
    try order.save(in: transaction)
    return run
  }

  /// Writes what users are to be told of the changes, in the same transaction, so that no notice is lost.
  private func writeNotices() throws {
    let counted = counts.new + counts.changed + counts.gone + counts.back
    guard let reader = plan.reader, !plan.isSearch, counted > 0 else { return }
    let now = Date(storedSeconds: time)
    try UserNoticeTable.insert(
      FavoriteNotices.changed(by: runID, at: now, in: transaction), in: transaction)
    if counts.new > 0 {
      try UserNoticeTable.insert(
        FavoriteNotices.returned(
          to: plan.run.feed, feedKey: feedKey, after: oldKey, at: now, in: transaction),
        in: transaction)
    }
    if try WatchTable.isAny(in: transaction) {
      var round = try WatchRound(at: now, reader, in: transaction)
      try round.evaluate(
        WatchRound.changes(of: runID, feedKey: feedKey, isFirst: isFirst, in: transaction))
    }
  }

  private func writeFeed() throws {
    try FeedTable.setDocument(plan.document, feedKey: feedKey, in: transaction)
    if plan.keepsFacts { return }
    try FeedTable.setDetails(
      title: plan.title, shared: OfferAttribute.json(plan.shared), source: plan.run.source,
      feedKey: feedKey, in: transaction)
  }

  private func record(
    _ kind: OfferChange.Kind, _ key: Int64, offerCount: Int? = nil, fields: String? = nil
  ) throws {
    try writer.record(
      RecordedChange(
        id: order.nextChangeID(), runID: runID, feedKey: feedKey, at: time, kind: kind,
        offerKey: key, offerCount: offerCount, fields: fields))
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
    var promoted: [Int64] = []
    var lost: Set<Int64> = []
    try writer.compare(plan.knownRecords) { record, difference in
      guard let difference else {
        lost.insert(record.offerKey)
        return
      }
      if difference.wasFound || difference.wasGone { countChange.current += 1 }
      if difference.wasGone { countChange.gone -= 1 }
      try check(record)
      let changedAt = difference.wasFound || difference.fields != nil ? time : nil
      try writer.update(
        record, difference, OfferUpdateValues(changedAt: changedAt, foundAt: nil))
      if let url = difference.formerImageURL, try cachedImages.get().contains(url) {
        movedImages[url] = record[.imageURL]
      }
      if try self.record(difference, of: record.offerKey) { promoted.append(record.offerKey) }
    }
    if !promoted.isEmpty {
      promoted.sort()
      let isPromoted = transaction.dialect.isElement("offer_key", of: "$1")
      try transaction.run(
        "UPDATE offer SET first_seen_at = $2, first_run_id = $3 WHERE \(isPromoted)",
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
    try writer.flushChanges()
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
    try writer.flushChanges()
    return try transaction.exists(
      "SELECT 1 FROM change WHERE offer_key = $1 AND kind = 'gone' LIMIT 1", [.number(key)])
  }

  /// Inserts the new offers among some records. Those whose id the feed has already are skipped.
  private func insert(
    _ records: any OfferRecordSource, where isWanted: (OfferRecord) -> Bool
  ) throws {
    var state = OfferInsertValues(
      key: 0, feedKey: feedKey, time: time, foundAt: nil, firstRunID: isFirst ? runID : nil)
    try records.forEachRecord { record in
      guard isWanted(record) else { return }
      try check(record)
      state.key = order.nextOfferKey()
      try take(writer.insert(record, state))
    }
    try take(writer.flushInserts(state))
  }

  private func take(_ offers: [InsertedOffer]) throws {
    for offer in offers {
      if let (id, position) = offer.repeated {
        skip(id, at: position)
      } else {
        countChange.current += 1
        try recordNew(offer.key)
      }
    }
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
      try writer.flushChanges()
      keys = try removeSample(keys)
    }
    // Never before the feed's last run: a clock that was set back would make the offers look as if
    // they had vanished long ago.
    let end = max(time, lastStart ?? time)
    for start in stride(from: 0, to: keys.count, by: 10_000) {
      let piece = keys[start..<min(start + 10_000, keys.count)]
      let dialect = transaction.dialect
      let gone = try transaction.rows(
        """
        UPDATE offer SET gone_at = \(dialect.greatest)($2, first_seen_at)
        WHERE \(dialect.isElement("offer_key", of: "$1")) AND gone_at IS NULL AND found_at IS NULL
        RETURNING offer_key
        """, [.numbers(Array(piece)), .number(end)]
      ) { $0.number(0) }
      countChange.current -= gone.count
      countChange.gone += gone.count
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
    let dialect = transaction.dialect
    let removed = try OfferTable.delete(
      where: """
        \(dialect.isElement("offer.offer_key", of: "$1")) AND offer.gone_at IS NULL
        AND offer.found_at IS NULL
        """, [.numbers(keys)], in: transaction)
    countChange.current -= removed.count
    try transaction.run(
      "DELETE FROM change WHERE \(dialect.isElement("offer_key", of: "$1"))",
      [.numbers(removed.map(\.key))])
    try transaction.run(
      """
      DELETE FROM change
      WHERE feed_key = $1 AND kind IN ('first', 'new') AND run_id <> $3 AND run_id IN (
        SELECT sync_run.run_id FROM sync_run WHERE sync_run.feed_key = $1 AND source = $2)
      """, [.number(feedKey), .text(SyncSource.sample.text), .number(runID)])
    let gone = Set(removed.map(\.key))
    return keys.filter { !gone.contains($0) }
  }

  // MARK: The offers of a search

  /// Stores the offers that a search on the feed's server found, beside those of the feed's document.
  private func writeFound() throws {
    try writer.compare(plan.knownRecords) { record, difference in
      guard let difference else { return }
      counts.unchanged += 1
      let isFound = difference.wasFound
      guard try isFound || difference.wasGone && !isStarred(record.offerKey) else { return }
      if difference.wasGone { countChange.gone -= 1 }
      try check(record)
      let changedAt = difference.fields == nil ? nil : time
      try writer.update(record, difference, OfferUpdateValues(changedAt: changedAt, foundAt: time))
    }
    var state = OfferInsertValues(
      key: 0, feedKey: feedKey, time: time, foundAt: time, firstRunID: nil)
    try plan.newRecords.forEachRecord { record in
      try check(record)
      state.key = order.nextOfferKey()
      countFound(try writer.insert(record, state))
    }
    countFound(try writer.flushInserts(state))
  }

  private func countFound(_ offers: [InsertedOffer]) {
    counts.new += offers.count { $0.repeated == nil }
  }

  private func isStarred(_ key: Int64) throws -> Bool {
    try transaction.exists(
      """
      SELECT 1 FROM offer JOIN feed ON feed.feed_key = offer.feed_key
      WHERE offer.offer_key = $1 AND \(OfferColumns.isStarred)
      """, [.number(key)])
  }

  private func check(_ record: OfferRecord) throws {
    if record[.name]?.isEmpty ?? true {
      throw OffersError(.storageFailed, "An offer without a name cannot be stored.")
    }
  }
}
