import OffersCore

/// The options of a sync.
public struct SyncOptions: Hashable, Sendable {
  /// The source to read instead of the remembered one or the definition's. After a successful sync it
  /// is remembered, together with its origin. Variables (`{env:NAME}`) are allowed in definitions
  /// only.
  public var source: SyncSource?
  /// The source of a feed that has none: the program reads the sample.
  package var fallbackSource: SyncSource?
  /// Whether to apply removals that would otherwise be held back.
  public var acceptsRemovals: Bool
  /// The longest wait for another process that syncs the same feed.
  public var lockWaitSeconds: Double
  /// The limits of size and time for each request.
  public var limits: FetchLimits
  /// The words to search for on the feed's server; nil to sync the feed.
  public var query: String?
  /// The number of the first page to read, from 1, for a feed with numbered pages.
  public var firstPage: Int
  /// The maximum number of pages to read; nil for the definition's.
  public var pages: Int?
  /// Whether to update the search index; otherwise it is rebuilt when it is next needed.
  public var isIndexed: Bool
  /// The reason of the sync: `due` skips a feed that is not due, `forced` sends a request even if
  /// the server asked for none.
  public var reason: SyncReason
  /// Whether the user of this machine names `source`, so that it may be a file, standard input, or
  /// a server in a private network.
  ///
  /// Otherwise the source must be the sample or an http(s) URL on the public internet, also in later
  /// syncs, and a feed whose definition sends headers accepts none. Ignored if `source` is nil.
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
