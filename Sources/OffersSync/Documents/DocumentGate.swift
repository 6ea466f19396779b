import OffersCore

/// Passes a document to the reader, unless it is identical to the stored one and needs no parsing.
///
/// A document whose head has the stored hash is spooled until its end, when the hash of the whole
/// document decides. Any other document passes as soon as the caller opens the gate.
final class DocumentGate {
  private enum Stage {
    /// The head is being collected.
    case undecided
    /// The document differs from the stored one, and is buffered until the gate is opened.
    case waiting
    /// The head has the stored hash; the document is being spooled.
    case aside(DocumentSpool)
    /// The document passes to the reader.
    case open
  }

  private(set) var hasher: DocumentHasher
  private let known: DocumentFingerprint?
  private let folder: String
  private var stage: Stage
  private var head: [UInt8] = []

  /// - Parameters:
  ///   - seed: see `DocumentHasher`.
  ///   - known: the stored document; nil to pass everything.
  ///   - folder: the folder for the spool.
  init(seed: UInt64, known: DocumentFingerprint?, folder: String) {
    hasher = DocumentHasher(seed: seed)
    self.known = known
    self.folder = folder
    stage = known == nil ? .waiting : .undecided
  }

  typealias PieceSink = (UnsafeRawBufferPointer) throws -> Void

  /// Whether the gate waits for the caller to open it.
  var isWaiting: Bool { if case .waiting = stage { true } else { false } }

  /// Consumes the next bytes, and passes on what can be parsed.
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
      let spool = DocumentSpool(folder: folder)
      try head.withUnsafeBytes(spool.append)
      head = []
      stage = .aside(spool)
    }
  }

  /// Opens the gate: passes on the buffered bytes, and all later ones directly.
  func open(_ emit: PieceSink) throws {
    stage = .open
    let bytes = head
    head = []
    if !bytes.isEmpty { try bytes.withUnsafeBytes(emit) }
  }

  /// Whether the document, which has ended, is the stored one. If not, the caller must release it.
  func isStored() -> Bool {
    switch stage {
    case .open, .waiting: false
    case .undecided, .aside: hasher.finish() == known
    }
  }

  /// Passes on the kept bytes of a document that has ended. Afterwards the gate is waiting again,
  /// for the document of the next page.
  func release(_ emit: PieceSink) throws {
    if case .aside(let spool) = stage { try spool.forEachPiece(emit) }
    try open(emit)
    stage = .waiting
  }
}
