/// Finds the records of a feed's last document again in another, mostly in their order.
public struct RecordFinder: Sendable {
  public let records: [RememberedRecord]
  private let seed: UInt64
  /// The record behind the one found last.
  private var next = 0
  private var byBytes = Search()
  private var byValues = Search()
  /// How many in a row were found neither by their bytes nor by their values.
  private var strangers = 0
  private var isOutOfOrder = false

  /// A search beyond the next few records.
  private struct Search {
    /// Made when it is first needed.
    var index: SlotIndex?
    /// How many more records may be looked for in vain. A document that was written anew has none of
    /// them by their bytes, and one with other prices none by their values.
    var patience = 256

    private static let patienceForFound = 4

    mutating func count(_ found: Int?) {
      patience += found == nil ? -1 : Self.patienceForFound
    }
  }

  /// How many records may be missing at a place without a search for the one behind them.
  private static let nearCount = 3
  /// How many records with one start are looked at.
  private static let lookLimit = 4
  /// How many strangers in a row say that values stand in another order, too: a few are new.
  private static let strangerLimit = 16

  /// - Parameter seed: stands for the rules by which the document is read.
  public init(_ records: [RememberedRecord], seed: UInt64) {
    self.records = records
    self.seed = seed
    if records.isEmpty {
      byBytes.patience = 0
      byValues.patience = 0
    }
  }

  /// Says that the offer of a record that was not found has a key: the record behind the one that it
  /// had is expected next.
  public mutating func pass(key: Int64) {
    guard next < records.count, Int64(records[next].key) == key else { return }
    next += 1
    strangers = 0
  }

  /// The number of the record that some bytes begin with; nil when it is none of the known ones.
  public mutating func find(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard byBytes.patience > 0, bytes.count >= RememberedRecord.startBytes else { return nil }
    let start = RememberedRecord.Start(of: bytes, seed: seed)
    // The rest of it may be still to come.
    if next < records.count, records[next].startHash == start.value,
      records[next].byteCount > bytes.count
    {
      return nil
    }
    // Written anew in its order, a document needs no index of how it was written.
    if isOutOfOrder, byBytes.index == nil { byBytes.index = makeIndexByBytes() }
    let found = near(byBytes).first { isRecord($0, bytes, start) } ?? findAnywhere(bytes, start)
    byBytes.count(found)
    return goOn(from: found)
  }

  /// The number of the record with these values, which was not found by its bytes.
  public mutating func find(valueHash: UInt64) -> Int? {
    guard byValues.patience > 0 else { return nil }
    if strangers >= Self.strangerLimit, byValues.index == nil {
      byValues.index = makeIndexByValues()
    }
    let found = near(byValues).first { hasValues($0, valueHash) } ?? findAnywhere(valueHash)
    if found == nil {
      strangers += 1
      // One alone is a record that changed, or a new one.
      if strangers > 1 { isOutOfOrder = true }
    }
    byValues.count(found)
    return goOn(from: found)
  }

  private mutating func goOn(from found: Int?) -> Int? {
    guard let found else { return nil }
    next = found + 1
    strangers = 0
    return found
  }

  /// Where to look first. An index finds those beyond the next one as well.
  private func near(_ search: Search) -> Range<Int> {
    let count = search.index == nil ? Self.nearCount : 1
    return next..<max(next, min(next + count, records.count))
  }

  private func hasValues(_ number: Int, _ valueHash: UInt64) -> Bool {
    valueHash != 0 && records[number].valueHash == valueHash && records[number].byteCount > 0
  }

  private func findAnywhere(_ valueHash: UInt64) -> Int? {
    byValues.index?.first(valueHash) { hasValues($0, valueHash) }
  }

  private func makeIndexByValues() -> SlotIndex {
    makeIndex {
      records[$0].valueHash == 0 ? nil : records[$0].valueHash
    } isSame: {
      hasValues($0, records[$1].valueHash)
    }
  }

  private func findAnywhere(
    _ bytes: UnsafeRawBufferPointer, _ start: RememberedRecord.Start
  ) -> Int? {
    var looks = 0
    var found: Int?
    _ = byBytes.index?.first(Self.spread(start.value)) { number in
      if records[number].startHash != start.value { return false }
      looks += 1
      if isRecord(number, bytes, start) { found = number }
      return found != nil || looks == Self.lookLimit
    }
    return found
  }

  private func makeIndexByBytes() -> SlotIndex {
    makeIndex {
      Self.spread(records[$0].startHash)
    } isSame: {
      records[$0].startHash == records[$1].startHash
    }
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

  /// - Parameters:
  ///   - hash: a record's; nil for one that is not to be found.
  ///   - isSame: whether one counts for the same as another. Those beyond the limit would never be
  ///     looked at.
  private func makeIndex(
    _ hash: (Int) -> UInt64?, isSame: (Int, Int) -> Bool
  ) -> SlotIndex {
    var made = SlotIndex(count: records.count)
    for number in records.indices where records[number].byteCount > 0 {
      guard let hash = hash(number) else { continue }
      var same = 0
      let last = made.first(hash) { other in
        if isSame(other, number) { same += 1 }
        return same == Self.lookLimit
      }
      if last == nil { made.insert(number, hash: hash) }
    }
    return made
  }

  /// A start's 32 bits as a hash whose upper bits differ, too.
  private static func spread(_ start: UInt32) -> UInt64 {
    UInt64(start) &* 0x9e37_79b9_7f4a_7c15
  }
}
