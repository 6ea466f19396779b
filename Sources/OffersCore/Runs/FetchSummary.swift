/// Why a feed was synced.
public enum SyncReason: String, Hashable, Sendable {
  /// A user asked for the sync.
  case asked
  /// The feed was due.
  case due
  /// A user asked for the sync although the server had requested a pause, or the feed was stopped.
  case forced
}

/// The requests of a sync run to a server.
public struct FetchSummary: Hashable, Sendable {
  /// Why the sync was made.
  public let reason: SyncReason
  /// The number of requests, including redirects and pages.
  public var requestCount = 0
  /// The HTTP status of the last response; nil when there was none.
  public var status: Int?
  /// Whether the request was conditional: the server was asked to send the document only if it is
  /// newer than the stored one.
  public var isConditional = false

  /// Creates a sync request of its parts; the properties describe them.
  public init(reason: SyncReason) {
    self.reason = reason
  }
}
