import Foundation

/// The news for a user with favorites.
package struct News: Hashable, Sendable {
  /// The changes of favorites, the favorites that expire soon, and the new offers that are probably
  /// favorites under another id; the oldest first.
  package var changes: [OfferChange]
  /// The feeds whose syncs keep failing or whose servers answered 410 Gone, sorted by name.
  package var failing: [FailingFeed]

  package init(changes: [OfferChange] = [], failing: [FailingFeed] = []) {
    self.changes = changes
    self.failing = failing
  }

  package var isEmpty: Bool { changes.isEmpty && failing.isEmpty }

  /// The time for which a feed must have failed to be reported, in seconds.
  package static let failingSeconds = 24.0 * 3600
  /// The period that a reader's first news covers, in seconds.
  package static let firstReadSeconds = 7 * 86_400.0
}

/// A feed whose syncs have failed for `News.failingSeconds`, or whose server answered 410 Gone.
package struct FailingFeed: Hashable, Sendable {
  package let name: String
  /// When the first of the consecutive failed syncs ran.
  package let since: Date
  /// The number of consecutive failed syncs.
  package let failureCount: Int
  /// The error message of the feed's last run; nil if that run has none.
  package let message: String?
  /// When the server answered 410 Gone; nil for a feed that is retried.
  package let stoppedAt: Date?

  package init(
    name: String, since: Date, failureCount: Int, message: String?, stoppedAt: Date? = nil
  ) {
    self.stoppedAt = stoppedAt
    self.name = name
    self.since = since
    self.failureCount = failureCount
    self.message = message
  }
}
