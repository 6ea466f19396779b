import Foundation
import OffersCore

/// A feed in memory.
struct MemoryFeed: Sendable {
  var source: String
  /// The source that a user named instead of the definition's own.
  var namedSource: NamedSource?
  /// When the feed was unsubscribed, or first failed; nil while it is subscribed.
  var unsubscribedAt: Date?
  var title: String?
  /// The attributes that all offers of the feed share.
  var shared: [OfferAttribute] = []
  /// How the offers are shown, by the definition of the last sync.
  var presentation: FeedPresentation?
  var document: DocumentFingerprint?
  /// The current offers that the last document lacks.
  var missing: [MissingOffer] = []
  /// Nil if the feed was never fetched.
  var fetch: FetchState?
  /// The recorded runs, the last one last.
  var runs: [SyncRun] = []

  var isSubscribed: Bool { unsubscribedAt == nil }

  /// The last run that succeeded.
  var lastGoodRun: SyncRun? { runs.last { $0.outcome == .updated || $0.outcome == .unchanged } }
}

extension SyncRun {
  /// The run as it is told later: without the problems of its records and its requests, and its start
  /// in whole seconds.
  var recorded: SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt.inSeconds, durationSeconds: durationSeconds, error: error,
      mendedCount: mendedCount)
  }
}

extension Date {
  /// The time in whole seconds, as stores keep it.
  var inSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
