import Foundation

/// How one attempt to sync a feed ended.
public enum SyncOutcome: String, Sendable, CaseIterable {
  /// The feed was read and the difference, if any, was applied.
  case updated
  /// The same bytes as last time: nothing was read further and no offer was written.
  case unchanged
  /// Removals were held back because too many offers would have vanished.
  case quarantined
  /// Nothing was applied; the offers are what they were.
  case failed
  /// It was not its time; nothing was asked of anybody, and nothing is recorded.
  case skipped
}

/// What a sync found, in offers.
public struct SyncCounts: Hashable, Sendable {
  public var new = 0
  public var changed = 0
  public var gone = 0
  public var back = 0
  public var unchanged = 0
  /// Records that could not be read as offers.
  public var skipped = 0

  public init() {}

  /// Offers that the database holds differently than before.
  public var applied: Int { new + changed + gone + back }
}

/// A favorite that is gone, and a new offer with the same name and description.
public struct ReturnedFavorite: Hashable, Sendable {
  public let favorite: OfferRef
  public let offer: OfferRef
  public let name: String

  public init(favorite: OfferRef, offer: OfferRef, name: String) {
    self.favorite = favorite
    self.offer = offer
    self.name = name
  }
}

/// Something about one record that a reader had to decide.
public struct ReadProblem: Hashable, Sendable {
  /// What became of the record.
  public enum Effect: String, Sendable {
    /// It is not an offer; nothing of it was kept.
    case skipped
    /// It was kept, without the part that the reason names.
    case mended
  }

  /// The record's place in the feed, counted from 1; 0 for the document as a whole.
  public let position: Int
  public let effect: Effect
  public let reason: String

  public init(position: Int, effect: Effect, reason: String) {
    self.position = position
    self.effect = effect
    self.reason = reason
  }

  /// The problem as people read it.
  package var summary: String {
    position == 0 ? reason : "record \(position) \(effect.rawValue): \(reason)"
  }

  /// The reason given for a record whose id an earlier record had.
  package static func repeated(_ id: String) -> String {
    "id \(id) came before; the first one counts"
  }
}

/// One attempt on one feed: what it read, what it changed, how it ended.
public struct SyncRun: Hashable, Sendable {
  public let feed: String
  /// The source that was read.
  public let source: String
  public let outcome: SyncOutcome
  public let counts: SyncCounts
  /// Size of the document in bytes, after decompression.
  public let bytes: Int
  public let startedAt: Date
  public let durationSeconds: Double
  /// Why the run failed or was quarantined.
  public let error: OffersError?
  /// The first few records that were skipped or mended.
  public let problems: [ReadProblem]
  /// Records kept without a part that could not be read.
  public let mendedCount: Int
  /// What was asked of a server; nil for a source that is none.
  public let request: SyncRequest?
  /// New offers that are probably favorites come back under another id, the first few.
  public let returned: [ReturnedFavorite]
  /// Why the feed was not fetched; nil when it was.
  public let skip: SyncSkip?
  /// When the feed should be synced next; nil where that is not known.
  public let nextDueAt: Date?

  public init(
    feed: String, source: String, outcome: SyncOutcome, counts: SyncCounts = SyncCounts(),
    bytes: Int, startedAt: Date, durationSeconds: Double, error: OffersError? = nil,
    problems: [ReadProblem] = [], mendedCount: Int = 0, request: SyncRequest? = nil,
    returned: [ReturnedFavorite] = [], skip: SyncSkip? = nil, nextDueAt: Date? = nil
  ) {
    self.skip = skip
    self.nextDueAt = nextDueAt
    self.request = request
    self.returned = returned
    self.feed = feed
    self.source = source
    self.outcome = outcome
    self.counts = counts
    self.bytes = bytes
    self.startedAt = startedAt
    self.durationSeconds = durationSeconds
    self.error = error
    self.problems = problems
    self.mendedCount = mendedCount
  }

  /// The run with other counts.
  package func with(_ counts: SyncCounts) -> SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt, durationSeconds: durationSeconds, error: error, problems: problems,
      mendedCount: mendedCount, request: request, returned: returned, skip: skip,
      nextDueAt: nextDueAt)
  }

  /// How many problems a run keeps with their reasons; the rest are only counted.
  public static let problemLimit = 20
}
