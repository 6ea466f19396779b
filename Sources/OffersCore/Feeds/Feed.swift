import Foundation

/// A feed that was unsubscribed, or that was never synced successfully. Its offers and favorites
/// are kept.
public struct FormerFeed: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  public let name: String
  /// The display name; nil when no sync has found one.
  public let title: String?
  /// The source that a user named; nil for the source of the definition.
  public let source: String?
  /// The number of its stored offers that are not gone.
  public let currentCount: Int
  /// The number of its stored offers that are gone.
  public let goneCount: Int
  /// The number of favorites in this feed, including gone offers and offers never synced.
  public let favoriteCount: Int

  /// The name.
  public var id: String { name }

  /// Whether offers or favorites of it are stored.
  package var isKept: Bool { currentCount > 0 || goneCount > 0 || favoriteCount > 0 }

  /// Creates a former feed of its parts; the properties describe them.
  public init(
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
  public let fetch: FetchState
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
  public init(
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
