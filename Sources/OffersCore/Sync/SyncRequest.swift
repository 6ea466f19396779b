/// Why a feed was synced.
public enum SyncReason: String, Hashable, Sendable {
  /// Somebody asked for it.
  case asked
  /// Its time had come.
  case due
  /// Somebody asked for it although its server wanted to be left alone.
  case forced
}

/// What a sync run asked a server for.
public struct SyncRequest: Hashable, Sendable {
  public let reason: SyncReason
  /// Requests made, redirects and pages included.
  public var requestCount = 0
  /// The last answer's status; nil when none came.
  public var status: Int?
  /// Whether the server was asked only for something newer than what is stored.
  public var isConditional = false

  public init(reason: SyncReason) {
    self.reason = reason
  }
}
