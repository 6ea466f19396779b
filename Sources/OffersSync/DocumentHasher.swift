import OffersCore

/// Takes a document's fingerprint while its pieces go by.
///
/// The rules that offers are read by go into it, too: under other rules the same bytes are another
/// document, and are read again.
struct DocumentHasher {
  private var whole = DocumentHash()
  private var head = DocumentHash()
  private(set) var sizeBytes = 0

  /// How much of a document is its head.
  static let headBytes = 64 << 10

  /// - Parameter seed: stands for the rules; see `FeedDefinition.derivationSeed`.
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

  /// The hash of the head, if the piece that was just added completed it.
  func headHash(passedIn piece: UnsafeRawBufferPointer) -> [UInt8]? {
    let isHere = sizeBytes >= Self.headBytes && sizeBytes - piece.count < Self.headBytes
    return isHere ? head.finish() : nil
  }

  func finish() -> DocumentFingerprint {
    DocumentFingerprint(hash: whole.finish(), headHash: head.finish(), sizeBytes: sizeBytes)
  }
}
