/// A feed that can be read, subscribed or not.
public struct KnownFeed: Hashable, Sendable {
  public let name: String
  /// The name for people, where the definition has one.
  public let title: String?
  /// Where it is read from when nobody says otherwise; nil for one whose source a person names.
  public let source: String?
  /// How often it is synced, in seconds.
  public let everySeconds: Int
  /// How its offers are shown on a screen.
  public let layout: FeedLayout
  /// Whether its server can be asked for words.
  public let isSearchable: Bool

  public init(
    name: String, title: String? = nil, source: String?, everySeconds: Int,
    layout: FeedLayout = .grid, isSearchable: Bool
  ) {
    self.name = name
    self.title = title
    self.layout = layout
    self.source = source
    self.everySeconds = everySeconds
    self.isSearchable = isSearchable
  }
}

/// Brings feeds up to date, for a screen that does not know how.
public protocol FeedSyncer: Sendable {
  /// The feeds there are, by name: shipped ones and a person's own.
  func fetchKnownFeeds() throws -> [KnownFeed]

  /// Syncs feeds, those on different hosts side by side.
  ///
  /// - Parameters:
  ///   - feeds: their names; empty for every subscribed one.
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once a feed, one at a time; with the error of one of which no run could
  ///     be made.
  func sync(
    _ feeds: [String], reason: SyncReason,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws

  /// Lets the server of a feed search, and keeps what it finds.
  ///
  /// - Parameter page: which page, from 1.
  func search(_ feed: String, for words: String, page: Int) async throws -> ServerSearch
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
