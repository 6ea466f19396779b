import OffersCore

/// The handling of bytes that others must not learn.
enum SecretBytes {
  /// Compares bytes in a time that depends on their number only.
  static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    // Without the library there are no codes to compare.
    guard first.count == second.count, let library = try? LibCrypto.open() else { return false }
    return library.CRYPTO_memcmp(first, second, first.count) == 0
  }

  /// Overwrites bytes that are not needed any more. Other copies of the array keep theirs.
  static func wipe(_ bytes: inout [UInt8]) {
    // Without the library nothing was made that is secret.
    guard let library = try? LibCrypto.open() else { return }
    bytes.withUnsafeMutableBytes { library.OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
