import Foundation

/// A feed as its definition and the database know it.
package struct FeedSummary: Sendable {
  package let name: String
  /// Nil when nothing says any more how it is read.
  package let known: KnownFeed?
  /// Nil when it is not subscribed.
  package let feed: Feed?
  /// Not nil when it was subscribed before.
  package let former: FormerFeed?

  package init(name: String, known: KnownFeed?, feed: Feed?, former: FormerFeed? = nil) {
    self.name = name
    self.known = known
    self.feed = feed
    self.former = former
  }

  /// All that are subscribed or can be, by name.
  package static func all(
    known: [KnownFeed], subscribed: [Feed], former: [FormerFeed]
  ) -> [FeedSummary] {
    let names = Set(known.map(\.name)).union(subscribed.map(\.name)).sorted()
    return names.map { name in
      FeedSummary(
        name: name, known: known.first { $0.name == name },
        feed: subscribed.first { $0.name == name }, former: former.first { $0.name == name })
    }
  }

  package var title: String? { feed?.title ?? former?.title ?? known?.title }

  /// Where the next sync reads it from. A sample that was tried is not remembered where the feed has
  /// a source of its own.
  package var source: String {
    guard let chosen = feed?.source ?? former?.source, chosen != Self.sample else {
      return ownSource
    }
    return chosen
  }

  /// Where it is read from when nobody named a source, whatever it was read from before.
  package var ownSource: String { known?.source ?? Self.sample }

  private static let sample = "sample"

  /// When it should be synced next; nil when it is not subscribed, has no definition any more, or
  /// when nothing but a person starts it again.
  package func nextDueAt(now: Date) -> Date? {
    guard let feed, let known, feed.fetch.stoppedAt == nil else { return nil }
    guard let last = feed.lastRun else { return now }
    // A failure that is not counted is one of another source that was tried.
    let isTrial = last.outcome == .failed && feed.fetch.failureCount == 0
    let counted = isTrial ? feed.lastSuccessAt ?? last.startedAt : last.startedAt
    let due = feed.fetch.nextDue(lastRunAt: counted, everySeconds: known.everySeconds)
    return due.map { max($0, feed.fetch.waitUntil ?? $0) }
  }
}

extension JSONWriter {
  /// Writes what every `--json` and the API print of a feed.
  package mutating func writeMembers(of summary: FeedSummary, now: Date) {
    let feed = summary.feed
    member("name", summary.name)
    member("title", summary.title)
    member("subscribed", feed != nil)
    member("source", summary.source)
    member("every_seconds", summary.known?.everySeconds)
    member("current", feed?.currentCount)
    member("last_run_at", feed?.lastRun?.startedAt)
    member("last_outcome", feed?.lastRun?.outcome.rawValue)
    member("next_due_at", summary.nextDueAt(now: now))
  }

  /// Writes what is remembered of a feed's syncs.
  package mutating func writeSyncMembers(of feed: Feed?) {
    let fetch = feed?.fetch
    member("failures", fetch?.failureCount)
    member("failing_since", fetch?.failingSince)
    member("wait_until", fetch?.waitUntil)
    member("stopped_at", fetch?.stoppedAt)
    member("held_back", fetch?.heldCount)
  }
}
