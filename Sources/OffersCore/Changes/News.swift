import Foundation

/// The news for a user with favorites.
package struct News: Hashable, Sendable {
  /// The changes of favorites, the favorites that expire soon, and the new offers that are probably
  /// favorites under another id; the oldest first.
  package var changes: [OfferChange]
  /// The feeds whose syncs keep failing or whose servers answered 410 Gone, sorted by name.
  package var failing: [FailingFeed]
  /// The feeds that work again since they were reported as failing, sorted by name.
  package var recovered: [RecoveredFeed]

  package init(
    changes: [OfferChange] = [], failing: [FailingFeed] = [], recovered: [RecoveredFeed] = []
  ) {
    self.changes = changes
    self.failing = failing
    self.recovered = recovered
  }

  package var isEmpty: Bool { changes.isEmpty && failing.isEmpty && recovered.isEmpty }

  /// The time for which a feed must have failed to be reported, in seconds.
  package static let failingSeconds = 24.0 * 3600
  /// The period that a reader's first news covers, in seconds.
  package static let firstReadSeconds = 7 * 86_400.0

  /// A feed that works again is news if people were told of its failure within this time: a day more than the
  /// longest back-off.
  package static let recoverySeconds = 9 * 86_400
}

/// A feed whose syncs have failed for `News.failingSeconds`, or whose server answered 410 Gone.
package struct FailingFeed: Hashable, Sendable {
  package let name: String
  /// When the first of the consecutive failed syncs ran.
  package let since: Date
  /// The number of consecutive failed syncs.
  package let failureCount: Int
  /// The error message of the last attempt; nil if that has none.
  package let message: String?
  /// When the feed was last tried; a run without a network is no attempt.
  package let triedAt: Date
  /// When it is tried next; nil for a feed that is stopped.
  package let nextDueAt: Date?
  /// When the server answered 410 Gone; nil for a feed that is retried.
  package let stoppedAt: Date?

  package init(
    name: String, since: Date, failureCount: Int, message: String?, triedAt: Date,
    nextDueAt: Date? = nil, stoppedAt: Date? = nil
  ) {
    self.triedAt = triedAt
    self.nextDueAt = nextDueAt
    self.stoppedAt = stoppedAt
    self.name = name
    self.since = since
    self.failureCount = failureCount
    self.message = message
  }
}

/// A feed that works again.
package struct RecoveredFeed: Hashable, Sendable {
  package let name: String
  /// When it was last synced.
  package let at: Date

  package init(name: String, at: Date) {
    self.name = name
    self.at = at
  }
}

extension News {
  /// Whether a candidate is news: a change of a favorite or a favorite that expires, but no new offer
  /// unless it is probably a favorite under another id. No expired offer is news, nor is another address
  /// of a picture or link alone.
  package static func tells(_ change: OfferChange, at now: Date) -> Bool {
    guard let offer = change.offer, !offer.isExpired(at: now) else { return false }
    let addresses = [OfferField.imageURL.name, OfferField.url.name]
    if change.kind == .changed, change.fields.allSatisfy(addresses.contains) { return false }
    return change.kind != .new || change.returned != nil
  }
}

extension FailingFeed {
  /// The subject of a notice about the feed, which is delivered once: the number of the day (UTC,
  /// since 1970) of the last attempt, so that it is repeated on each day with one; or, for a feed whose
  /// server answered 410 Gone, the time of that answer.
  package var noticeSubject: Int64 {
    stoppedAt.map { $0.storedSeconds } ?? triedAt.storedSeconds / 86_400
  }
}

extension Feed {
  /// Since when the feed has stopped: its server says that it is gone for good, or its last attempt failed
  /// a day or more after the first failure; nil for a feed that works.
  ///
  /// - Returns: a text for people, such as `stopped on 5 Nov`.
  package func stopText(at now: Date) -> String? {
    let triedAt = lastRun?.startedAt ?? now
    let failing = fetch.failingSince.flatMap {
      triedAt.timeIntervalSince($0) >= News.failingSeconds ? $0 : nil
    }
    return (fetch.stoppedAt ?? failing).map { "stopped on \(Units.shortDay($0, at: now))" }
  }
}
