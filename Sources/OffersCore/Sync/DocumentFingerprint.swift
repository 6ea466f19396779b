/// Identifies a document, to detect that it has not changed.
public struct DocumentFingerprint: Hashable, Sendable {
  /// The hash of the whole document, 16 bytes; see `DocumentHash`.
  public let hash: [UInt8]
  /// The hash of the first 64 KiB, which identifies most changed documents before they are read completely.
  public let headHash: [UInt8]
  public let sizeBytes: Int

  public init(hash: [UInt8], headHash: [UInt8], sizeBytes: Int) {
    self.hash = hash
    self.headHash = headHash
    self.sizeBytes = sizeBytes
  }
}
