/// A sorted array of offer keys with binary search.
struct SortedKeys {
  private var keys: [Int64] = []

  init() {}

  init(_ keys: some Sequence<Int64>) { self.keys = keys.sorted() }

  /// Inserts a key. Appending in ascending order is O(1).
  mutating func insert(_ key: Int64) {
    keys.insert(key, at: keys.last.map { $0 < key } ?? true ? keys.count : place(after: key))
  }

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ key: Int64) -> Bool { !find(upTo: key, count: 1).isEmpty }

  /// The elements among the `count` consecutive keys that end with `key`.
  func find(upTo key: Int64, count: Int64) -> ArraySlice<Int64> {
    let first = key.subtractingReportingOverflow(count)
    if first.overflow || count < 1 { return [] }
    return keys[place(after: first.partialValue)..<place(after: key)]
  }

  /// The number of elements up to and including `key`.
  private func place(after key: Int64) -> Int {
    var range = keys.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = keys[middle] <= key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
