import OffersCore

/// SHA-256 (FIPS 180-4).
enum SHA256 {
  static let byteCount = 32

  /// The digest of some bytes.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func digest(of bytes: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var digest = [UInt8](repeating: 0, count: byteCount)
    var count: UInt32 = 0
    guard library.EVP_Digest(bytes, bytes.count, &digest, &count, library.EVP_sha256(), nil) == 1,
      count == byteCount
    else { throw LibCrypto.failure("compute a SHA-256", library) }
    return digest
  }

  /// The digest of the UTF-8 of a text.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func digest(of text: String) throws -> [UInt8] { try digest(of: Array(text.utf8)) }
}
