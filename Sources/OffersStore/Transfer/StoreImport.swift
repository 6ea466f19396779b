import Foundation
import OffersCore

/// Imports the records of an export into a store, within its transaction.
///
/// A feed that the store has never read is taken whole: its runs, offers and changes, in the document's order
/// and after all that the store has. So a store that had nothing exports the same document again. A feed that
/// the store has read stays as it is, but gets the document's named source if it has none; the summary counts
/// what was left. The data of users is added to that of the users here (`UserImport`). A favorite of such a
/// feed whose offer the store lacks brings the offer with it, as one that is gone.
///
/// Records are kept and written in batches. Memory is bounded by the batch, the number of runs, and a byte for
/// each offer.
///
/// The import keeps the lock on the ids of offers, changes and runs (`CommitOrder`) until its transaction
/// ends. Other syncs wait for it, reads do not; favorites wait only in SQLite, which has one writer at a time.
final class StoreImport {
  /// Reviews the named sources that an export would add: returns them with the origin of each, nil
  /// for a source that is left out, or throws to refuse the import.
  typealias SourceReview = ([ImportedFeedSource]) throws -> [ImportedFeedSource]

  /// A feed of the document.
  private struct Feed {
    let key: Int64
    /// Whether the store has never read it, so that it is taken.
    let isTaken: Bool
    /// The position in the document, from 1, of the run that was the feed's first sync: the first one that found offers. The sample
    /// counts only for a feed that has no other.
    var firstRun: Int?
  }

  /// A run of the document.
  private struct Run {
    /// Its id in the store; nil if it was left.
    let id: Int64?
    let feedKey: Int64
    let startedAt: Int64
    let source: String
    /// The number of new offers.
    let newCount: Int64
    /// Whether it found no offer that was known before.
    let hasOnlyNew: Bool
    /// The id of its last change; 0 if it has none.
    var lastChangeID: Int64 = 0
    /// Whether the change of a first sync was recorded.
    var hasFirst = false

    init(_ run: ExportedRun, id: Int64?, feedKey: Int64) {
      let counts = Dictionary(zip(ExportedRun.countNames, run.counts)) { first, _ in first }
      (self.id, self.feedKey, startedAt, source) = (id, feedKey, run.startedAt, run.source)
      newCount = counts["new"] ?? 0
      hasOnlyNew = ["changed", "back", "unchanged"].allSatisfy { counts[$0] ?? 0 == 0 }
    }

    var isOfSample: Bool { source == SyncSource.sample.text }
  }

  let transaction: any Transaction
  private let writer: any OfferWriter
  private let review: SourceReview
  private let acceptsDefinitions: Bool
  private var order: CommitOrder
  /// The last ids before the import.
  private let last: CommitOrder
  private var users: UserImport
  private var feeds: [String: Feed] = [:]
  /// The runs of the document, which count from 1 there.
  private var runs: [Run] = []
  /// The named sources of the document that are not reviewed yet.
  private var newSources: [ImportedFeedSource] = []
  private var summary = ImportSummary()
  private var changeNumber = 0
  private var section = ExportRecord.Section.feeds
  private var offers: [ExportedOffer] = []
  private var changes: [ExportedChange] = []
  /// For each inserted offer, whether it was written as one of its feed's first sync, and no change of the
  /// document has confirmed that yet.
  private var isUnconfirmed: [Bool] = []

  /// The number of records of a batch.
  private static let batchCount = 1000

  init(
    into transaction: any Transaction, user: User.ID, trustsRoles: Bool, acceptsDefinitions: Bool,
    reader: (any FilterTextReader)?, review: @escaping SourceReview
  ) throws {
    self.acceptsDefinitions = acceptsDefinitions
    self.transaction = transaction
    self.review = review
    writer = try transaction.makeOfferWriter(isIndexed: true)
    order = try CommitOrder(locking: transaction)
    last = order
    users = try UserImport(
      into: transaction, importer: user, trustsRoles: trustsRoles,
      acceptsChannels: acceptsDefinitions, reader: reader)
  }

  func add(_ record: ExportRecord) throws {
    if record.section != section {
      try flush()
      section = record.section
    }
    // Feeds come first, so that sources are refused before anything large is written.
    if record.section != .feeds, !newSources.isEmpty { try takeSources() }
    switch record {
    case .feed(let feed): try add(feed)
    case .run(let run): try add(run)
    case .offer(let offer):
      offers.append(offer)
      if offers.count == Self.batchCount { try flush() }
    case .change(let change):
      changeNumber += 1
      guard let feed = feeds[change.ref.feed] else { throw strayChange(change, changeNumber) }
      guard feed.isTaken else {
        summary.leftChanges += 1
        return
      }
      changes.append(change)
      if changes.count == Self.batchCount { try flush() }
    case .user(let user): users.add(user)
    case .favorite(let favorite): try users.add(favorite)
    }
  }

  /// Writes what is kept, and updates counts and derived data.
  func finish() throws -> ImportSummary {
    try flush()
    try takeSources()
    try correctFirstRuns()
    if summary.newChanges > 0 { try moveReaders() }
    try users.finish { run in
      max(runs.prefix(max(0, run)).map(\.lastChangeID).max() ?? 0, last.lastChangeID)
    }
    summary.users = users.matches
    summary.newFavorites = users.newFavorites
    summary.sameFavorites = users.sameFavorites
    summary.newWatches = users.newWatches
    summary.newChannels = users.newChannels
    summary.leftOutChannels = users.leftOutChannels
    if order.lastOfferKey > last.lastOfferKey {
      try writer.finish(newAfter: last.lastOfferKey)
      try removeUnstarred()
      try FeedTable.count(in: transaction)
    }
    try users.beginWatches()
    try order.save(in: transaction)
    return summary
  }

  private func flush() throws {
    try writeOffers()
    try writeChanges()
  }

  // Feeds.

  private func add(_ record: ExportedFeed) throws {
    let stored = try findFeed(record.name)
    let isTaken = stored?.isRead != true
    let feed = Feed(key: try stored?.key ?? insert(record), isTaken: isTaken)
    if stored == nil {
      summary.newFeeds += 1
    } else if isTaken {
      try replace(record, key: feed.key)
    } else {
      summary.leftFeeds.append(record.name)
    }
    try add(record.definition)
    if let source = record.chosenSource {
      // `replace` keeps the named source, so that it can be compared here.
      let here = stored?.source
      if here == nil || isTaken && here != source {
        newSources.append(ImportedFeedSource(feed: record.name, text: source))
      }
    }
    feeds[record.name] = feed
  }

  /// Adds a definition, unless the store has one of the feed. A definition names addresses that a sync would
  /// read, so it is left out unless the user accepts those of the document.
  private func add(_ definition: StoredDefinition?) throws {
    guard let definition,
      try DefinitionTable.find(definition.feed, in: transaction).isEmpty
    else { return }
    if acceptsDefinitions {
      try DefinitionTable.put(definition, in: transaction)
    } else {
      summary.leftOutDefinitions.append(definition.feed)
    }
  }

  private func takeSources() throws {
    for source in try review(newSources) {
      summary.sources.append(source)
      guard let origin = source.origin, let feed = feeds[source.feed] else { continue }
      try setSource(ChosenSource(source.text, origin: origin), feedKey: feed.key)
    }
    newSources = []
  }

  private func fetchFeed(_ name: String) throws -> Feed {
    if let feed = feeds[name] { return feed }
    throw OffersError(
      .malformedFeed, "The document has no feed “\(name)”, but records of it.",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }

  // Runs.

  private func add(_ record: ExportedRun) throws {
    let feed = try fetchFeed(record.feed)
    let run = Run(record, id: feed.isTaken ? order.nextRunID() : nil, feedKey: feed.key)
    runs.append(run)
    guard let id = run.id else {
      summary.leftRuns += 1
      return
    }
    summary.newRuns += 1
    try insert(record, id: id, feedKey: feed.key)
    // A search on the feed's server is no sync of its document.
    guard run.newCount > 0, !run.source.contains("{query}") else { return }
    let isOfSample = feed.firstRun.map { runs[$0 - 1].isOfSample } ?? true
    if feed.firstRun == nil || isOfSample && !run.isOfSample {
      feeds[record.feed]?.firstRun = runs.count
    }
  }

  // Offers.

  private func writeOffers() throws {
    if offers.isEmpty { return }
    defer { offers.removeAll(keepingCapacity: true) }
    var known: Set<OfferRef> = []
    for (var offer, storedKey) in try zip(offers, findOffers(offers.map(\.ref))) {
      let feed = try fetchFeed(offer.ref.feed)
      if !known.insert(offer.ref).inserted || feed.isTaken && storedKey != nil {
        throw repeated(offer.ref)
      }
      if !feed.isTaken {
        summary.leftOffers += 1
        if storedKey != nil { continue }
        // Whether it is a favorite is known at the end.
        offer.goneAt = offer.goneAt ?? offer.changedAt
      } else {
        summary.newOffers += 1
      }
      if offer.isCut { summary.cutOffers += 1 }
      let firstRun = feed.firstRun.map { runs[$0 - 1] }
      // Known now, it needs no update of the offer later.
      let isOfFirst = firstRun?.hasOnlyNew == true && firstRun?.startedAt == offer.firstSeenAt
      isUnconfirmed.append(isOfFirst)
      try writer.insert(
        offer, key: order.nextOfferKey(), feedKey: feed.key,
        firstRunID: isOfFirst ? firstRun?.id : nil)
    }
    try writer.flushImported()
  }

  /// Removes the inserted offers of feeds that were left, except for favorites.
  private func removeUnstarred() throws {
    let left = feeds.values.filter { !$0.isTaken }.map(\.key)
    let isLeft = transaction.dialect.isElement("offer.feed_key", of: "$2")
    let inserted: [SQLValue] = [.number(last.lastOfferKey), .numbers(left)]
    _ = try OfferTable.delete(
      where: "offer.offer_key > $1 AND \(isLeft)", inserted, in: transaction)
    let kept = try transaction.first(
      "SELECT count(*) FROM offer WHERE offer_key > $1 AND \(isLeft)", inserted
    ) { $0.count(0) }
    summary.newOffers += kept ?? 0
    summary.leftOffers -= kept ?? 0
  }

  private func repeated(_ ref: OfferRef) -> OffersError {
    OffersError(
      .malformedFeed, "The document has the offer \(ref) twice.",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }

  /// The keys of offers, in their order; nil for those that are not stored.
  private func findOffers(_ refs: [OfferRef]) throws -> [Int64?] {
    let wanted = transaction.dialect.table(
      [
        "feed_key": .numbers(refs.map { feeds[$0.feed]?.key ?? 0 }),
        "id": .texts(refs.map(\.offerID)), "place": .numbers(refs.indices.map(Int64.init)),
      ], as: "wanted")
    var found = [Int64?](repeating: nil, count: refs.count)
    try transaction.forEach(
      """
      SELECT wanted.place, offer.offer_key
      FROM \(wanted.sql) JOIN offer ON offer.feed_key = wanted.feed_key AND offer.id = wanted.id
      """, wanted.values
    ) { found[$0.count(0)] = $0.number(1) }
    return found
  }

  // Changes.

  private func writeChanges() throws {
    if changes.isEmpty { return }
    defer { changes.removeAll(keepingCapacity: true) }
    let before = changeNumber - changes.count
    for (place, key) in try findOffers(changes.map(\.ref)).enumerated() {
      guard let key else { throw strayChange(changes[place], before + place + 1) }
      try write(changes[place], offerKey: key)
    }
    try writer.flushChanges()
  }

  private func write(_ change: ExportedChange, offerKey: Int64) throws {
    let feed = try fetchFeed(change.ref.feed)
    let place = change.run.subtracting(clamped: 1)
    guard runs.indices.contains(place), let runID = runs[place].id, runs[place].feedKey == feed.key
    else { return }
    summary.newChanges += 1
    var kind = change.storedKind
    var offerCount: Int?
    if kind == .new, feed.firstRun == change.run, runs[place].hasOnlyNew {
      try confirm(offerKey, firstRunID: runID)
      // The new offers of a first sync are one change.
      if runs[place].hasFirst { return }
      runs[place].hasFirst = true
      kind = .first
      offerCount = Int(clamping: runs[place].newCount)
    }
    let id = order.nextChangeID()
    runs[place].lastChangeID = id
    try writer.record(
      RecordedChange(
        id: id, runID: runID, feedKey: feed.key, at: runs[place].startedAt, kind: kind,
        offerKey: offerKey, offerCount: offerCount, fields: change.fields))
  }

  private func strayChange(_ change: ExportedChange, _ number: Int) -> OffersError {
    OffersError(
      .malformedFeed,
      "Change \(number) of the document refers to \(change.ref), which is not among its offers.",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }

  // First syncs.

  /// Notes that a change of the document confirms that an offer is one of its feed's first sync.
  private func confirm(_ offerKey: Int64, firstRunID: Int64) throws {
    let place = Int(clamping: offerKey - last.lastOfferKey - 1)
    if isUnconfirmed.indices.contains(place), isUnconfirmed[place] {
      isUnconfirmed[place] = false
    } else {
      try setFirstRun(firstRunID, of: [offerKey])
    }
  }

  /// Corrects offers whose time is that of their feed's first sync, and that are not of it.
  private func correctFirstRuns() throws {
    let keys = isUnconfirmed.indices.filter { isUnconfirmed[$0] }
    if !keys.isEmpty { try setFirstRun(nil, of: keys.map { last.lastOfferKey + Int64($0) + 1 }) }
  }

  private func setFirstRun(_ runID: Int64?, of keys: [Int64]) throws {
    let isElement = transaction.dialect.isElement("offer_key", of: "$2")
    try transaction.run(
      "UPDATE offer SET first_run_id = $1 WHERE \(isElement)", [.number(runID), .numbers(keys)])
  }

  // Readers.

  /// Marks the imported history as read for those who have read everything that was here: they are not told
  /// of years of imported changes.
  private func moveReaders() throws {
    try transaction.run(
      """
      UPDATE reader SET change_id = $1
      WHERE change_id >= coalesce((SELECT max(change_id) FROM change WHERE change_id <= $2), 0)
        AND name <> $3
      """,
      [.number(order.lastChangeID), .number(last.lastChangeID), .text(ReaderMark.ofNotices)])
  }
}

extension ExportedChange {
  /// The kind as it is stored: `up` and `down` are kinds of their own there.
  fileprivate var storedKind: OfferChange.Kind {
    switch kind {
    case .new: return .new
    case .gone: return .gone
    case .back: return .back
    case .changed:
      guard let rewards = fields.map(ChangedFields.init)?.rewards else { return .changed }
      return OfferChange.Kind.direction(from: rewards.old, to: rewards.new) ?? .changed
    }
  }
}

/// Feeds and their runs.
extension StoreImport {
  /// A feed as the store has it before the import.
  struct StoredFeed {
    let key: Int64
    /// Whether the store had a successful sync or an offer of the feed.
    let isRead: Bool
    /// The source that a user named.
    let source: String?
  }

  func findFeed(_ name: String) throws -> StoredFeed? {
    try transaction.first(
      """
      SELECT feed.feed_key, good.started_at IS NOT NULL
          OR EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key),
        feed.chosen_source
      FROM feed \(SyncRunTable.lastJoin) WHERE feed.name = $1
      """, [.text(name)]
    ) { StoredFeed(key: $0.number(0), isRead: $0.flag(1), source: $0.findText(2)) }
  }

  /// Inserts a feed without its named source, and returns its key.
  func insert(_ feed: ExportedFeed) throws -> Int64 {
    try transaction.first(
      """
      INSERT INTO feed (
        name, source, subscribed_at, title, shared, unsubscribed_at, presentation)
      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING feed_key
      """,
      [
        .text(feed.name), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ]
    ) { $0.number(0) } ?? 0
  }

  /// Overwrites a feed that this store has never read. The named source is stored later, by
  /// `setSource`, or forgotten if the imported feed has none.
  func replace(_ feed: ExportedFeed, key: Int64) throws {
    try transaction.run(
      """
      UPDATE feed SET source = $2, subscribed_at = $3, title = $4, shared = $5,
        unsubscribed_at = $6, presentation = coalesce($7, presentation)
      WHERE feed_key = $1
      """,
      [
        .number(key), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ])
    if feed.chosenSource == nil { try FeedTable.forgetSource(of: feed.name, in: transaction) }
    // The offers that are stored next are of another document than a validator of this store.
    try FeedTable.setDocument(nil, feedKey: key, in: transaction)
    try FetchStateTable.forgetValidators(feedKey: key, in: transaction)
  }

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  func setSource(_ source: ChosenSource, feedKey: Int64) throws {
    try transaction.run(
      "UPDATE feed SET chosen_source = $2, source_origin = $3 WHERE feed_key = $1",
      [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  /// Inserts a run.
  func insert(_ run: ExportedRun, id: Int64, feedKey: Int64) throws {
    let counts = ExportedRun.countNames.map { "\($0)_count" }
    let columns =
      [
        "run_id", "feed_key", "source", "started_at", "duration_milliseconds", "outcome", "bytes",
        "error_code", "error_message", "error_hint",
      ] + counts
    try transaction.run(
      """
      INSERT INTO sync_run (\(columns.joined(separator: ", ")))
      VALUES (\(columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
      """,
      [
        .number(id), .number(feedKey), .text(run.source), .number(run.startedAt),
        .number(run.durationMilliseconds), .text(run.outcome.rawValue), .number(run.bytes),
        .text(run.error?.code), .text(run.error?.message), .text(run.error?.hint),
      ] + run.counts.map { .number($0) })
  }
}
