/// A feed that has a definition, subscribed or not.
public struct KnownFeed: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  public let name: String
  /// The display name, if the definition has one.
  public let title: String?
  /// The definition's source; nil when a user has to name one.
  public let source: String?
  /// The sync interval in seconds.
  public let everySeconds: Int
  /// Whether a user set the interval, overriding the definition.
  public let hasOwnInterval: Bool
  /// Whether the definition has request headers, which may be credentials and are sent only to the
  /// feed's own server.
  public let hasHeaders: Bool
  /// How the feed's offers are shown.
  public let presentation: FeedPresentation
  /// The address of the site to which the feed belongs; nil if the definition has none.
  public let home: String?
  /// Whether the feed's server can be searched.
  public let isSearchable: Bool
  /// The place of the definition among those of the user's own file, which come first, and of the database,
  /// from 0, by which a screen can order feeds; nil for a shipped feed.
  public package(set) var position: Int?

  /// The name.
  public var id: String { name }

  /// How the feed's offers are laid out on a screen.
  public var layout: FeedLayout { presentation.layout }

  /// Creates a known feed of its parts; the properties describe them.
  public init(
    name: String, title: String? = nil, source: String?, everySeconds: Int,
    hasOwnInterval: Bool = false, hasHeaders: Bool = false,
    presentation: FeedPresentation = FeedPresentation(), home: String? = nil, isSearchable: Bool
  ) {
    self.name = name
    self.title = title
    self.presentation = presentation
    self.home = home
    self.source = source
    self.everySeconds = everySeconds
    self.hasOwnInterval = hasOwnInterval
    self.hasHeaders = hasHeaders
    self.isSearchable = isSearchable
  }
}

/// Syncs feeds. User interfaces depend on this protocol instead of on the sync engine. A call that
/// is cancelled throws `CancellationError`; a feed whose sync had not ended is unchanged.
package protocol FeedSyncer: Sendable {
  /// All feeds with a definition, sorted by name: the shipped ones and the user's own.
  func fetchKnownFeeds() async throws -> [KnownFeed]

  /// Sets the sync interval of a feed; nil returns to the interval of the definition.
  ///
  /// - Returns: whether the interval changed.
  func setInterval(_ everySeconds: Int?, of feed: String) async throws -> Bool

  /// Syncs feeds, those on different hosts concurrently.
  ///
  /// - Parameters:
  ///   - parameters: the feeds to sync, and how.
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once per feed, never concurrently; with an error when no run could be
  ///     made. A run that failed or is `quarantined` is a success that carries its error.
  /// - Throws: `CancellationError` if the task is cancelled; feeds that are not finished are
  ///   unchanged.
  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws

  /// Searches on a feed's server, and stores the offers that it returns. Pages are numbered from 1, and
  /// have `limit` offers; as many as the server's own for nil.
  ///
  /// - Throws: `OffersError` if the server cannot be searched.
  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults
}

/// The parameters of a requested sync.
package struct SyncParameters: Hashable, Sendable {
  /// The feeds' names; empty for every subscribed one.
  package var feeds: [String]
  package var reason: SyncReason
  /// The source to read, if a single feed is named; nil for the remembered source.
  package var source: SyncSource?
  /// Whether to apply removals that would be held back.
  package var acceptsRemovals: Bool
  /// Whether to keep the offers whose removal would be held back.
  package var keepsMissing: Bool

  package init(
    _ feeds: [String], reason: SyncReason = .asked, source: SyncSource? = nil,
    acceptsRemovals: Bool = false, keepsMissing: Bool = false
  ) {
    self.keepsMissing = keepsMissing
    self.feeds = feeds
    self.reason = reason
    self.source = source
    self.acceptsRemovals = acceptsRemovals
  }
}

/// The progress of a sync.
public struct SyncProgress: Hashable, Sendable {
  /// The name of the feed.
  public let feed: String
  /// Bytes read so far.
  public let bytes: Int
  /// The document's size in bytes, when it is known.
  public let totalBytes: Int?
  /// Records read so far.
  public let records: Int
  /// True once the document is read and the difference is being written.
  public let isWriting: Bool

  /// Creates a sync progress of its parts; the properties describe them.
  public init(feed: String, bytes: Int, totalBytes: Int?, records: Int, isWriting: Bool) {
    self.feed = feed
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.records = records
    self.isWriting = isWriting
  }
}

/// The result of a search on a feed's server.
public struct ServerSearchResults: Hashable, Sendable {
  /// The sync run that fetched the offers.
  public let run: SyncRun
  /// The offers in the server's order. All of them are stored.
  public let offers: [OfferRef]
  /// The last page that was read, from 1.
  public let lastPage: Int
  /// The number of the server's own pages, if the server tells it.
  public let pageCount: Int?
  /// Whether there is a next page; false if the server does not tell the number of pages.
  public let hasMore: Bool

  /// Creates a server search of its parts; the properties describe them.
  ///
  /// - Parameter hasMore: nil if `lastPage` is one of the server's own pages.
  public init(
    run: SyncRun, offers: [OfferRef], lastPage: Int, pageCount: Int?, hasMore: Bool? = nil
  ) {
    self.hasMore = hasMore ?? pageCount.map { $0 > lastPage } ?? false
    self.run = run
    self.offers = offers
    self.lastPage = lastPage
    self.pageCount = pageCount
  }
}
