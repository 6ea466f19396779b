import OffersCore

/// Merges the records of an export into a store.
///
/// If both the export and the store have an offer, the version from the side that synced the feed
/// later is kept, with the earlier of the two first sightings. Favorites, subscriptions and named
/// sources of a feed that this store has read stay. No feed, offer or favorite is removed.
///
/// Records are kept and written in batches. Memory is bounded by the batch and the number of runs.
final class ImportMerge {
  /// Reviews the named sources that an export would add: returns them with the origin of each, nil
  /// for a source that is left out, or throws to refuse the import.
  typealias SourceReview = ([ImportedFeedSource]) throws -> [ImportedFeedSource]

  private let store: StoreImport
  private let selections: Set<String>
  private let review: SourceReview
  private var runs: ImportedRuns
  private var users: UserMerge
  private var feeds: [String: FeedMerge] = [:]
  /// The named sources of the export that are not reviewed yet.
  private var newSources: [ImportedFeedSource] = []
  private var counts = ImportSummary()
  private var changeNumber = 0
  private var section = ExportRecord.Section.feeds
  private var offers: [ExportedOffer] = []
  private var refs: Set<OfferRef> = []
  private var changes: [ExportedChange] = []

  /// The number of records of a batch.
  private static let batchCount = 1000

  init(
    into store: StoreImport, user: User.ID, selections: Set<String>,
    trustsRoles: Bool, review: @escaping SourceReview
  ) throws {
    self.store = store
    self.selections = selections
    self.review = review
    runs = ImportedRuns(known: try store.history.fetchMarks())
    users = try UserMerge(store, importer: user, trustsRoles: trustsRoles)
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
      if !refs.insert(offer.ref).inserted {
        try flush()
        refs = [offer.ref]
      }
      offers.append(offer)
      if offers.count == Self.batchCount { try flush() }
    case .change(let change):
      changes.append(change)
      if changes.count == Self.batchCount { try flush() }
    case .user(let user): users.add(user)
    case .favorite(let favorite): try users.add(favorite)
    }
  }

  /// Merges the histories and updates counts and derived data.
  func finish() throws -> ImportSummary {
    try flush()
    try takeSources()
    for feed in feeds.values.sorted(by: { $0.key < $1.key }) {
      if feed.isKnown { try store.merge(feed.record, isNewer: feed.isNewer, key: feed.key) }
      if feed.isTouched { try store.forgetDocument(feedKey: feed.key) }
    }
    try store.mergeHistory(renumbers: runs.mustRenumber)
    counts.newRuns = runs.newCount
    try users.finish()
    counts.users = users.matches
    counts.newFavorites = users.newFavorites
    counts.sameFavorites = users.sameFavorites
    try store.finish(newOffers: counts.newOffers, updatedOffers: counts.updatedOffers)
    return counts
  }

  private func flush() throws {
    try mergeOffers()
    try addChanges()
  }

  private func add(_ record: ExportedFeed) throws {
    let stored = try store.findFeed(record.name)
    let feed = FeedMerge(record, stored, key: try stored?.key ?? store.insert(record))
    if stored == nil {
      counts.newFeeds += 1
    } else if !feed.isKnown {
      try store.replace(record, key: feed.key)
    }
    if let source = record.chosenSource {
      // `replace` keeps the named source, so that it can be compared here.
      let here = stored?.source
      if here == nil || !feed.isKnown && here != source {
        newSources.append(ImportedFeedSource(feed: record.name, text: source))
      }
    }
    feeds[record.name] = feed
  }

  private func takeSources() throws {
    for source in try review(newSources) {
      counts.sources.append(source)
      guard let origin = source.origin, let feed = feeds[source.feed] else { continue }
      try store.setSource(ChosenSource(source.text, origin: origin), feedKey: feed.key)
    }
    newSources = []
  }

  private func add(_ run: ExportedRun) throws {
    let feed = try fetchFeed(run.feed)
    feeds[run.feed]?.note(run)
    let (number, known) = runs.add(run, feedKey: feed.key)
    try store.history.add(run, number: number, known: known, feedKey: feed.key)
  }

  private func mergeOffers() throws {
    if offers.isEmpty { return }
    defer {
      offers.removeAll(keepingCapacity: true)
      refs.removeAll(keepingCapacity: true)
    }
    let wanted = try offers.map {
      ImportedRef(feedKey: try fetchFeed($0.ref.feed).key, ref: $0.ref)
    }
    var inserted: [(offer: ExportedOffer, feedKey: Int64)] = []
    var updated: [(key: Int64, offer: ExportedOffer, isOther: Bool)] = []
    var earlier: [(key: Int64, firstSeenHereAt: Int64)] = []
    for (offer, stored) in zip(offers, try store.findOffers(wanted)) {
      let name = offer.ref.feed
      let feed = try fetchFeed(name)
      if offer.isCut { counts.cutOffers += 1 }
      guard let stored else {
        inserted.append((feed.added(offer, isSelection: selections.contains(name)), feed.key))
        feeds[name]?.isTouched = true
        continue
      }
      let own = stored.offer
      if offer.firstSeenAt < own.firstSeenAt { earlier.append((stored.key, own.firstSeenAt)) }
      let merged = feed.merge(offer, into: own)
      if merged.isOther || merged.offer.goneAt != own.goneAt { feeds[name]?.isTouched = true }
      if merged.isSame {
        counts.sameOffers += 1
      } else {
        updated.append((stored.key, merged.offer, merged.isOther))
      }
    }
    try store.insert(inserted)
    try store.update(updated)
    try store.history.note(seenEarlier: earlier)
    if !earlier.isEmpty { runs.hasEarlierSights = true }
    counts.newOffers += inserted.count
    counts.updatedOffers += updated.count
  }

  private func addChanges() throws {
    if changes.isEmpty { return }
    defer { changes.removeAll(keepingCapacity: true) }
    let wanted = changes.map {
      // An unknown feed has no offer either.
      ImportedRef(feedKey: feeds[$0.ref.feed]?.key ?? 0, ref: $0.ref)
    }
    var taken: [(change: ExportedChange, offerKey: Int64)] = []
    for (change, found) in zip(changes, try store.findChanged(wanted)) {
      changeNumber += 1
      guard let offer = found else {
        throw OffersError(
          .malformedFeed,
          "Change \(changeNumber) of the document refers to \(change.ref), which is not among its offers.",
          hint: "Nothing was changed. Correct it there, or export it again.")
      }
      let isTaken = runs.takes(
        change, of: offer, isNewOffer: offer.key > store.lastOfferKey,
        seenHereUntil: feeds[change.ref.feed]?.own?.at)
      if isTaken { taken.append((change, offer.key)) }
    }
    try store.history.add(taken)
    counts.newChanges += taken.count
  }

  private func fetchFeed(_ name: String) throws -> FeedMerge {
    if let feed = feeds[name] { return feed }
    throw OffersError(
      .malformedFeed, "The document has no feed “\(name)”, but records of it.",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }
}
