import Foundation
import OffersCore

/// What somebody who stars offers wants to be told.
package struct News: Hashable, Sendable {
  /// What happened to favorites, oldest first, and the new offers that are probably favorites come
  /// back under another id.
  package var changes: [OfferChange]
  /// The feeds that keep failing, by name.
  package var failing: [FailingFeed]

  package init(changes: [OfferChange] = [], failing: [FailingFeed] = []) {
    self.changes = changes
    self.failing = failing
  }

  package var isEmpty: Bool { changes.isEmpty && failing.isEmpty }

  /// How long a feed has to keep failing before it is told, in seconds.
  package static let failingSeconds = 24.0 * 3600
  /// How far back the news go for somebody who never read any, in seconds.
  package static let firstReadSeconds = 7 * 86_400.0
}

/// A feed none of whose syncs has worked for a while.
package struct FailingFeed: Hashable, Sendable {
  package let name: String
  /// When the first of these syncs failed.
  package let since: Date
  /// How many have failed.
  package let failureCount: Int
  /// Why the last one failed.
  package let message: String?
  /// When its server said that it is gone for good; nil for one that is tried again.
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
