import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. The first megabytes stay in memory; what does not fit goes
/// to a nameless file, which disappears with the process.
final class RecordSpool {
  private let folder: String
  private var blocks: [SpoolBlock] = []
  private var current = SpoolBlock(byteCount: SpoolBlock.firstBytes)
  private var file: SpoolFile?

  private var heldBytes = 0

  /// How much is kept in memory.
  private static let heldLimitBytes = 22 << 20

  init(folder: String) {
    self.folder = folder
  }

  /// Adds a record of `byteCount` bytes, which `write` puts at the address it is given.
  func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) throws {
    if byteCount > current.freeBytes { try makeRoom(byteCount) }
    current.append(byteCount: byteCount, write)
  }

  /// The records collected so far, for another thread to read. Nothing is added any more.
  func finish() throws -> SpooledRecords {
    if file != nil { try flush() }
    return SpooledRecords(memory: blocks + (file == nil ? [current] : []), file: file)
  }

  private func makeRoom(_ byteCount: Int) throws {
    while current.grow() {
      if byteCount <= current.freeBytes { return }
    }
    if file == nil && heldBytes + current.contents.count <= Self.heldLimitBytes {
      heldBytes += current.contents.count
      blocks.append(current)
      current = SpoolBlock(byteCount: max(byteCount, SpoolBlock.usualBytes))
      return
    }
    try flush()
    if byteCount > current.freeBytes { current = SpoolBlock(byteCount: byteCount) }
  }

  private func flush() throws {
    let target = try file ?? SpoolFile(folder: folder)
    file = target
    try target.append(current.contents)
    current.clear()
  }
}

/// Records that will not change any more: in memory when they are few, the rest in a file.
struct SpooledRecords: OfferRecordSource {
  fileprivate let memory: [SpoolBlock]
  fileprivate let file: SpoolFile?

  private static let largeBytes = 2 << 20
  static let none = SpooledRecords(memory: [], file: nil)

  var isLarge: Bool {
    file != nil || memory.reduce(0) { $0 + $1.contents.count } > Self.largeBytes
  }

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let source: SpooledRecords
    private var blockCount = 0
    /// What is read of the file at a time.
    private var piece: SpoolBlock?
    private var offset = 0
    /// The next record in the block at hand, and the block's end.
    private var place: UnsafeRawPointer?
    private var end: UnsafeRawPointer?

    init(_ records: SpooledRecords) {
      source = records
    }

    func next() throws -> OfferRecord? {
      while place == end {
        guard let contents = try nextContents() else { return nil }
        place = contents.baseAddress
        end = contents.baseAddress.map { $0 + contents.count }
      }
      guard let place else { return nil }
      let record = OfferRecord(at: place)
      self.place = place + record.byteCount
      return record
    }

    private func nextContents() throws -> UnsafeRawBufferPointer? {
      if blockCount < source.memory.count {
        blockCount += 1
        return source.memory[blockCount - 1].contents
      }
      guard let file = source.file else { return nil }
      return try nextPiece(of: file)
    }

    /// The records that stand whole in the file's next piece; nil behind the last.
    private func nextPiece(of file: SpoolFile) throws -> UnsafeRawBufferPointer? {
      var byteCount = SpoolBlock.usualBytes
      while true {
        let piece = piece ?? SpoolBlock(byteCount: byteCount)
        self.piece = piece
        piece.clear()
        piece.append(byteCount: try file.read(piece.free, at: offset)) { _ in }
        let whole = piece.wholeRecords
        if !whole.isEmpty || piece.freeBytes > 0 {
          offset += whole.count
          return whole.isEmpty ? nil : whole
        }
        // One record larger than the piece.
        byteCount = 2 * piece.contents.count
        self.piece = nil
      }
    }
  }
}
