import OffersCore

/// The derivation of keys from passphrases by scrypt (RFC 7914).
enum Scrypt {
  /// The most memory of a derivation, in bytes. libcrypto's own limit is 32 MiB, which is just too little
  /// for N = 2^15 and r = 8.
  private static let mostBytes: UInt64 = 64 << 20
  /// The most blocks that are derived one after another, each in the time for N and r.
  private static let mostParallelism: UInt64 = 16

  /// Derives a key. Blocks the calling thread, and takes 128 · N · `blockSize` bytes of memory.
  ///
  /// - Parameters:
  ///   - rounds: N, a power of two.
  ///   - blockSize: r.
  ///   - parallelism: p.
  ///   - count: the length of the key, in bytes.
  /// - Throws: `OffersError` with `limitExceeded` for invalid parameters, for those that would take more
  ///   than 64 MiB or has more than 16 blocks, and if libcrypto fails.
  static func deriveKey(
    from passphrase: [UInt8], salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int,
    count: Int
  ) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var key = [UInt8](repeating: 0, count: count)
    guard let rounds = UInt64(exactly: rounds), let blockSize = UInt64(exactly: blockSize),
      let parallelism = UInt64(exactly: parallelism), parallelism <= mostParallelism
    else { throw LibCrypto.failure("derive a key", library) }
    let result = passphrase.withUnsafeBytes { passphrase in
      library.EVP_PBE_scrypt(
        passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count,
        salt, salt.count, rounds, blockSize, parallelism, mostBytes, &key, key.count)
    }
    guard result == 1 else { throw LibCrypto.failure("derive a key", library) }
    return key
  }
}
