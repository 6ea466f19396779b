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
