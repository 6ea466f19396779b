/// A feed that can be read, subscribed or not.
public struct KnownFeed: Hashable, Sendable {
  public let name: String
  /// The name for people, where the definition has one.
  public let title: String?
  /// Where it is read from when nobody says otherwise; nil for one whose source a person names.
  public let source: String?
  /// How often it is synced, in seconds.
  public let everySeconds: Int
  /// Whether a person chose how often, and not the definition.
  public let hasOwnInterval: Bool
  /// Whether its server gets headers of its own, which no other one shall see.
  public let hasHeaders: Bool
  /// How its offers are shown on a screen.
  public let layout: FeedLayout
  /// Whether its server can be asked for words.
  public let isSearchable: Bool

  public init(
    name: String, title: String? = nil, source: String?, everySeconds: Int,
    hasOwnInterval: Bool = false, hasHeaders: Bool = false, layout: FeedLayout = .grid,
    isSearchable: Bool
  ) {
    self.name = name
    self.title = title
    self.layout = layout
    self.source = source
    self.everySeconds = everySeconds
    self.hasOwnInterval = hasOwnInterval
    self.hasHeaders = hasHeaders
    self.isSearchable = isSearchable
  }
}

/// Brings feeds up to date, for a screen that does not know how.
public protocol FeedSyncer: Sendable {
  /// The feeds there are, by name: shipped ones and a person's own.
  func fetchKnownFeeds() throws -> [KnownFeed]

  /// Sets how often a feed is synced.
  ///
  /// - Parameter everySeconds: nil for what its definition says.
  /// - Returns: whether that was otherwise.
  func setInterval(_ everySeconds: Int?, of feed: String) async throws -> Bool

  /// Syncs feeds, those on different hosts side by side.
  ///
  /// - Parameters:
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once a feed, one at a time; with the error of one of which no run could
  ///     be made.
  func sync(
    _ wanted: WantedSync,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws

  /// Lets the server of a feed search, and keeps what it finds.
  ///
  /// - Parameter page: which page, from 1.
  func search(_ feed: String, for words: String, page: Int) async throws -> ServerSearch
}

/// A sync as somebody wants it.
public struct WantedSync: Hashable, Sendable {
  /// The feeds' names; empty for every subscribed one.
  public var feeds: [String]
  public var reason: SyncReason
  /// Where to read the one feed from; nil for where it was read from last.
  public var source: String?
  /// Takes removals for true even when they would be held back.
  public var acceptsRemovals: Bool

  public init(
    _ feeds: [String], reason: SyncReason = .asked, source: String? = nil,
    acceptsRemovals: Bool = false
  ) {
    self.feeds = feeds
    self.reason = reason
    self.source = source
    self.acceptsRemovals = acceptsRemovals
  }
}

/// How far a sync has come.
public struct SyncProgress: Hashable, Sendable {
  public let feed: String
  /// Bytes read so far.
  public let bytes: Int
  /// The document's size, when it is known.
  public let totalBytes: Int?
  /// Records read so far.
  public let records: Int
  /// True once all is read and the difference is being written.
  public let isWriting: Bool

  public init(feed: String, bytes: Int, totalBytes: Int?, records: Int, isWriting: Bool) {
    self.feed = feed
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.records = records
    self.isWriting = isWriting
  }
}

/// What the server of a feed found.
public struct ServerSearch: Sendable {
  /// The sync that brought it; its `error` says why there is nothing.
  public let run: SyncRun
  /// The offers in the server's order; they are stored now.
  public let offers: [OfferRef]
  /// The last page that was read, from 1.
  public let lastPage: Int
  /// How many pages there are, where the server says so.
  public let pageCount: Int?

  public init(run: SyncRun, offers: [OfferRef], lastPage: Int, pageCount: Int?) {
    self.run = run
    self.offers = offers
    self.lastPage = lastPage
    self.pageCount = pageCount
  }

  /// Whether there is a next page.
  public var hasMore: Bool { pageCount.map { $0 > lastPage } ?? false }
}
