import OffersCore

/// Collects records until the whole feed has been read, so that the store is written in one short
/// transaction that waits for no input. Each time a buffer is full, its records go to an unlinked
/// file, which disappears with the process.
final class RecordSpool {
  private let folder: String
  /// The last records, one after another, in the first `bufferedBytes` of the buffer.
  private var buffer = SpoolBuffer(byteCount: 0)
  private var bufferedBytes = 0
  private var file: SpoolFile?

  /// The size of the buffer; a larger record gets a buffer of its own size.
  fileprivate static let bufferBytes = 1 << 20

  /// - Parameter folder: the folder of the temporary file.
  init(folder: String) {
    self.folder = folder
  }

  /// Allocates a record of `byteCount` bytes and returns its address, a multiple of 8. The caller
  /// writes the record before it adds the next one.
  func append(byteCount: Int) throws -> UnsafeMutableRawPointer {
    if bufferedBytes + byteCount > buffer.byteCount { try makeRoom(byteCount) }
    defer { bufferedBytes += byteCount }
    return buffer.start + bufferedBytes
  }

  /// The collected records, for another thread to read. Nothing may be appended after this.
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

/// Immutable records: a file's records first, then those in memory.
struct SpooledRecords: OfferRecordSource {
  fileprivate let file: SpoolFile?
  fileprivate let buffer: SpoolBuffer
  fileprivate let bufferedBytes: Int

  static let none = SpooledRecords(
    file: nil, buffer: SpoolBuffer(byteCount: 0), bufferedBytes: 0)

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let records: SpooledRecords
    /// The chunk of the file that was read last.
    private var fileBuffer = SpoolBuffer(byteCount: 0)
    /// The offset of the next chunk in the file.
    private var offset = 0
    private var isAtBuffer = false
    /// The next record in the loaded chunk; nil before the first chunk.
    private var place: UnsafeRawPointer?
    /// The end of the last whole record in the loaded chunk.
    private var end: UnsafeRawPointer?

    init(_ records: SpooledRecords) { self.records = records }

    func next() throws -> OfferRecord? {
      if place == end, try !readOn() { return nil }
      guard let start = place else { return nil }
      let record = OfferRecord(at: start)
      place = start + record.byteCount
      return record
    }

    /// Loads the next chunk: from the file and at last the buffer. Returns false if there is none.
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
        // A record is larger than the buffer, which grows until it holds the record.
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

/// Memory at a fixed address, for one thread to fill and another one to read afterwards.
private final class SpoolBuffer: Sendable {
  /// The address as an integer, because pointers are not Sendable.
  private let address: UInt
  let byteCount: Int

  init(byteCount: Int) {
    address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8))
    self.byteCount = byteCount
  }

  deinit { start.deallocate() }

  var start: UnsafeMutableRawPointer {
    // The address was made from a pointer, so it is not null.
    UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
