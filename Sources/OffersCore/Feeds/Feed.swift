import Foundation

/// A feed that was unsubscribed, or that was never synced successfully. Its offers and favorites
/// are kept.
package struct FormerFeed: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  package let name: String
  /// The display name; nil when no sync has found one.
  package let title: String?
  /// The source that a user named; nil for the source of the definition.
  package let source: String?
  /// The number of its stored offers that are not gone.
  package let currentCount: Int
  /// The number of its stored offers that are gone.
  package let goneCount: Int
  /// The number of favorites in this feed, including gone offers and offers never synced.
  package let favoriteCount: Int

  /// The name.
  package var id: String { name }

  /// Whether offers or favorites of it are stored.
  package var isKept: Bool { currentCount > 0 || goneCount > 0 || favoriteCount > 0 }

  /// Creates a former feed of its parts; the properties describe them.
  package init(
    name: String, title: String?, source: String?, currentCount: Int = 0, goneCount: Int = 0,
    favoriteCount: Int = 0
  ) {
    self.name = name
    self.title = title
    self.source = source
    self.currentCount = currentCount
    self.goneCount = goneCount
    self.favoriteCount = favoriteCount
  }
}

/// A subscribed feed, as the database holds it.
public struct Feed: Hashable, Sendable, Identifiable {
  /// The feed that a new database of the command line is subscribed to, with its built-in sample,
  /// until a user chooses another one. The first migration inserts it.
  package static let initialName = "ibotta"

  /// The name, such as `ibotta`: lower-case letters, digits and hyphens.
  public let name: String
  /// The display name; nil until a sync has found one.
  public let title: String?
  /// The source that is read: an http(s) URL, an absolute file path, or `sample`.
  public let source: String
  /// The source that a user named; nil for the source of the definition.
  public let chosenSource: String?
  /// The number of offers that the feed had when it was last synced.
  public let currentCount: Int
  /// The number of offers that are kept although the feed no longer has them.
  public let goneCount: Int
  /// The number of favorites in this feed, including gone offers and offers never synced.
  public let favoriteCount: Int
  /// The number of offers in the list that the feed lacks, and that a user decided to keep.
  public let keptCount: Int
  /// The last attempt; nil when the feed was never synced.
  public let lastRun: SyncRun?
  /// When a sync last succeeded.
  public let lastSuccessAt: Date?
  /// The fetch state that syncs keep for the feed's server.
  package let fetch: FetchState
  /// How the offers are shown, by the definition of the last sync; nil if no sync has stored it.
  public let presentation: FeedPresentation?

  /// The number of kept offers that are not among those that are held back until a user decides.
  package var keptApartCount: Int { fetch.held.map { $0.until == nil } == true ? 0 : keptCount }

  /// Whether the last run failed to read another source than the feed's own, which works: that is the
  /// failure of the command. Such a run does not raise the count of failures.
  package var triedOther: Bool {
    guard let run = lastRun, run.outcome == .failed, lastSuccessAt != nil else { return false }
    return fetch.failureCount == 0 && fetch.stoppedAt == nil && run.error?.code != .noNetwork
  }

  /// The name.
  public var id: String { name }

  /// Creates a feed of its parts; the properties describe them.
  package init(
    name: String, title: String? = nil, source: String, currentCount: Int, goneCount: Int,
    favoriteCount: Int, keptCount: Int = 0,
    lastRun: SyncRun?, lastSuccessAt: Date?, fetch: FetchState = FetchState(),
    chosenSource: String? = nil, presentation: FeedPresentation? = nil
  ) {
    self.fetch = fetch
    self.presentation = presentation
    self.chosenSource = chosenSource
    self.name = name
    self.title = title
    self.source = source
    self.currentCount = currentCount
    self.goneCount = goneCount
    self.favoriteCount = favoriteCount
    self.keptCount = keptCount
    self.lastRun = lastRun
    self.lastSuccessAt = lastSuccessAt
  }
}

/// A feed, combined from its definition and its record in the database.
public struct FeedSummary: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  public let name: String
  /// The definition's title, interval, layout and source; nil when the feed has no definition any
  /// more.
  package let known: KnownFeed?
  /// The record of the subscription; nil when the feed is not subscribed.
  public let feed: Feed?
  /// The feed as it is stored without a subscription, because it was unsubscribed or never synced
  /// successfully; nil for a subscribed feed and for one that is not stored.
  package let former: FormerFeed?

  /// The name.
  public var id: String { name }

  /// Creates a feed summary of its parts; the properties describe them.
  package init(name: String, known: KnownFeed?, feed: Feed?, former: FormerFeed? = nil) {
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

/// The definitions of feeds, as far as a store needs them.
package protocol FeedDefinitions: Sendable {
  func defines(_ feed: String) -> Bool
}

/// The part of a feed's definition that the database keeps: its text, which `offers feeds add` and `offers
/// feeds edit` write, and the settings that override any definition of the feed.
package struct StoredDefinition: Sendable, Hashable {
  /// The feed's name.
  package let feed: String
  /// A definition file with this one feed; nil for a feed that is defined elsewhere.
  package var text: String?
  /// The sync interval that a user set, in seconds.
  package var everySeconds: Int?
  /// The ISO 4217 code of the currency that a user set.
  package var currency: String?

  package init(
    feed: String, text: String? = nil, everySeconds: Int? = nil, currency: String? = nil
  ) {
    self.feed = feed
    self.text = text
    self.everySeconds = everySeconds
    self.currency = currency
  }

  /// Whether a document of somebody else may bring this: a text of at most 1 MiB, an interval from a minute to a
  /// leap year, and a code of three letters. The text is parsed when it is used, because a newer program may have
  /// written it.
  package var isStorable: Bool {
    (text.map { (1...1 << 20).contains($0.utf8.count) } ?? true)
      && (everySeconds.map { (60...366 * 86_400).contains($0) } ?? true)
      && (currency.map { $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
        ?? true)
  }

  /// Whether nothing is kept.
  package var isEmpty: Bool { text == nil && everySeconds == nil && currency == nil }
}

/// Who named the source of a feed, which determines how far the source is trusted.
package enum SourceOrigin: String, Hashable, Sendable {
  /// A user of this machine, by `SyncOptions.source` or in a definition. Only a source with this
  /// origin may be a file or an address in a private network, and only it receives the headers of a
  /// definition.
  case machine
  /// A user of the server's web pages or API, or another caller from outside this machine.
  case remote
  /// An imported export.
  case imported = "import"
}

/// The source of a feed that was named instead of the definition's own source.
package struct ChosenSource: Hashable, Sendable {
  /// An http(s) URL, an absolute path, or `sample`.
  package let text: String
  /// Nil when the origin is unknown, because an older version of the program stored the source.
  /// Such a source is trusted no more than a `remote` one.
  package let origin: SourceOrigin?

  package init(_ text: String, origin: SourceOrigin?) {
    self.text = text
    self.origin = origin
  }
}
