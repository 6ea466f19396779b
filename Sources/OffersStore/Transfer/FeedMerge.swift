import OffersCore

/// A feed of an export with its state in the store that imports it: the rules by which their offers are
/// merged.
struct FeedMerge {
  let record: ExportedFeed
  let key: Int64
  /// The last successful sync in this store before the import.
  let own: SuccessfulSync?
  /// Whether this store had a successful sync or an offer of the feed.
  let isKnown: Bool
  /// The feed's last successful sync according to the export.
  private(set) var imported: SuccessfulSync?
  /// Whether the import changed the feed's offers.
  var isTouched = false

  init(_ record: ExportedFeed, _ stored: StoredFeed?, key: Int64) {
    self.record = record
    self.key = key
    own = stored?.lastSuccess
    isKnown = own != nil || stored?.hasOffers == true
  }

  mutating func note(_ run: ExportedRun) {
    if run.isGood, run.startedAt >= imported?.at ?? .min {
      imported = SuccessfulSync(at: run.startedAt, source: run.source)
    }
  }

  /// Whether the export synced the feed later than this store.
  var isNewer: Bool { (imported?.at ?? .min) > (own?.at ?? .min) }

  /// Whether both sides are known to have read the same source last. Sources whose values are hidden may
  /// be different ones, such as `?store={hidden}`.
  private var hasSameSource: Bool {
    guard let own, let imported else { return false }
    return own.source == imported.source
      && !AddressRedaction.areHidden(in: AddressRedaction.hidden(in: own.source))
  }

  /// An imported offer that this store does not have, as it is stored. If a later sync of the same
  /// source in this store did not contain it, it is gone.
  ///
  /// - Parameter isSelection: whether the feed's document is only a selection of its offers.
  func added(_ offer: ExportedOffer, isSelection: Bool) -> ExportedOffer {
    var offer = offer
    if offer.goneAt == nil, let own, own.at > imported?.at ?? .max, hasSameSource, !isSelection {
      offer.goneAt = own.at
    }
    return offer
  }

  /// The offer of which both sides have a version.
  struct MergedOffer {
    let offer: ExportedOffer
    /// Whether its content differs from the stored one.
    let isOther: Bool
    /// Whether nothing differs.
    let isSame: Bool
  }

  func merge(_ offer: ExportedOffer, into own: ExportedOffer) -> MergedOffer {
    let times = (own.changedAt, offer.changedAt)
    let seen = (self.own?.at ?? .min, imported?.at ?? .min)
    var merged = (seen.1, times.1) > (seen.0, times.0) ? offer : own
    merged.firstSeenAt = min(own.firstSeenAt, offer.firstSeenAt)
    if offer.says(asMuchAs: own) { merged.changedAt = min(times.0, times.1) }
    let isOther = !merged.says(asMuchAs: own)
    let isSame =
      !isOther && merged.goneAt == own.goneAt && merged.firstSeenAt == own.firstSeenAt
      && merged.changedAt == own.changedAt
    return MergedOffer(offer: merged, isOther: isOther, isSame: isSame)
  }
}

/// A feed as a store has it before an import.
struct StoredFeed {
  let key: Int64
  /// The last successful sync; nil if there was none.
  let lastSuccess: SuccessfulSync?
  let hasOffers: Bool
  /// The source that a user named.
  let source: String?
}

/// A successful sync of a feed: its start in Unix seconds, and the source.
struct SuccessfulSync {
  let at: Int64
  let source: String
}
