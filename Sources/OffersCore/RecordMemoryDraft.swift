/// What is to be remembered of a document that is being read: the new offers in it get their keys
/// later.
public struct RecordMemoryDraft: Sendable {
  /// What was remembered before.
  public let old: [RememberedRecord]
  /// The records. One without a key stands for as many new ones as its `byteCount` says.
  public private(set) var records: [RememberedRecord] = []

  public init(old: [RememberedRecord]) {
    self.old = old
    records.reserveCapacity(old.count)
  }

  /// Adds the record of an offer that the store has.
  public mutating func append(_ record: RememberedRecord) {
    if record.key != 0 { records.append(record) }
  }

  /// Adds one of an offer that it has not got.
  public mutating func appendNew() {
    if let last = records.last, last.key == 0, last.byteCount < .max {
      records[records.count - 1].byteCount += 1
    } else {
      var run = RememberedRecord.none
      run.byteCount = 1
      records.append(run)
    }
  }
}
