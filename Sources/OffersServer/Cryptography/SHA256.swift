import LibCrypto
import OffersCore

/// SHA-256 (FIPS 180-4).
enum SHA256 {
  static let byteCount = 32

  /// The digest of some bytes.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func digest(of bytes: [UInt8]) throws -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    var count: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1,
      count == byteCount
    else { throw LibCryptoFailure.error("compute a SHA-256") }
    return digest
  }

  /// The digest of the UTF-8 of a text.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func digest(of text: String) throws -> [UInt8] { try digest(of: Array(text.utf8)) }
}
