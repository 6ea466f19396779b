import OffersCore

/// Computes a document's fingerprint incrementally.
///
/// The fingerprint includes the rules for reading offers: under other rules the same bytes count as
/// another document, and are parsed again.
struct DocumentHasher {
  private var whole = DocumentHash()
  private var head = DocumentHash()
  private(set) var sizeBytes = 0

  /// The size of a document's head.
  static let headBytes = 64 << 10

  /// - Parameter seed: a hash of the rules; see `FeedDefinition.derivationSeed`.
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

  /// The hash of the head, if this chunk completed the head; nil otherwise.
  func headHash(passedIn piece: UnsafeRawBufferPointer) -> [UInt8]? {
    let isHere = sizeBytes >= Self.headBytes && sizeBytes - piece.count < Self.headBytes
    return isHere ? head.finish() : nil
  }

  func finish() -> DocumentFingerprint {
    DocumentFingerprint(hash: whole.finish(), headHash: head.finish(), sizeBytes: sizeBytes)
  }
}
