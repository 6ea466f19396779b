/// The ages at which rows are removed, in seconds, and the maximum number of offers that searches found.
///
/// Kept for ever: favorites and their offers, the changes of favorites, the last and the last
/// successful run of each feed, and named sources. Recent searches and images are bounded by their
/// number, not by their age; see `RecentSearch` and `ImageCacheLimits`.
package enum Retention {
  /// The age of changes, and of runs without other references: a little more than a year.
  package static let historySeconds = 400 * daySeconds
  /// The age of runs that changed no offer.
  package static let idleRunSeconds = 30 * daySeconds
  /// The age of delivered notices. One whose subject is still to come is kept until then.
  package static let noticeSeconds = 60 * daySeconds
  /// The age of vanished offers, counted from when they vanished.
  package static let vanishedOfferSeconds = 30 * daySeconds
  /// The maximum number of offers, of all feeds together, that only searches on the feeds' servers found and
  /// that are no favorites. A search that exceeds it removes those whose last find is oldest.
  package static let foundOfferLimit = 5000

  package static let daySeconds: Int64 = 86_400
}
