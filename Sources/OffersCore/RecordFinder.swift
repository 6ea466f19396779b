/// Finds the records of a feed's last document again in another, mostly in their order.
public struct RecordFinder: Sendable {
  private let records: [RememberedRecord]
  private let seed: UInt64
  /// The record behind the one found last.
  private var next = 0
  /// The records by their starts. Made when one first stands elsewhere than expected.
  private var index: SlotIndex?

  /// How many more records may be looked for in vain. A document that was written anew, with other
  /// white space, has none of them.
  private var patience = 256

  private static let patienceForFound = 4
  /// How many records may be missing at a place without a search for the one behind them.
  private static let nearCount = 3
  /// How many records with one start are looked at.
  private static let lookLimit = 4

  /// - Parameter seed: stands for the rules by which the document is read.
  public init(_ records: [RememberedRecord], seed: UInt64) {
    self.records = records
    self.seed = seed
    if records.isEmpty { patience = 0 }
  }

  /// Says that the offer of a record that was not found has a key: the record behind the one that it
  /// had is expected next.
  public mutating func pass(key: Int64) {
    if next < records.count, Int64(records[next].key) == key { next += 1 }
  }

  /// The record that some bytes begin with; nil when it is none of the known ones.
  public mutating func find(_ bytes: UnsafeRawBufferPointer) -> RememberedRecord? {
    guard patience > 0, bytes.count >= RememberedRecord.startBytes else { return nil }
    let start = RememberedRecord.Start(of: bytes, seed: seed)
    // The rest of it may be still to come.
    if next < records.count, records[next].startHash == start.value,
      records[next].byteCount > bytes.count
    {
      return nil
    }
    guard let found = findNear(bytes, start) ?? findAnywhere(bytes, start) else {
      patience -= 1
      return nil
    }
    next = found + 1
    patience += Self.patienceForFound
    return records[found]
  }

  private var near: Range<Int> { next..<max(next, min(next + Self.nearCount, records.count)) }

  private func findNear(
    _ bytes: UnsafeRawBufferPointer, _ start: RememberedRecord.Start
  ) -> Int? {
    near.first { isRecord($0, bytes, start) }
  }

  private mutating func findAnywhere(
    _ bytes: UnsafeRawBufferPointer, _ start: RememberedRecord.Start
  ) -> Int? {
    let index = self.index ?? makeIndex()
    var looks = 0
    var found: Int?
    _ = index.first(Self.spread(start.value)) { number in
      if records[number].startHash != start.value { return false }
      looks += 1
      if !near.contains(number), isRecord(number, bytes, start) { found = number }
      return found != nil || looks == Self.lookLimit
    }
    return found
  }

  private func isRecord(
    _ number: Int, _ bytes: UnsafeRawBufferPointer, _ start: RememberedRecord.Start
  ) -> Bool {
    let record = records[number]
    let count = Int(record.byteCount)
    guard record.startHash == start.value, count >= RememberedRecord.startBytes,
      count <= bytes.count
    else { return false }
    return start.hash(ofRecord: UnsafeRawBufferPointer(rebasing: bytes[..<count])) == record.hash
  }

  private mutating func makeIndex() -> SlotIndex {
    var made = SlotIndex(count: records.count)
    for (number, record) in records.enumerated() {
      let hash = Self.spread(record.startHash)
      var same = 0
      let last = made.first(hash) { other in
        if records[other].startHash == record.startHash { same += 1 }
        return same == Self.lookLimit
      }
      // Those beyond the limit would never be looked at.
      if last == nil { made.insert(number, hash: hash) }
    }
    index = made
    return made
  }

  /// A start's 32 bits as a hash whose upper bits differ, too.
  private static func spread(_ start: UInt32) -> UInt64 {
    UInt64(start) &* 0x9e37_79b9_7f4a_7c15
  }
}
