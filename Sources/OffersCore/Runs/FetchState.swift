import Foundation

/// The state that is kept between the syncs of a feed: the document's validators, the time of the
/// next request, and recent failures.
package struct FetchState: Hashable, Sendable {
  /// The validators of the stored document, sent in conditional requests (RFC 9110, sections 8.8
  /// and 13). Nil when the stored offers are not exactly that document.
  package var etag: String?
  /// The `Last-Modified` of the stored document; nil without one.
  package var lastModified: String?
  /// A hash of the address that the document came from; the validators are valid for that address
  /// only.
  package var validatedMark: String?
  /// A hash of the rules that the document was read with. Under other rules it is fetched again
  /// unconditionally.
  package var validatedRules: UInt64?
  /// When the document was last requested without a condition.
  package var fullFetchAt: Date?
  /// When the feed should be synced next; nil for one interval after its last run.
  package var nextDueAt: Date?
  /// Until when the server asked for no requests (Retry-After).
  package var waitUntil: Date?
  /// The number of consecutive failed syncs, and when the first of them ran.
  package var failureCount = 0
  /// The start of the first of the consecutive failures; nil after a success.
  package var failingSince: Date?
  /// When the server said that the feed is gone permanently (410 Gone).
  package var stoppedAt: Date?
  /// A permanent redirect: its origin, its target, and the number of consecutive syncs that met it.
  package var movedFrom: String?
  /// The address of a permanent redirect; nil without one.
  package var movedTo: String?
  /// The number of consecutive syncs that were redirected permanently to `movedTo`.
  package var movedCount = 0
  /// The removals, or the whole document, that the last sync held back; nil if it held back neither.
  package var held: HeldBack?

  /// Creates the state of a feed that was never fetched.
  package init() {}

  /// The longest time between two fetches that a server can demand by Cache-Control, Expires or the
  /// feed's own TTL, in sync intervals.
  package static let freshnessIntervals = 2

  /// When the feed should be synced next; nil when it never ran or is stopped.
  package func nextDue(lastRunAt: Date?, everySeconds: Int) -> Date? {
    guard let lastRunAt, stoppedAt == nil else { return nil }
    let every = TimeInterval(everySeconds)
    guard let due = nextDueAt else { return lastRunAt.addingTimeInterval(every) }
    // The user may have shortened the interval after the due time was stored.
    let latest = lastRunAt.addingTimeInterval(every * TimeInterval(Self.freshnessIntervals))
    return failureCount > 0 ? due : min(due, latest)
  }

  /// The number of consecutive syncs that must meet a permanent redirect before its target replaces
  /// the source: captive portals and misconfigured servers send false redirects for a while.
  package static let movesBelieved = 3

  /// The new address of a source that has moved permanently; nil when it has not.
  package func findNewAddress(of source: String) -> String? {
    movedFrom == source && movedCount >= Self.movesBelieved ? movedTo : nil
  }
}
