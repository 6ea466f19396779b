import Foundation

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

/// The bound on the number of changes and on their size, whatever their age. Of those that concern
/// no favorite, the oldest are removed first.
///
/// Change numbers are counted instead of rows, because the newest and the oldest number are known
/// without a scan: at most `count` of the newest numbers are kept. So the changes that were removed
/// with their offers count, too; the offers of a feed's first sync, which share a row, do not.
package struct HistoryLimit: Sendable {
  /// The number of changes above which the oldest are removed.
  package let count: Int64

  /// The estimated size of the changes, in bytes, above which the oldest are removed.
  package let bytes: Int

  package init(count: Int64, bytes: Int = 1_000_000_000) {
    self.count = count
    self.bytes = bytes
  }

  /// 2,000,000 changes take about 250 MB with texts of a usual length. An hourly sync that changes
  /// 200 offers each time stays below it for the 400 days after which changes are removed anyway.
  package static let standard = HistoryLimit(count: 2_000_000)

  /// The number of changes to keep: `count`, or fewer if they are large.
  package func count(for size: HistorySize) -> Int64 {
    if size.bytes <= bytes { return count }
    return min(count, Int64(clamped: Double(size.count) * Double(bytes) / Double(size.bytes)))
  }

  /// The number of changes that are left by a pruning, so that not every sync removes some: an eighth
  /// less.
  package static func left(of count: Int64) -> Int64 { count - count / 8 }
}

/// The history's size and bound.
package struct HistorySize: Hashable, Sendable {
  /// The number of records of changes. A record may stand for all changes of a feed's first sync.
  package let count: Int
  /// The size of the records in bytes. It may be estimated.
  package let bytes: Int
  /// The number of records above which the oldest are removed.
  package let limit: Int
  /// The size above which the oldest are removed, in bytes.
  package let maximumBytes: Int

  package init(count: Int, bytes: Int, limit: Int, maximumBytes: Int) {
    self.count = count
    self.bytes = bytes
    self.limit = limit
    self.maximumBytes = maximumBytes
  }
}

/// The numbers of offers, changes and runs that pruning removed, or would remove.
package struct PruneCounts: Hashable, Sendable {
  package var offers = 0
  package var changes = 0
  package var runs = 0
  /// The time from which ages were counted instead of the present one, because the last syncs do not
  /// confirm the clock; nil if they do.
  package var countedFrom: Date?

  package init() {}
}
