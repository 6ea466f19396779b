import OffersCore

/// A key of HMAC-SHA-256 (RFC 2104).
struct HMACKey: Sendable {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A random key of 256 bits.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func random() throws -> HMACKey { HMACKey(try RandomBytes.make(SHA256.byteCount)) }

  /// The authentication code of a message.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func code(of message: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var code = [UInt8](repeating: 0, count: SHA256.byteCount)
    var count: UInt32 = 0
    guard let keyCount = Int32(exactly: bytes.count),
      library.HMAC(library.EVP_sha256(), bytes, keyCount, message, message.count, &code, &count)
        != nil,
      count == SHA256.byteCount
    else { throw LibCrypto.failure("compute an authentication code", library) }
    return code
  }

  /// Whether a code is that of a message, compared in constant time.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func isCode(_ code: [UInt8], of message: [UInt8]) throws -> Bool {
    SecretBytes.areEqual(code, try self.code(of: message))
  }
}
