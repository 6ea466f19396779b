/// Finds the records of a memory again in a document, mostly in their order.
public struct RecordFinder: Sendable {
  private let records: [RememberedRecord]
  private let seed: UInt64
  /// The record behind the one found last.
  private var next = 0
  /// An open-addressed table by the records' starts: their numbers from 1; 0 is free. Made when a
  /// record first stands elsewhere than expected.
  private var index: [UInt32] = []

  /// How many more records may be looked for in vain. A document that was written anew, with other
  /// white space, has none of them.
  private var patience = 256

  private static let patienceForFound = 4
  /// How many records may be missing at a place without a search for the one behind them.
  private static let nearCount = 3
  /// How many records with one start are looked at.
  private static let lookLimit = 4

  /// - Parameter seed: stands for the rules by which the document is read.
  public init(_ memory: RecordMemory, seed: UInt64) {
    records = memory.records
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
    if index.isEmpty { makeIndex() }
    var place = firstPlace(start.value)
    var looks = 0
    while index[place] != 0, looks < Self.lookLimit {
      let number = Int(index[place]) - 1
      if records[number].startHash == start.value {
        looks += 1
        if !near.contains(number), isRecord(number, bytes, start) { return number }
      }
      place = place + 1 == index.count ? 0 : place + 1
    }
    return nil
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

  private mutating func makeIndex() {
    index = [UInt32](repeating: 0, count: 2 * records.count)
    for (number, record) in records.enumerated() where record.byteCount > 0 {
      var place = firstPlace(record.startHash)
      var same = 0
      while index[place] != 0, same < Self.lookLimit {
        if records[Int(index[place]) - 1].startHash == record.startHash { same += 1 }
        place = place + 1 == index.count ? 0 : place + 1
      }
      // Those beyond the limit would never be looked at.
      if same < Self.lookLimit { index[place] = UInt32(number + 1) }
    }
  }

  private func firstPlace(_ start: UInt32) -> Int {
    Int(truncatingIfNeeded: (UInt64(start) * UInt64(index.count)) >> 32)
  }
}
