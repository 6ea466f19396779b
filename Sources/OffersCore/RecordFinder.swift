/// Finds the records of a memory again in a document, mostly in their order.
public struct RecordFinder: Sendable {
  private let records: [RememberedRecord]
  private let seed: UInt64
  /// The record behind the one found last.
  private var next = 0
  /// An open-addressed table by the records' starts: their numbers from 1; 0 is free. Made when a
  /// record first stands elsewhere than expected.
  private var index: [UInt32] = []

  /// How many records were looked for before the first was found, and whether it is no use: a
  /// document that was written anew, with other white space, has none of them.
  private var missCount = 0
  private var isHopeless: Bool

  private static let missLimit = 256
  /// How many records with one start are looked at.
  private static let lookLimit = 4

  /// - Parameter seed: stands for the rules by which the document is read.
  public init(_ memory: RecordMemory, seed: UInt64) {
    records = memory.records
    self.seed = seed
    isHopeless = records.isEmpty
  }

  /// The record that some bytes begin with; nil when it is none of the known ones.
  public mutating func find(_ bytes: UnsafeRawBufferPointer) -> RememberedRecord? {
    guard !isHopeless, bytes.count >= RememberedRecord.startBytes else { return nil }
    let start = RememberedRecord.Start(of: bytes, seed: seed)
    let found = findNext(bytes, start) ?? findAnywhere(bytes, start)
    if let found {
      next = found + 1
    } else if next == 0 {
      missCount += 1
      isHopeless = missCount == Self.missLimit
    }
    return found.map { records[$0] }
  }

  private func findNext(
    _ bytes: UnsafeRawBufferPointer, _ start: RememberedRecord.Start
  ) -> Int? {
    guard next < records.count, isRecord(next, bytes, start) else { return nil }
    return next
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
        if number != next, isRecord(number, bytes, start) { return number }
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
