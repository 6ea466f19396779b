import OffersCore

/// The options of a sync.
public struct SyncOptions: Hashable, Sendable {
  /// The source to read instead of the remembered one or the definition's; nil to read that.
  ///
  /// After a successful sync it is remembered, together with its origin, except for standard input,
  /// and for the sample if the definition has a source. It must not contain variables
  /// (`{env:NAME}`), unless it equals the definition's source.
  public var source: SyncSource?
  /// The source of a feed that has neither a remembered one nor one in its definition; nil for
  /// none. The command-line program and its server set the sample.
  package var fallbackSource: SyncSource?
  /// Whether to apply removals that would otherwise be held back, because so many offers are
  /// missing that the document is probably faulty.
  public var acceptsRemovals: Bool
  /// Whether to keep the offers whose removal would be held back, until the feed has them again or
  /// removals are accepted.
  public var keepsMissing = false
  /// The longest wait for another sync of the same feed, in this process or another one.
  public var lockWaitSeconds: Double
  /// The limits of size and time for each request.
  public var limits: FetchLimits
  /// The words to search for on the feed's server; nil to sync the feed.
  public var query: String?
  /// The first page to read, counted from 1 whatever number the feed's own numbering begins with.
  /// Ignored for a source without `{page}`.
  public var firstPage: Int
  /// The maximum number of pages to read; nil for the definition's.
  public var pages: Int?
  /// Whether to update the store's search index; otherwise it is rebuilt when it is next needed.
  public var isIndexed: Bool
  /// The reason of the sync. `due` skips a feed that is not due. `forced` syncs even if the server
  /// requested a pause, or the feed is stopped because it is gone (410).
  public var reason: SyncReason
  /// Whether the user of this machine names `source`, so that it may be a file, standard input, or
  /// a server in a private network.
  ///
  /// Otherwise the source must be the sample or an http(s) URL on the public internet, also in
  /// later syncs, and no URL if the feed's definition has headers. A URL that is the feed's source
  /// already keeps its trust. Ignored if `source` is nil.
  public var sourceMayBePrivate: Bool
  /// Whether redirects, next pages, and sources that the user of this machine did not name may lead
  /// into private networks.
  public var allowsPrivateNetwork: Bool

  /// Creates options. Without arguments the feed is synced from its usual source.
  public init(
    source: SyncSource? = nil, acceptsRemovals: Bool = false, lockWaitSeconds: Double = 5,
    limits: FetchLimits = FetchLimits(), query: String? = nil, firstPage: Int = 1,
    pages: Int? = nil, isIndexed: Bool = true, reason: SyncReason = .asked,
    sourceMayBePrivate: Bool = true, allowsPrivateNetwork: Bool = false
  ) {
    self.firstPage = firstPage
    self.isIndexed = isIndexed
    self.reason = reason
    self.sourceMayBePrivate = sourceMayBePrivate
    self.allowsPrivateNetwork = allowsPrivateNetwork
    self.source = source
    self.acceptsRemovals = acceptsRemovals
    self.lockWaitSeconds = lockWaitSeconds
    self.limits = limits
    self.query = query
    self.pages = pages
  }
}
