import OffersCore
import OffersPlatform

/// Passes a document to the `FeedReader`, unless it is identical to the document that the feed's
/// stored offers come from, and so needs no parsing.
///
/// The stored document is known by its fingerprint. A document whose first 64 KiB differ from it
/// passes as soon as the caller opens the gate. Another one, or a shorter one, is held until its
/// end, when the hash of the whole document decides.
final class UnchangedDocumentFilter {
  private enum Stage {
    /// The first `DocumentHasher.headBytes` are being collected.
    case undecided
    /// The document is to be parsed, and is buffered until the gate is opened.
    case waiting
    /// The head has the stored hash; the whole document is being spooled.
    case aside(SpoolFile)
    /// The bytes pass to the reader as they arrive.
    case open
  }

  private(set) var hasher: DocumentHasher
  private let known: DocumentFingerprint?
  private let folder: String
  private var stage: Stage
  private var head: [UInt8] = []

  /// - Parameters:
  ///   - seed: the seed of the `DocumentHasher`.
  ///   - known: the fingerprint of the stored document; nil to hold documents only until the gate
  ///     is opened.
  ///   - folder: the folder for the temporary file of a document that is held.
  init(seed: UInt64, known: DocumentFingerprint?, folder: String) {
    hasher = DocumentHasher(seed: seed)
    self.known = known
    self.folder = folder
    stage = known == nil ? .waiting : .undecided
  }

  typealias PieceSink = (UnsafeRawBufferPointer) throws -> Void

  /// Whether the gate waits for the caller to open it.
  var isWaiting: Bool { if case .waiting = stage { true } else { false } }

  /// Passes the next bytes to `emit` if the gate is open; otherwise keeps them.
  func consume(_ piece: UnsafeRawBufferPointer, _ emit: PieceSink) throws {
    hasher.update(piece)
    switch stage {
    case .open: try emit(piece)
    case .aside(let spool): try spool.append(piece)
    case .waiting: head.append(contentsOf: piece)
    case .undecided:
      head.append(contentsOf: piece)
      guard let known, let hash = hasher.headHash(passedIn: piece) else { return }
      guard hash == known.headHash else {
        stage = .waiting
        return
      }
      let spool = try SpoolFile(folder: folder)
      try head.withUnsafeBytes(spool.append)
      head = []
      stage = .aside(spool)
    }
  }

  /// Opens the gate: passes the buffered bytes to `emit`. Later bytes pass as they are consumed.
  func open(_ emit: PieceSink) throws {
    stage = .open
    let bytes = head
    head = []
    if !bytes.isEmpty { try bytes.withUnsafeBytes(emit) }
  }

  /// Whether the document, which has ended, is the stored one. If not, the caller must call
  /// `release`.
  func isStored() -> Bool {
    switch stage {
    case .open, .waiting: false
    case .undecided, .aside: hasher.finish() == known
    }
  }

  /// Passes the bytes that are still kept of a document that has ended to `emit`. Afterwards the
  /// gate waits to be opened for the document of the next page.
  func release(_ emit: PieceSink) throws {
    if case .aside(let spool) = stage { try spool.forEachPiece(emit) }
    try open(emit)
    stage = .waiting
  }
}

/// Computes a document's fingerprint incrementally.
///
/// The fingerprint includes a hash of the rules for reading offers (the definition and the versions
/// of the parsers): under other rules the same bytes count as another document.
struct DocumentHasher {
  private var whole = DocumentHash()
  private var head = DocumentHash()
  private(set) var sizeBytes = 0

  /// The size of a document's head, the beginning that has a hash of its own. A document of another
  /// head is recognized before it is read completely.
  static let headBytes = 64 << 10

  /// - Parameter seed: the hash of these rules; see `FeedDefinition.derivationSeed`.
  init(seed: UInt64) {
    withUnsafeBytes(of: seed.littleEndian) {
      whole.update($0)
      head.update($0)
    }
  }

  mutating func update(_ piece: UnsafeRawBufferPointer) {
    whole.update(piece)
    let rest = Self.headBytes - sizeBytes
    if rest > 0 { head.update(UnsafeRawBufferPointer(rebasing: piece.prefix(rest))) }
    sizeBytes += piece.count
  }

  /// The hash of the head, if the last updated chunk completed the head; nil otherwise.
  ///
  /// - Parameter piece: the chunk that was last passed to `update`.
  func headHash(passedIn piece: UnsafeRawBufferPointer) -> [UInt8]? {
    let isHere = sizeBytes >= Self.headBytes && sizeBytes - piece.count < Self.headBytes
    return isHere ? head.finish() : nil
  }

  func finish() -> DocumentFingerprint {
    DocumentFingerprint(hash: whole.finish(), headHash: head.finish(), sizeBytes: sizeBytes)
  }
}

/// An unlinked temporary file, written sequentially and read from any offset. A failure of the file
/// is thrown as an `OffersError` with `storageFailed`.
package final class SpoolFile: Sendable {
  private let file: TemporaryFile
  private let folder: String

  package init(folder: String) throws {
    self.folder = folder
    do {
      file = try TemporaryFile(folder: folder)
    } catch {
      throw Self.failure("create", folder, error)
    }
  }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.append(bytes)
    } catch {
      throw Self.failure("write", folder, error)
    }
  }

  /// Calls `body` with the contents from the start to the end, in chunks.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try read(buffer, at: offset)
      if count == 0 { return }
      offset += count
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    do {
      return try file.read(bytes, at: offset)
    } catch {
      throw Self.failure("read", folder, error)
    }
  }

  private static func failure(
    _ verb: String, _ place: String, _ error: SystemError
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(verb) a temporary file in \(place): \(error.text).",
      hint: "Nothing was changed. Make room on the disk, or check the folder's permissions.")
  }
}
