/// One record of a feed's last document: enough to know it again by its bytes alone, without reading
/// it, or by its values, without making an offer of them.
///
/// It is only a memory, and the offers themselves tell what is stored: a record counts for what it
/// was as long as its offer is there with the content that the record gave it.
public struct RememberedRecord: Hashable, Sendable {
  /// The hash of all its bytes, and a part of that of its first ones.
  public var hash: UInt64
  /// The hash of its values as they stand in it, whatever the white space between them; 0 where that
  /// is not known.
  public var valueHash: UInt64
  public var startHash: UInt32
  /// Its length; 0 for a record that says nothing by itself.
  public var byteCount: UInt32
  /// The lower half of its offer's content hash.
  public var contentMark: UInt32
  /// The store's key of its offer; 0 for one that has none yet.
  public var key: UInt32

  /// How many bytes it takes where it is stored, without the 8 of its values' hash.
  public static let storedBytes = 24
  /// What tells most records apart. Shorter ones are not worth remembering.
  public static let startBytes = 32

  /// Counts the ways in which records were hashed so far.
  package static let hashVersion: UInt64 = 3

  /// A record that is worth nothing.
  public static let none = RememberedRecord(
    hash: 0, valueHash: 0, startHash: 0, byteCount: 0, contentMark: 0, key: 0)

  public init(
    hash: UInt64, valueHash: UInt64, startHash: UInt32, byteCount: UInt32, contentMark: UInt32,
    key: UInt32
  ) {
    self.hash = hash
    self.valueHash = valueHash
    self.startHash = startHash
    self.byteCount = byteCount
    self.contentMark = contentMark
    self.key = key
  }

  /// - Parameters:
  ///   - seed: stands for the rules by which it was read.
  ///   - contentMark: the lower half of its offer's content hash.
  public init(of record: ReadRecord, seed: UInt64, contentMark: UInt32) {
    guard record.bytes.count >= Self.startBytes, let count = UInt32(exactly: record.bytes.count)
    else {
      self = .none
      return
    }
    let start = Start(of: record.bytes, seed: seed)
    hash = start.hash(ofRecord: record.bytes)
    valueHash = record.valueHash
    startHash = start.value
    byteCount = count
    self.contentMark = contentMark
    key = 0
  }

  /// The record as it is stored: its numbers, the lowest byte first, the hash of its values aside.
  ///
  /// - Parameters:
  ///   - bytes: `storedBytes`.
  ///   - valueHash: 0 where that is not known.
  public init(stored bytes: UnsafeRawPointer, valueHash: UInt64) {
    func half(_ place: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
    self.init(
      hash: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)), valueHash: valueHash,
      startHash: half(8), byteCount: half(12), contentMark: half(16), key: half(20))
  }

  /// Writes it as it is stored, at an 8-byte aligned address, the hash of its values aside.
  public func store(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: hash.littleEndian, as: UInt64.self)
    bytes.storeBytes(of: startHash.littleEndian, toByteOffset: 8, as: UInt32.self)
    bytes.storeBytes(of: byteCount.littleEndian, toByteOffset: 12, as: UInt32.self)
    bytes.storeBytes(of: contentMark.littleEndian, toByteOffset: 16, as: UInt32.self)
    bytes.storeBytes(of: key.littleEndian, toByteOffset: 20, as: UInt32.self)
  }

  /// The same record with the key of its offer; one that is worth nothing where the key is too
  /// large.
  public func with(key: Int64) -> RememberedRecord {
    guard byteCount > 0, let key = UInt32(exactly: key) else { return .none }
    var record = self
    record.key = key
    return record
  }

  /// The hash of a record's first bytes, from which that of the whole goes on.
  struct Start {
    private let state: ContentHash

    /// - Parameter bytes: `startBytes` at least.
    init(of bytes: UnsafeRawBufferPointer, seed: UInt64) {
      var hash = ContentHash(seed: seed)
      hash.combine(UnsafeRawBufferPointer(rebasing: bytes[..<startBytes]))
      state = hash
    }

    var value: UInt32 { UInt32(truncatingIfNeeded: state.value) }

    func hash(ofRecord bytes: UnsafeRawBufferPointer) -> UInt64 {
      var hash = state
      hash.combineLong(UnsafeRawBufferPointer(rebasing: bytes[startBytes...]))
      return hash.value
    }
  }
}

/// A record as a reader has just come by it: a view of the reader's own memory.
public struct ReadRecord {
  /// As it stands in the document.
  public let bytes: UnsafeRawBufferPointer
  /// See `RememberedRecord`.
  public let valueHash: UInt64

  public init(bytes: UnsafeRawBufferPointer, valueHash: UInt64) {
    self.bytes = bytes
    self.valueHash = valueHash
  }
}
