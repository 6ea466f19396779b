import Foundation

/// A feed, combined from its definition and its record in the database.
public struct FeedSummary: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  public let name: String
  /// The definition's title, interval, layout and source; nil when the feed has no definition any
  /// more.
  public let known: KnownFeed?
  /// The record of the subscription; nil when the feed is not subscribed.
  public let feed: Feed?
  /// The feed as it is stored without a subscription, because it was unsubscribed or never synced
  /// successfully; nil for a subscribed feed and for one that is not stored.
  public let former: FormerFeed?

  /// The name.
  public var id: String { name }

  /// Creates a feed summary of its parts; the properties describe them.
  public init(name: String, known: KnownFeed?, feed: Feed?, former: FormerFeed? = nil) {
    self.name = name
    self.known = known
    self.feed = feed
    self.former = former
  }

  /// All feeds that are subscribed or have a definition, sorted by name.
  ///
  /// - Parameter includesKept: whether to include the others of which offers or favorites are
  ///   stored.
  package static func all(
    known: [KnownFeed], subscribed: [Feed], former: [FormerFeed], includesKept: Bool = false
  ) -> [FeedSummary] {
    let kept = includesKept ? former.filter(\.isKept).map(\.name) : []
    let names = Set(known.map(\.name)).union(subscribed.map(\.name)).union(kept).sorted()
    return names.map { name in
      FeedSummary(
        name: name, known: known.first { $0.name == name },
        feed: subscribed.first { $0.name == name }, former: former.first { $0.name == name })
    }
  }

  /// The display name: that of the last sync, or else the definition's; nil when neither has one.
  public var title: String? { feed?.title ?? former?.title ?? known?.title }

  /// How the offers are shown.
  package var presentation: FeedPresentation {
    FeedPresentation(of: known, stored: feed?.presentation)
  }

  /// The source that the next sync reads. A sync of the built-in sample does not replace the source
  /// of a definition that has one.
  ///
  /// The place that was read last is no such source: it may be that of another machine, from an import.
  package var source: String {
    guard let chosen = feed?.chosenSource ?? former?.source, chosen != SyncSource.sample.text else {
      return ownSource
    }
    return chosen
  }

  /// The source as people and programs may see it: with hidden values (`AddressRedaction`).
  package var shownSource: String { AddressRedaction.hidden(in: source) }

  /// The source of a feed for which no user has named one: the definition's source, or the built-in
  /// sample.
  package var ownSource: String { known?.source ?? Self.fallbackSource.text }

  /// The source that the program reads for a feed without one, until somebody names another. The
  /// library alone reads no source that nobody named.
  package static let fallbackSource = SyncSource.sample

  /// When the feed should be synced next; nil when it is not subscribed, has no definition, or was
  /// stopped because its server answered 410 Gone.
  ///
  /// - Parameter now: the current time, which is the result for a feed that was never synced.
  /// - Returns: a time before `now` when the feed is overdue.
  public func nextDueAt(now: Date) -> Date? {
    guard let feed, let known, feed.fetch.stoppedAt == nil else { return nil }
    guard let last = feed.lastRun else { return now }
    // A failed sync increases the failure count, except one that tried a new source: such a trial
    // does not postpone the next sync of the feed's own source.
    let isTrial = last.outcome == .failed && feed.fetch.failureCount == 0
    let counted = isTrial ? feed.lastSuccessAt ?? last.startedAt : last.startedAt
    let due = feed.fetch.nextDue(lastRunAt: counted, everySeconds: known.everySeconds)
    return due.map { max($0, feed.fetch.waitUntil ?? $0) }
  }
}

extension JSONWriter {
  /// Writes the members of a feed that `--json` and the API print.
  package mutating func writeMembers(of summary: FeedSummary, now: Date) {
    let feed = summary.feed
    member("name", summary.name)
    member("title", summary.title)
    member("subscribed", feed != nil)
    member("source", summary.shownSource)
    member("every_seconds", summary.known?.everySeconds)
    member("current", feed?.currentCount)
    member("last_run_at", feed?.lastRun?.startedAt)
    member("last_outcome", feed?.lastRun?.outcome.rawValue)
    member("next_due_at", summary.nextDueAt(now: now))
  }

  /// Writes the fetch state of a feed, or nulls.
  package mutating func writeSyncMembers(of feed: Feed?) {
    let fetch = feed?.fetch
    member("failures", fetch?.failureCount)
    member("failing_since", fetch?.failingSince)
    member("wait_until", fetch?.waitUntil)
    member("stopped_at", fetch?.stoppedAt)
    member("held_back", fetch?.held?.missingCount ?? (fetch == nil ? nil : 0))
    member("kept", feed?.keptCount)
  }
}
