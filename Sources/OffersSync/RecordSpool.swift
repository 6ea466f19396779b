import Glibc
import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. The first megabytes stay in memory; what does not fit goes
/// to a nameless file, which disappears with the process. A store that nobody waits for takes them
/// as they come.
final class RecordSpool {
  private let folder: String
  private let intake: (any OfferIntake)?
  /// Whole records, one behind the other.
  private var pieces: [SpooledRecords.Piece] = []
  /// What is being filled, and how much of it is.
  private var current = SpoolMemory(byteCount: 0)
  private var currentBytes = 0
  private var file: SpoolFile?
  private var heldBytes = 0
  /// What the intake was given, to be filled again once it has let go of it.
  private var given: [SpoolMemory] = []

  /// How much is kept in memory.
  private static let heldLimitBytes = 36 << 20
  /// Most syncs find little or nothing that differs, and never fill one.
  fileprivate static let pieceBytes = 256 << 10
  /// How large pieces are once several were filled.
  private static let largePieceBytes = SpoolMemory.largeBytes

  /// - Parameters:
  ///   - folder: where the file is made.
  ///   - intake: takes what was collected before the last piece; nil to keep all.
  init(folder: String, intake: (any OfferIntake)? = nil) {
    self.folder = folder
    self.intake = intake
  }

  /// Adds a record of `byteCount` bytes, which are to be written at the address returned, a multiple
  /// of eight, before another one is added.
  func append(byteCount: Int) throws -> UnsafeMutableRawPointer {
    if currentBytes + byteCount > current.byteCount { try makeRoom(byteCount) }
    defer { currentBytes += byteCount }
    return current.start + currentBytes
  }

  /// The records collected so far that no intake took, for another thread to read. Nothing is added
  /// any more.
  func finish() throws -> SpooledRecords {
    if file == nil { keep() } else { try flush() }
    return SpooledRecords(pieces: pieces, file: file)
  }

  private func makeRoom(_ byteCount: Int) throws {
    if let intake {
      try hand(to: intake)
    } else if file == nil, heldBytes + currentBytes <= Self.heldLimitBytes {
      keep()
    } else {
      try flush()
    }
    if byteCount > current.byteCount {
      let isLarge = file == nil && heldBytes >= Self.largePieceBytes
      current = SpoolMemory(
        byteCount: max(byteCount, isLarge ? Self.largePieceBytes : Self.pieceBytes))
    }
  }

  private func hand(to intake: any OfferIntake) throws {
    if currentBytes > 0 {
      let piece = SpooledRecords.Piece(memory: current, byteCount: currentBytes)
      given.append(current)
      try intake.take(SpooledRecords(pieces: [piece], file: nil))
    }
    current = takeBack() ?? SpoolMemory(byteCount: 0)
    currentBytes = 0
  }

  private func takeBack() -> SpoolMemory? {
    for index in given.indices where isKnownUniquelyReferenced(&given[index]) {
      return given.remove(at: index)
    }
    return nil
  }

  private func keep() {
    if currentBytes > 0 {
      pieces.append(SpooledRecords.Piece(memory: current, byteCount: currentBytes))
      heldBytes += currentBytes
    }
    current = SpoolMemory(byteCount: 0)
    currentBytes = 0
  }

  private func flush() throws {
    if currentBytes == 0 { return }
    let isFirst = file == nil
    let target = try file ?? SpoolFile(folder: folder)
    file = target
    try target.append(UnsafeRawBufferPointer(start: current.start, count: currentBytes))
    // From now on a small piece is filled again and again, which stays in the processor's own memory.
    if isFirst { current = SpoolMemory(byteCount: 0) }
    currentBytes = 0
  }
}

/// Records that will not change any more: in memory when they are few, the rest in a file.
struct SpooledRecords: OfferRecordSource {
  /// Whole records at the start of some memory.
  fileprivate struct Piece {
    let memory: SpoolMemory
    let byteCount: Int
  }

  fileprivate let pieces: [Piece]
  fileprivate let file: SpoolFile?

  private static let largeBytes = 2 << 20
  static let none = SpooledRecords(pieces: [], file: nil)

  var isLarge: Bool {
    file != nil || pieces.reduce(0) { $0 + $1.byteCount } > Self.largeBytes
  }

  func makeReader() -> any OfferRecordReader { Reader(self, isLast: false) }

  func makeLastReader() -> any OfferRecordReader { Reader(self, isLast: true) }

  private final class Reader: OfferRecordReader {
    private let source: SpooledRecords
    private let isLast: Bool
    private var pieceCount = 0
    /// What is read of the file at a time, and how much of the file was read.
    private var buffer: SpoolMemory?
    private var offset = 0
    /// The next record of the piece at hand, and the end of its last.
    private var place: UnsafeRawPointer?
    private var end: UnsafeRawPointer?

    init(_ records: SpooledRecords, isLast: Bool) {
      source = records
      self.isLast = isLast
    }

    func next() throws -> OfferRecord? {
      while place == end {
        guard try readPiece() else { return nil }
      }
      guard let start = place else { return nil }
      let record = OfferRecord(at: start)
      place = start + record.byteCount
      return record
    }

    /// Goes on to the next piece; false when there is none.
    private func readPiece() throws -> Bool {
      if isLast, pieceCount > 0, pieceCount <= source.pieces.count {
        source.pieces[pieceCount - 1].memory.release()
      }
      if pieceCount < source.pieces.count {
        let piece = source.pieces[pieceCount]
        pieceCount += 1
        go(through: piece.memory, piece.byteCount)
        return true
      }
      guard let file = source.file else { return false }
      var memory = buffer ?? SpoolMemory(byteCount: RecordSpool.pieceBytes)
      while true {
        buffer = memory
        let bytes = UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount)
        let count = try file.read(bytes, at: offset)
        let whole = Self.endOfWholeRecords(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        if whole > 0 || count < bytes.count {
          offset += whole
          if isLast { file.release(before: offset) }
          go(through: memory, whole)
          return whole > 0
        }
        // One record larger than the piece.
        memory = SpoolMemory(byteCount: 2 * count)
      }
    }

    private func go(through memory: SpoolMemory, _ byteCount: Int) {
      place = UnsafeRawPointer(memory.start)
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
private final class SpoolMemory: Sendable {
  /// An address, which a pointer would not be for another thread.
  private let address: UInt
  let byteCount: Int

  private static let pageBytes = Int(getpagesize())
  /// So much is asked of the system at once.
  static let largeBytes = 1 << 20

  init(byteCount: Int) {
    let isLarge = byteCount >= Self.largeBytes
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: byteCount, alignment: isLarge ? Self.pageBytes : 8)
    // All pages together cost the system less than each at its first touch. Huge ones would cost the
    // least, or many times as much where the system has to ask its host for them.
    if isLarge { madvise(memory, byteCount, MADV_POPULATE_WRITE) }
    address = UInt(bitPattern: memory)
    self.byteCount = byteCount
  }

  /// Gives the pages back, for what is written meanwhile. What was in them is lost.
  func release() {
    if byteCount >= Self.largeBytes {
      madvise(start, byteCount / Self.pageBytes * Self.pageBytes, MADV_DONTNEED)
    }
  }

  deinit { start.deallocate() }

  var start: UnsafeMutableRawPointer {
    // It was made of one.
    UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
