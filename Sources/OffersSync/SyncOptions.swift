import OffersCore

/// What a caller can choose about a sync.
public struct SyncOptions: Hashable, Sendable {
  /// The source to read instead of the remembered one: an http(s) URL, a path, `-` for standard
  /// input, or `sample`. It is remembered once a sync from it has worked, with who named it. A
  /// variable (`{env:NAME}`) may stand in definitions only.
  public var source: String?
  /// Takes removals for true even when they would be held back.
  public var acceptsRemovals: Bool
  /// How long to wait for another process that syncs the same feed.
  public var lockWaitSeconds: Double
  public var limits: FetchLimits
  /// What to search for, in a feed whose server searches; nil for the feed itself.
  public var query: String?
  /// The page to begin with, from 1, of a feed whose pages have numbers.
  public var firstPage: Int
  /// Most pages to read of a feed that has pages; nil for what its definition says.
  public var pages: Int?
  /// Whether to keep the search index; else it is made anew when it is next needed.
  public var isIndexed: Bool
  /// Why the feed is synced: `due` leaves out what is not due, `forced` asks a server although it
  /// wanted to be left alone.
  public var reason: SyncReason
  /// Whether a person at the machine names `source`, so that it may be one of the machine's own: a
  /// file, standard input, or a server in a private network. Otherwise it is an http(s) URL on the
  /// public internet or `sample`, in later syncs, too, and none for a feed whose definition sends
  /// headers. Does not matter where `source` is nil.
  public var sourceMayBePrivate: Bool
  /// Follows sources that were not named at the machine, redirects and next pages into private
  /// networks, too.
  public var allowsPrivateNetwork: Bool

  public init(
    source: String? = nil, acceptsRemovals: Bool = false, lockWaitSeconds: Double = 5,
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
