import Foundation

/// What is remembered of a feed and its server from one sync to the next: what its document is
/// known again by, when to ask again, and what went wrong lately.
public struct FetchState: Hashable, Sendable {
  /// The validators that the server gave with the stored document, sent back to ask whether there
  /// is another (RFC 9110, section 8.8). Nil when the stored offers are not exactly that document.
  public var etag: String?
  public var lastModified: String?
  /// Stands for the address that gave that document, a hash of it: the validators are good there
  /// only.
  public var validatedMark: String?
  /// The rules it was read by; under other rules it has to be read again.
  public var validatedRules: UInt64?
  /// When the document was last asked for without a condition.
  public var fullFetchAt: Date?
  /// When the feed should be synced next; nil for its last run and its interval.
  public var nextDueAt: Date?
  /// Until when its server asked to be left alone.
  public var waitUntil: Date?
  /// How many syncs have failed since the last that worked, and since when.
  public var failureCount = 0
  public var failingSince: Date?
  /// When its server said that the feed is gone for good.
  public var stoppedAt: Date?
  /// A permanent redirect: from where, to where, and how many syncs in a row have met it.
  public var movedFrom: String?
  public var movedTo: String?
  public var movedCount = 0
  /// How many syncs in a row had their removals held back, and since when.
  public var heldCount = 0
  public var heldSince: Date?

  public init() {}

  /// How many intervals a server can ask for between two fetches by Cache-Control, Expires or the
  /// feed's own TTL.
  public static let freshnessIntervals = 2

  /// When the feed should be synced next; nil for one that never ran and one that is stopped.
  public func nextDue(lastRunAt: Date?, everySeconds: Int) -> Date? {
    guard let lastRunAt, stoppedAt == nil else { return nil }
    let every = TimeInterval(everySeconds)
    guard let due = nextDueAt else { return lastRunAt.addingTimeInterval(every) }
    // The interval may have become shorter since.
    let latest = lastRunAt.addingTimeInterval(every * TimeInterval(Self.freshnessIntervals))
    return failureCount > 0 ? due : min(due, latest)
  }

  /// How many syncs in a row have to meet a permanent redirect before it is believed: a captive
  /// portal or a server being moved says the same for a while.
  public static let movesBelieved = 3

  /// The new address of a source that has moved for good; nil when it has not.
  public func findNewAddress(of source: String) -> String? {
    movedFrom == source && movedCount >= Self.movesBelieved ? movedTo : nil
  }
}
