import OffersCore
import OffersFeeds

extension FeedPages {
  /// Whether the document of a file or of the sample is the stored one, according to its hash, so
  /// that it need not be parsed. Most changed files are recognized by their size or their first
  /// bytes already. False for other sources, and for files with several pages.
  func isStored(_ known: DocumentFingerprint, seed: UInt64) async throws -> Bool {
    let hasher = DocumentHasher(seed: seed)
    switch source {
    case .file(let path):
      if hasPages { return false }
      guard FileDocument.findSize(path: path) == known.sizeBytes else { return false }
      do {
        try await FileDocument.read(path: path) { piece in
          hasher.update(piece)
          if let head = hasher.headHash(passedIn: piece), head != known.headHash {
            throw AnotherDocument()
          }
        }
      } catch is AnotherDocument {
        return false
      }
    case .sample:
      let sample = FeedCatalog.findSample(of: definition.name) ?? []
      sample.withUnsafeBytes { hasher.update($0) }
    case .url, .standardInput:
      return false
    }
    return hasher.finish() == known
  }

  /// An error that ends the hashing of a document that differs from the stored one.
  private struct AnotherDocument: Error {}
}

/// Computes a document's fingerprint incrementally.
///
/// The fingerprint includes a hash of the rules for reading offers (the definition and the versions
/// of the parsers): under other rules the same bytes count as another document.
final class DocumentHasher {
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

  func update(_ piece: UnsafeRawBufferPointer) {
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
