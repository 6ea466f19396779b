import OffersCore

/// The statements of a store that an import needs, within the transaction of the import. `ImportMerge`
/// decides what they write.
///
/// Offers, changes and favorites come in batches, so that a store on a server needs few round trips. No
/// batch has the same offer twice.
protocol ImportStore: AnyObject {
  // Feeds.

  func findFeed(_ name: String) throws -> StoredFeed?

  /// Inserts a feed without its named source, and returns its key.
  func insert(_ feed: ExportedFeed) throws -> Int64

  /// Overwrites a feed that this store has never read. The named source is stored later, by
  /// `setSource`, or forgotten if the imported feed has none.
  func replace(_ feed: ExportedFeed, key: Int64) throws

  /// Merges an imported feed into a stored one, which keeps its subscription and its named source, and
  /// gets the earlier of both times of subscription.
  ///
  /// - Parameter isNewer: whether the imported feed was synced later, so that its title, shared
  ///   attributes, source and presentation win. A presentation that one side lacks is that of the other.
  func merge(_ feed: ExportedFeed, isNewer: Bool, key: Int64) throws

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  func setSource(_ source: ChosenSource, feedKey: Int64) throws

  /// Forgets the document's fingerprint and validators, because the stored offers are no longer that
  /// document.
  func forgetDocument(feedKey: Int64) throws

  // Offers.

  /// The largest key of an offer before the import.
  var lastOfferKey: Int64 { get }

  /// The stored offers of some references, in their order; nil for those that are not stored.
  func findOffers(_ wanted: [ImportedRef]) throws -> [StoredOffer?]

  /// Inserts offers in their order, with keys after all others.
  func insert(_ offers: [(offer: ExportedOffer, feedKey: Int64)]) throws

  /// Updates stored offers.
  ///
  /// - Parameter offers: the key of each, its new state, and whether the content differs.
  func update(_ offers: [(key: Int64, offer: ExportedOffer, isOther: Bool)]) throws

  // The history.

  /// The runs of the store by what identifies them.
  func fetchRunMarks() throws -> [RunFingerprint: Int64]

  /// Keeps a run of the document until `mergeHistory`.
  ///
  /// - Parameters:
  ///   - run: the run.
  ///   - number: its number in the document, from 1.
  ///   - known: its key, if the store has it.
  ///   - feedKey: the key of its feed.
  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws

  /// Keeps the times at which the store first saw offers that the export saw earlier. The first one
  /// that is kept for an offer counts.
  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws

  /// The stored offers of the references of some changes, in their order; nil for those that are not
  /// stored.
  func findChanged(_ wanted: [ImportedRef]) throws -> [ImportedChangeTarget?]

  /// Keeps changes of the document until `mergeHistory`, in their order.
  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws

  /// Writes the runs and changes that were kept.
  ///
  /// If all of them come after the store's own, they are appended. Otherwise both are sorted by time
  /// and all are renumbered, and the marks of readers adjusted, because queries of changes rely on
  /// their order. On each side the order of runs is kept, also for runs that overlapped or whose clock
  /// jumped.
  ///
  /// - Parameter renumbers: whether to renumber in any case, because changes belong to runs of the
  ///   store, or because offers are not new any more where the store recorded them as new.
  func mergeHistory(renumbers: Bool) throws

  /// The number of the last change of a run of the document and of all runs before it, once the
  /// histories are merged; 0 if there is none.
  func findLastChange(through run: Int) throws -> Int64

  // Users.

  /// Whether the store has no run and no favorite, and no user but an owner whom nobody has named.
  func isNew() throws -> Bool

  func findUser(named name: String) throws -> User?

  /// - Throws: `OffersError` with `notFound`.
  func fetchUser(_ id: User.ID) throws -> User

  func insertUser(_ name: String, _ role: User.Role, at seconds: Int64) throws -> User.ID

  /// Sets the name of the owner, and the time when they were added unless it is nil.
  func setOwner(_ name: String, createdAt: Int64?) throws

  /// Adds favorites to those of their users, shared as in the document. If one is there, the earlier of
  /// two times stays, and so does its sharing.
  ///
  /// - Returns: whether each was added.
  func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool]

  /// The recent searches of a user, the latest first.
  func fetchSearches(of user: User.ID) throws -> [ExportedUser.Search]

  /// Moves or inserts a search at the top.
  func put(_ search: ExportedUser.Search, of user: User.ID) throws

  /// Inserts the mark of a reader who has none here. Another one stays.
  func insert(_ mark: ExportedUser.Mark, changeID: Int64, of user: User.ID) throws

  /// Updates counts and derived data, at the end of the import.
  ///
  /// - Parameters:
  ///   - newOffers: the number of inserted offers.
  ///   - updatedOffers: the number of updated offers.
  func finish(newOffers: Int, updatedOffers: Int) throws
}

/// A feed as a store has it before an import.
struct StoredFeed {
  let key: Int64
  /// The last successful sync; nil if there was none.
  let lastSuccess: SuccessfulSync?
  let hasOffers: Bool
  /// The source that a user named.
  let source: String?

  init(key: Int64, lastSuccess: SuccessfulSync?, hasOffers: Bool, source: String?) {
    self.key = key
    self.lastSuccess = lastSuccess
    self.hasOffers = hasOffers
    self.source = source
  }
}

/// A successful sync of a feed: its start in Unix seconds, and the source.
struct SuccessfulSync {
  let at: Int64
  let source: String

  init(at: Int64, source: String) {
    self.at = at
    self.source = source
  }
}

/// The reference of an offer, with the key of its feed in the store.
struct ImportedRef: Hashable {
  let feedKey: Int64
  let ref: OfferRef

  init(feedKey: Int64, ref: OfferRef) {
    self.feedKey = feedKey
    self.ref = ref
  }
}

/// An offer as a store has it before it is merged.
struct StoredOffer {
  let key: Int64
  let offer: ExportedOffer

  init(key: Int64, offer: ExportedOffer) {
    self.key = key
    self.offer = offer
  }
}

/// An offer of which an export has a change.
struct ImportedChangeTarget {
  let key: Int64
  /// When the store first saw it; nil if the export did not see it earlier.
  let firstSeenHereAt: Int64?

  init(key: Int64, firstSeenHereAt: Int64?) {
    self.key = key
    self.firstSeenHereAt = firstSeenHereAt
  }
}
