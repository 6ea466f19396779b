/// The stored form of a passphrase: the output of scrypt (RFC 7914) with its parameters.
package struct PassphraseHash: Hashable, Sendable {
  /// The random salt, 16 bytes.
  package let salt: [UInt8]
  /// The cost N, a power of two. A derivation needs 128 · N · `blockSize` bytes.
  package let rounds: Int
  package let blockSize: Int
  package let parallelism: Int
  /// The derived key, 32 bytes.
  package let hash: [UInt8]

  package init(salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, hash: [UInt8]) {
    self.salt = salt
    self.rounds = rounds
    self.blockSize = blockSize
    self.parallelism = parallelism
    self.hash = hash
  }
}
