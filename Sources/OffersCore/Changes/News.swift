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

extension News {
  /// Whether a candidate is news: a change of a favorite or a favorite that expires, but no new offer
  /// unless it is probably a favorite under another id. No expired offer is news.
  package static func tells(_ change: OfferChange, at now: Date) -> Bool {
    guard let offer = change.offer, !offer.isExpired(at: now) else { return false }
    return change.kind != .new || change.returned != nil
  }
}

extension FailingFeed {
  /// The subject of a notice about the feed, which is delivered once: the number of the day (UTC,
  /// since 1970), so that it is repeated daily; or, for a feed whose server answered 410 Gone, the
  /// time of that answer.
  ///
  /// - Parameter seconds: the present time, in Unix seconds.
  package func noticeSubject(at seconds: Int64) -> Int64 {
    stoppedAt.map { $0.storedSeconds } ?? seconds / 86_400
  }
}
