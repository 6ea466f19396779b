import LibCrypto

/// The handling of bytes that others must not learn.
enum SecretBytes {
  /// Compares bytes in a time that depends on their number only.
  static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
  }

  /// Overwrites bytes that are not needed any more. Other copies of the array keep theirs.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
