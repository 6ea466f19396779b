import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. The first megabytes stay in memory; what does not fit goes
/// to a nameless file, which disappears with the process.
final class RecordSpool {
  private let folder: String
  /// Whole records, one behind the other.
  private var pieces: [[UInt8]] = []
  private var current: [UInt8] = []
  private var file: SpoolFile?
  private var heldBytes = 0

  /// How much is kept in memory.
  private static let heldLimitBytes = 22 << 20
  /// Most syncs find little or nothing that differs, and never fill one.
  fileprivate static let pieceBytes = 256 << 10

  init(folder: String) {
    self.folder = folder
  }

  /// Adds a record of `byteCount` bytes, which `write` puts at the address it is given, a multiple of
  /// eight.
  func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) throws {
    if current.count + byteCount > Self.pieceBytes { try endPiece() }
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { bytes in
      guard let base = bytes.baseAddress else { return }
      write(base)
      current.append(contentsOf: bytes)
    }
  }

  /// The records collected so far, for another thread to read. Nothing is added any more.
  func finish() throws -> SpooledRecords {
    if file != nil { try flush() }
    return SpooledRecords(pieces: pieces + (file == nil ? [current] : []), file: file)
  }

  private func endPiece() throws {
    if file == nil, heldBytes + current.count <= Self.heldLimitBytes {
      heldBytes += current.count
      pieces.append(current)
      current = []
      current.reserveCapacity(Self.pieceBytes)
    } else {
      try flush()
    }
  }

  private func flush() throws {
    let target = try file ?? SpoolFile(folder: folder)
    file = target
    try current.withUnsafeBytes { try target.append($0) }
    current.removeAll(keepingCapacity: true)
  }
}

/// Records that will not change any more: in memory when they are few, the rest in a file.
struct SpooledRecords: OfferRecordSource {
  fileprivate let pieces: [[UInt8]]
  fileprivate let file: SpoolFile?

  private static let largeBytes = 2 << 20
  static let none = SpooledRecords(pieces: [], file: nil)

  var isLarge: Bool {
    file != nil || pieces.reduce(0) { $0 + $1.count } > Self.largeBytes
  }

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let source: SpooledRecords
    private var pieceCount = 0
    /// How much of the file was read.
    private var offset = 0
    /// A piece at a time: a list gives no address that outlives a call, as its records need it.
    private var piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    /// The next record in it, and the end of the last.
    private var place = 0
    private var end = 0

    init(_ records: SpooledRecords) {
      source = records
    }

    deinit { piece.deallocate() }

    func next() throws -> OfferRecord? {
      while place == end {
        guard try readPiece() else { return nil }
      }
      guard let base = piece.baseAddress else { return nil }
      let record = OfferRecord(at: base + place)
      place += record.byteCount
      return record
    }

    /// Goes on to the next piece; false when there is none.
    private func readPiece() throws -> Bool {
      place = 0
      if pieceCount < source.pieces.count {
        source.pieces[pieceCount].withUnsafeBytes { bytes in
          makeRoom(bytes.count)
          piece.copyMemory(from: bytes)
          end = bytes.count
        }
        pieceCount += 1
        return true
      }
      end = 0
      guard let file = source.file else { return false }
      makeRoom(RecordSpool.pieceBytes)
      while true {
        let count = try file.read(piece, at: offset)
        end = endOfWholeRecords(in: count)
        if end > 0 || count < piece.count {
          offset += end
          return end > 0
        }
        // One record larger than the piece.
        makeRoom(2 * count)
      }
    }

    private func makeRoom(_ byteCount: Int) {
      if piece.count >= byteCount { return }
      piece.deallocate()
      piece = .allocate(byteCount: byteCount, alignment: 8)
    }

    private func endOfWholeRecords(in byteCount: Int) -> Int {
      var end = 0
      guard let base = piece.baseAddress else { return end }
      while byteCount - end >= 8 {
        let next = end + OfferRecord(at: base + end).byteCount
        if next > byteCount { break }
        end = next
      }
      return end
    }
  }
}
