import GRDB
import OffersCore

/// Merges the records of an export into a database, one by one.
///
/// If both the export and the database have an offer, the version from the side that synced the
/// feed later is kept, with the earlier of the two first sightings. Favorites, subscriptions and
/// named sources of a feed that this database has read stay. No feed, offer or favorite is removed.
final class ImportMerge {
  /// A feed of the export, and its state in this database.
  private struct Feed {
    let record: ExportedFeed
    let key: Int64
    /// The last successful sync in this database before the import.
    let own: Sight?
    /// Whether this database had a successful sync or an offer of the feed.
    let isKnown: Bool
    /// The feed's last successful sync according to the export.
    var imported: Sight?
    /// Whether the import changed the feed's offers.
    var isTouched = false
  }

  private struct Sight {
    let at: Int64
    let source: String
  }

  private let database: Database
  private let selections: Set<String>
  private let review: SourceReview
  private let history: ImportedHistory
  private let feedWriter: ImportedFeedWriter
  private let offers: ImportedOfferWriter
  private var users: ImportedUsers
  private var feeds: [String: Feed] = [:]
  /// The named sources of the export that are not reviewed yet.
  private var newSources: [ImportedSource] = []
  private var counts = ImportSummary()
  private var changeNumber = 0

  /// Reviews the named sources that an export would add: returns them with the origin of each, nil
  /// for a source that is not imported, or throws to refuse the import.
  typealias SourceReview = ([ImportedSource]) throws -> [ImportedSource]

  init(
    _ database: Database, of user: User.ID, selections: Set<String>, trustsRoles: Bool,
    review: @escaping SourceReview
  ) throws {
    self.database = database
    self.selections = selections
    self.review = review
    history = try ImportedHistory(database)
    feedWriter = ImportedFeedWriter(database)
    offers = try ImportedOfferWriter(database)
    users = try ImportedUsers(database, importer: user, trustsRoles: trustsRoles)
  }

  func add(_ record: ExportRecord) throws {
    // Feeds come first, so that sources are refused before anything large is written.
    if record.section != .feeds, !newSources.isEmpty { try takeSources() }
    switch record {
    case .feed(let feed): try add(feed)
    case .run(let run): try add(run)
    case .offer(let offer): try add(offer)
    case .change(let change): try add(change)
    case .user(let user): users.add(user)
    case .favorite(let favorite): try add(favorite)
    }
  }

  /// Merges the histories and updates counts and derived data.
  func finish() throws -> ImportSummary {
    try takeSources()
    for feed in feeds.values.sorted(by: { $0.key < $1.key }) {
      if feed.isKnown { try merge(feed) }
      if feed.isTouched { try feedWriter.forgetDocument(feedKey: feed.key) }
    }
    counts.newRuns = try history.merge()
    try users.finish(findLastChange: history.findLastChange)
    counts.users = users.matches
    try history.finish()
    try FeedMiscount.correct(in: database)
    if counts.newOffers + counts.updatedOffers > 0 {
      try offers.finishIndex(hasNew: counts.newOffers > 0)
    }
    return counts
  }

  private func add(_ record: ExportedFeed) throws {
    let key: Int64
    var own: Sight?
    var isKnown = false
    if let known = try FeedTable.findKey(record.name, in: database) {
      key = known
      own = try SyncRunTable.findLastGood(feedKey: key, in: database).map {
        Sight(at: $0.at, source: $0.source)
      }
      isKnown = try own != nil || FeedTable.hasOffers(feedKey: key, in: database)
      if !isKnown { try feedWriter.replace(record, feedKey: key) }
    } else {
      key = try feedWriter.insert(record)
      counts.newFeeds += 1
    }
    if let source = record.chosenSource {
      let here = try FeedTable.findSource(feedKey: key, in: database)?.text
      if here == nil || !isKnown && here != source {
        newSources.append(ImportedSource(feed: record.name, text: source))
      }
    }
    feeds[record.name] = Feed(record: record, key: key, own: own, isKnown: isKnown)
  }

  private func takeSources() throws {
    for source in try review(newSources) {
      counts.sources.append(source)
      guard let origin = source.origin, let feed = feeds[source.feed] else { continue }
      try feedWriter.setSource(NamedSource(source.text, origin: origin), feedKey: feed.key)
    }
    newSources = []
  }

  /// Merges a known feed. Its subscription and its named source stay; title and shared attributes
  /// are those of the later sync.
  private func merge(_ feed: Feed) throws {
    let isNewer = (feed.imported?.at ?? .min) > (feed.own?.at ?? .min)
    try feedWriter.merge(feed.record, isNewer: isNewer, feedKey: feed.key)
  }

  private func add(_ run: ExportedRun) throws {
    guard let feed = feeds[run.feed] else { throw missingFeed(run.feed) }
    if run.isGood, run.startedAt >= feed.imported?.at ?? .min {
      feeds[run.feed]?.imported = Sight(at: run.startedAt, source: run.source)
    }
    try history.add(run, feedKey: feed.key)
  }

  private func add(_ offer: ExportedOffer) throws {
    guard let feed = feeds[offer.ref.feed] else { throw missingFeed(offer.ref.feed) }
    if offer.isCut { counts.cutOffers += 1 }
    guard let (key, own) = try offers.find(offer.ref, feedKey: feed.key) else {
      var offer = offer
      // A later sync of the same source in this database did not contain the offer, so it is gone.
      if offer.goneAt == nil, let own = feed.own, own.at > feed.imported?.at ?? .max,
        own.source == feed.imported?.source, !selections.contains(offer.ref.feed)
      {
        offer.goneAt = own.at
      }
      try offers.insert(offer, feedKey: feed.key)
      feeds[offer.ref.feed]?.isTouched = true
      counts.newOffers += 1
      return
    }
    let saysTheSame = offer.says(asMuchAs: own)
    let times = (own.changedAt, offer.changedAt)
    let seen = (feed.own?.at ?? .min, feed.imported?.at ?? .min)
    var merged = (seen.1, times.1) > (seen.0, times.0) ? offer : own
    merged.firstSeenAt = min(own.firstSeenAt, offer.firstSeenAt)
    if saysTheSame { merged.changedAt = min(times.0, times.1) }
    if offer.firstSeenAt < own.firstSeenAt {
      try history.note(offerKey: key, firstSeenHereAt: own.firstSeenAt)
    }
    let isOther = !merged.says(asMuchAs: own)
    if isOther || merged.goneAt != own.goneAt { feeds[offer.ref.feed]?.isTouched = true }
    guard
      isOther || merged.goneAt != own.goneAt || merged.firstSeenAt != own.firstSeenAt
        || merged.changedAt != own.changedAt
    else {
      counts.sameOffers += 1
      return
    }
    try offers.update(key, to: merged, isOther: isOther)
    counts.updatedOffers += 1
  }

  private func add(_ change: ExportedChange) throws {
    changeNumber += 1
    guard let feed = feeds[change.ref.feed],
      let key = try offers.findKey(change.ref, feedKey: feed.key)
    else {
      throw OffersError(
        .malformedFeed,
        "Change \(changeNumber) of the document refers to \(change.ref), which is not among its offers.",
        hint: "Nothing was changed. Mend it there, or export it again.")
    }
    let isTaken = try history.add(
      change, offerKey: key, isNewOffer: key > offers.lastKey, seenHereUntil: feed.own?.at)
    if isTaken { counts.newChanges += 1 }
  }

  private func add(_ favorite: ExportedFavorite) throws {
    if try users.add(favorite) { counts.newFavorites += 1 } else { counts.sameFavorites += 1 }
  }

  private func missingFeed(_ name: String) -> OffersError {
    OffersError(
      .malformedFeed, "The document has no feed “\(name)”, but records of it.",
      hint: "Nothing was changed. Mend it there, or export it again.")
  }
}
