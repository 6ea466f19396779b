import OffersCore

/// Stands before the reader and lets a document through, unless it is the stored one again: then
/// nothing of it has to be read.
///
/// A document that begins like the stored one is put aside until its end has told whether it is the
/// same. Any other goes through as soon as the gate is opened for it.
final class DocumentGate {
  private enum Stage {
    /// The first bytes are collected.
    case undecided
    /// It is another document, and waits to be let through.
    case waiting
    /// It begins like the stored one, and is put aside.
    case aside(DocumentSpool)
    case open
  }

  private(set) var hasher: DocumentHasher
  private let known: DocumentFingerprint?
  private let folder: String
  private var stage: Stage
  private var head: [UInt8] = []

  /// - Parameters:
  ///   - seed: see `DocumentHasher`.
  ///   - known: the stored document; nil to let everything through.
  ///   - folder: where to put a document aside.
  init(seed: UInt64, known: DocumentFingerprint?, folder: String) {
    hasher = DocumentHasher(seed: seed)
    self.known = known
    self.folder = folder
    stage = known == nil ? .waiting : .undecided
  }

  typealias PieceSink = (UnsafeRawBufferPointer) throws -> Void

  /// Whether it is for the caller to open the gate.
  var isWaiting: Bool { if case .waiting = stage { true } else { false } }

  /// Takes the next bytes, and hands on what can be read.
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

  /// Lets the document through from now on.
  func open(_ emit: PieceSink) throws {
    stage = .open
    let bytes = head
    head = []
    if !bytes.isEmpty { try bytes.withUnsafeBytes(emit) }
  }

  /// Whether a document that has ended is the stored one. If it is not, the gate waits to be opened,
  /// and then to be told to `release` what was put aside.
  func isStored() -> Bool {
    switch stage {
    case .open, .waiting: false
    case .undecided, .aside: hasher.finish() == known
    }
  }

  /// Hands on all that was kept of a document that has ended. The next one waits to be let through.
  func release(_ emit: PieceSink) throws {
    if case .aside(let spool) = stage { try spool.forEachPiece(emit) }
    try open(emit)
    stage = .waiting
  }
}
