import OffersCore

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
