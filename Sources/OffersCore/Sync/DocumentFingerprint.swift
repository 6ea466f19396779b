/// Identifies a document, to detect that it has not changed.
package struct DocumentFingerprint: Hashable, Sendable {
  /// The hash of the whole document, 16 bytes; see `DocumentHash`.
  package let hash: [UInt8]
  /// The hash of the first 64 KiB, which identifies most changed documents before all of the
  /// document is read.
  package let headHash: [UInt8]
  package let sizeBytes: Int

  package init(hash: [UInt8], headHash: [UInt8], sizeBytes: Int) {
    self.hash = hash
    self.headHash = headHash
    self.sizeBytes = sizeBytes
  }
}
