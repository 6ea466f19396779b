import OffersCore

/// Stands before the reader and lets a document through, unless it is the stored one again: then
/// nothing of it has to be read.
///
/// A document that begins like the stored one is put aside until its end has told whether it is the
/// same. Any other goes through as it comes.
final class DocumentGate {
  private enum Stage {
    /// The first bytes are collected.
    case undecided
    /// It begins like the stored one, and is put aside.
    case aside(SpoolFile)
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
    stage = known == nil ? .open : .undecided
  }

  /// Takes the next bytes, and hands on what can be read.
  func consume(_ piece: UnsafeRawBufferPointer, _ emit: PieceSink) throws {
    hasher.update(piece)
    switch stage {
    case .open: try emit(piece)
    case .aside(let file): try file.append(piece)
    case .undecided:
      guard let known, let hash = hasher.headHash(passedIn: piece) else {
        head.append(contentsOf: piece)
        return
      }
      if hash == known.headHash {
        let file = try SpoolFile(folder: folder)
        try head.withUnsafeBytes(file.append)
        try file.append(piece)
        stage = .aside(file)
      } else {
        stage = .open
        try head.withUnsafeBytes(emit)
        try emit(piece)
      }
      head = []
    }
  }

  /// Says that the document has ended, and hands on what was put aside if it is another than the
  /// stored one.
  ///
  /// - Returns: whether it is the stored one, of which nothing was handed on.
  func finish(_ emit: PieceSink) throws -> Bool {
    defer { stage = .open }
    switch stage {
    case .open: return false
    case .aside(let file):
      if hasher.finish() == known { return true }
      try file.forEachPiece(emit)
      return false
    case .undecided:
      if hasher.finish() == known { return true }
      try head.withUnsafeBytes(emit)
      head = []
      return false
    }
  }

  typealias PieceSink = (UnsafeRawBufferPointer) throws -> Void
}
