import Foundation

/// How one attempt to sync a feed ended.
public enum SyncOutcome: String, Sendable, CaseIterable {
  /// The feed was read and the difference, if any, was applied.
  case updated
  /// The document is the same as last time: it was not parsed, and no offer was written.
  case unchanged
  /// The document is not believed: it is empty, probably belongs to another feed, or comes from another
  /// source and lacks many offers. No offer was removed, and of another feed's document none was stored.
  /// Removals of the feed's own document that only wait for a second one are `updated`, with
  /// ``SyncRun/held``.
  case quarantined
  /// Nothing was applied; the offers are unchanged.
  case failed
  /// The feed was not fetched, for one of the reasons in `SyncSkip`; no run is recorded.
  case skipped

  /// The word for the outcome in texts for people.
  package var word: String { self == .quarantined ? "held back" : rawValue }
}

/// The numbers of offers, by what a sync found out about them.
public struct SyncCounts: Hashable, Sendable {
  /// Offers that the store did not have.
  public var new = 0
  /// Known offers with a changed field.
  public var changed = 0
  /// Offers that the feed no longer has.
  public var gone = 0
  /// Vanished offers that the feed has again.
  public var back = 0
  /// Known offers without a change.
  public var unchanged = 0
  /// Records that are not valid offers or repeat an id.
  public var skipped = 0

  /// Creates counts of 0.
  public init() {}
}

/// A favorite that is gone, and a new offer with the same name and description.
public struct FavoriteSuccessor: Hashable, Sendable {
  /// The favorite, whose offer is gone.
  public let favorite: OfferRef
  /// The new offer that is probably the same.
  public let offer: OfferRef
  /// The new offer's name.
  public let name: String

  /// Creates a returned favorite of its parts; the properties describe them.
  public init(favorite: OfferRef, offer: OfferRef, name: String) {
    self.favorite = favorite
    self.offer = offer
    self.name = name
  }
}

/// A fault in a record, and how the reader handled it.
public struct ReadProblem: Hashable, Sendable {
  /// How a faulty record was handled.
  public enum Effect: String, Sendable {
    /// The record was discarded.
    case skipped
    /// The record was kept without the part that the reason names.
    case mended
  }

  /// The position of the record in the feed, from 1; 0 for the document as a whole.
  public let position: Int
  /// The effect of the problem on the record: skipped or mended.
  public let effect: Effect
  /// The reason, in one sentence.
  public let reason: String

  /// Creates a read problem of its parts; the properties describe them.
  public init(position: Int, effect: Effect, reason: String) {
    self.position = position
    self.effect = effect
    self.reason = reason
  }

  /// The problem as a line of text for users.
  package var summary: String {
    position == 0 ? reason : "record \(position) \(effectWord): \(reason)"
  }

  /// The word for the effect in texts for people.
  private var effectWord: String {
    switch effect {
    case .skipped: "skipped"
    case .mended: "repaired"
    }
  }

  /// The reason for skipping a record with the id of an earlier record.
  package static func repeated(_ id: String) -> String {
    "id \(id) came before; the first one counts"
  }
}

/// One attempt to sync a feed: the source, the changes and the outcome.
public struct SyncRun: Hashable, Sendable {
  /// The name of the feed.
  public let feed: String
  /// The source that was read.
  public package(set) var source: String
  /// How the run ended.
  public let outcome: SyncOutcome
  /// The numbers of offers by what happened to them.
  public package(set) var counts: SyncCounts
  /// The size of the document in bytes, after decompression.
  public let bytes: Int
  /// When the run began.
  public let startedAt: Date
  /// The duration in seconds.
  public package(set) var durationSeconds: Double
  /// Why the run failed or was quarantined.
  public package(set) var error: OffersError?
  /// The first problems of skipped or mended records, at most `problemLimit`.
  public package(set) var problems: [ReadProblem]
  /// The number of records that were kept without an invalid part.
  public let mendedCount: Int
  /// The requests to the server; nil for a source that is not on a server.
  public let request: FetchSummary?
  /// New offers that are probably gone favorites under another id; only the first few.
  public package(set) var returned: [FavoriteSuccessor]
  /// Why the feed was not fetched; nil when it was fetched.
  public let skip: SyncSkip?
  /// When the feed should be synced next; nil when that is unknown.
  public package(set) var nextDueAt: Date?
  /// The removals, or the whole document, that the sync held back; nil if it held back neither, and for a
  /// run that was read from a store.
  public package(set) var held: HeldBack?
  /// The number of offers in the feed's list after the sync, if it held back any; otherwise nil.
  package var listedCount: Int?
  /// The number of offers that the sync kept because a person asked for it.
  package var keptCount = 0

  /// Creates a sync run of its parts; the properties describe them.
  public init(
    feed: String, source: String, outcome: SyncOutcome, counts: SyncCounts = SyncCounts(),
    bytes: Int, startedAt: Date, durationSeconds: Double, error: OffersError? = nil,
    problems: [ReadProblem] = [], mendedCount: Int = 0, request: FetchSummary? = nil,
    returned: [FavoriteSuccessor] = [], skip: SyncSkip? = nil, nextDueAt: Date? = nil
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

  /// How the run ended, in texts for people.
  package var word: String { error?.code == .noNetwork ? "no network" : outcome.word }

  /// A copy of the run with other counts.
  package func with(_ counts: SyncCounts) -> SyncRun { changed { $0.counts = counts } }

  /// A copy of the run with another error.
  package func with(_ error: OffersError?) -> SyncRun { changed { $0.error = error } }

  /// A copy of the run with what is known only after the write of its offers.
  ///
  /// - Parameters:
  ///   - counts: the numbers of offers.
  ///   - problems: the problems of the records, those that the write has found included.
  ///   - returned: new offers that are probably gone favorites.
  ///   - seconds: the duration of the write.
  package func completed(
    counts: SyncCounts, problems: [ReadProblem], returned: [FavoriteSuccessor],
    writeSeconds seconds: Double
  ) -> SyncRun {
    changed {
      $0.counts = counts
      $0.problems = problems
      $0.returned = returned
      $0.durationSeconds += seconds
    }
  }

  func changed(_ change: (inout SyncRun) -> Void) -> SyncRun {
    var run = self
    change(&run)
    return run
  }

  /// The most problems that a run keeps; the others are only counted.
  public static let problemLimit = 20
}
