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
