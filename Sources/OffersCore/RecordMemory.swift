/// What the records of a feed's last document were, in their order: enough to know one again by its
/// bytes alone, without reading it.
///
/// It is only a memory, and the offers themselves tell what is stored: a record counts for what it
/// was as long as its offer is there with the content that the record gave it.
public struct RecordMemory: Sendable {
  public private(set) var records: [RememberedRecord] = []

  public init() {}

  public init(_ records: [RememberedRecord]) { self.records = records }

  public mutating func reserveCapacity(_ count: Int) { records.reserveCapacity(count) }

  /// Adds records as they are stored: their five numbers, the lowest byte first.
  public mutating func append(stored bytes: UnsafeRawBufferPointer) {
    for offset in stride(
      from: 0, to: bytes.count / RememberedRecord.storedBytes * RememberedRecord.storedBytes,
      by: RememberedRecord.storedBytes)
    {
      func half(_ place: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: UInt32.self))
      }
      records.append(
        RememberedRecord(
          hash: UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
          startHash: half(8), byteCount: half(12), contentMark: half(16), key: half(20)))
    }
  }

  /// Writes a record as it is stored.
  public static func store(_ record: RememberedRecord, to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: record.hash.littleEndian, as: UInt64.self)
    bytes.storeBytes(of: record.startHash.littleEndian, toByteOffset: 8, as: UInt32.self)
    bytes.storeBytes(of: record.byteCount.littleEndian, toByteOffset: 12, as: UInt32.self)
    bytes.storeBytes(of: record.contentMark.littleEndian, toByteOffset: 16, as: UInt32.self)
    bytes.storeBytes(of: record.key.littleEndian, toByteOffset: 20, as: UInt32.self)
  }
}

/// What is to be remembered of a document that is being read: the new offers in it get their keys
/// later.
public struct RecordMemoryDraft: Sendable {
  /// What was remembered before.
  public let old: RecordMemory
  /// The records. One without a key stands for as many new ones as its `byteCount` says.
  public private(set) var records: [RememberedRecord] = []

  public init(old: RecordMemory) {
    self.old = old
    records.reserveCapacity(old.records.count)
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
