import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. What does not fit in one buffer goes to a nameless file, which
/// disappears with the process.
final class RecordSpool {
  private let folder: String
  /// Whole records, one behind the other, and how many bytes of it they take.
  private var buffer = SpoolBuffer(byteCount: 0)
  private var bufferedBytes = 0
  private var file: SpoolFile?

  /// A larger record has a buffer of its own size.
  fileprivate static let bufferBytes = 1 << 20

  /// - Parameter folder: where the file is made.
  init(folder: String) {
    self.folder = folder
  }

  /// Adds a record of `byteCount` bytes, which are to be written at the address returned, a multiple
  /// of eight, before another one is added.
  func append(byteCount: Int) throws -> UnsafeMutableRawPointer {
    if bufferedBytes + byteCount > buffer.byteCount { try makeRoom(byteCount) }
    defer { bufferedBytes += byteCount }
    return buffer.start + bufferedBytes
  }

  /// The records collected, for another thread to read. Nothing is added any more.
  func finish() -> SpooledRecords {
    SpooledRecords(file: file, buffer: buffer, bufferedBytes: bufferedBytes)
  }

  private func makeRoom(_ byteCount: Int) throws {
    if bufferedBytes > 0 {
      let target = try file ?? SpoolFile(folder: folder)
      file = target
      try target.append(UnsafeRawBufferPointer(start: buffer.start, count: bufferedBytes))
      bufferedBytes = 0
    }
    if byteCount > buffer.byteCount {
      buffer = SpoolBuffer(byteCount: max(byteCount, Self.bufferBytes))
    }
  }
}

/// Records that will not change any more: most of many in a file, the rest in memory.
struct SpooledRecords: OfferRecordSource {
  fileprivate let file: SpoolFile?
  fileprivate let buffer: SpoolBuffer
  fileprivate let bufferedBytes: Int

  static let none = SpooledRecords(
    file: nil, buffer: SpoolBuffer(byteCount: 0), bufferedBytes: 0)

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let records: SpooledRecords
    /// What is read of the file at a time, and how much of the file was read.
    private var fileBuffer = SpoolBuffer(byteCount: 0)
    private var offset = 0
    private var isAtBuffer = false
    /// The next record at hand, and the end of the last.
    private var place: UnsafeRawPointer?
    private var end: UnsafeRawPointer?

    init(_ records: SpooledRecords) { self.records = records }

    func next() throws -> OfferRecord? {
      if place == end, try !readOn() { return nil }
      guard let start = place else { return nil }
      let record = OfferRecord(at: start)
      place = start + record.byteCount
      return record
    }

    /// Goes on to more records; false when there are none.
    private func readOn() throws -> Bool {
      if let file = records.file, try readWholeRecords(of: file) { return true }
      if isAtBuffer || records.bufferedBytes == 0 { return false }
      isAtBuffer = true
      go(through: records.buffer, records.bufferedBytes)
      return true
    }

    private func readWholeRecords(of file: SpoolFile) throws -> Bool {
      if fileBuffer.byteCount == 0 { fileBuffer = SpoolBuffer(byteCount: RecordSpool.bufferBytes) }
      while true {
        let bytes = UnsafeMutableRawBufferPointer(
          start: fileBuffer.start, count: fileBuffer.byteCount)
        let count = try file.read(bytes, at: offset)
        let whole = Self.endOfWholeRecords(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        if whole > 0 || count < bytes.count {
          offset += whole
          go(through: fileBuffer, whole)
          return whole > 0
        }
        // One record larger than the buffer.
        fileBuffer = SpoolBuffer(byteCount: 2 * count)
      }
    }

    private func go(through buffer: SpoolBuffer, _ byteCount: Int) {
      place = UnsafeRawPointer(buffer.start)
      end = place.map { $0 + byteCount }
    }

    private static func endOfWholeRecords(in bytes: UnsafeRawBufferPointer) -> Int {
      var end = 0
      guard let base = bytes.baseAddress else { return end }
      while bytes.count - end >= 8 {
        let next = end + OfferRecord(at: base + end).byteCount
        if next > bytes.count { break }
        end = next
      }
      return end
    }
  }
}

/// Memory that stays where it is, for one thread to fill and another to read.
private final class SpoolBuffer: Sendable {
  /// An address, which a pointer would not be for another thread.
  private let address: UInt
  let byteCount: Int

  init(byteCount: Int) {
    address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8))
    self.byteCount = byteCount
  }

  deinit { start.deallocate() }

  var start: UnsafeMutableRawPointer {
    // It was made of one.
    UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
