import LibCrypto
import OffersCore

/// A key with which bytes are encrypted and authenticated by AES-256-GCM (NIST SP 800-38D).
///
/// Sealed bytes are a random nonce, the ciphertext and the tag. With random nonces of 96 bits a key is
/// good for 2^32 of them (section 8.3).
struct SealingKey: Sendable {
  private static let nonceBytes = 12
  private static let tagBytes = 16

  private let bytes: [UInt8]

  /// - Parameter bytes: the key, 32 bytes.
  /// - Throws: `OffersError` with `invalidRequest` for a key of another length.
  init(_ bytes: [UInt8]) throws {
    guard bytes.count == 32 else {
      throw OffersError(.invalidRequest, "A key of AES-256 has 32 bytes.")
    }
    self.bytes = bytes
  }

  /// A random key.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func random() throws -> SealingKey { try SealingKey(RandomBytes.make(32)) }

  /// Encrypts bytes.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func seal(_ plain: [UInt8]) throws -> [UInt8] {
    let nonce = try RandomBytes.make(Self.nonceBytes)
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    var (count, rest): (Int32, Int32) = (0, 0)
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    // GCM is a stream cipher: the last step writes no bytes.
    guard context != nil, let size = Int32(exactly: plain.count),
      EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), bytes, nonce, nil) == 1,
      EVP_EncryptUpdate(context, &sealed, &count, plain, size) == 1, count == size,
      EVP_EncryptFinal_ex(context, &tag, &rest) == 1, rest == 0,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag) == 1
    else { throw LibCryptoFailure.error("encrypt") }
    return nonce + sealed + tag
  }

  /// Decrypts bytes.
  ///
  /// - Returns: nil for bytes that were not sealed with this key, or were changed since.
  func open(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.nonceBytes + Self.tagBytes else { return nil }
    let nonce = Array(sealed.prefix(Self.nonceBytes))
    let text = Array(sealed.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
    var tag = Array(sealed.suffix(Self.tagBytes))
    var plain = [UInt8](repeating: 0, count: text.count)
    var end = [UInt8](repeating: 0, count: Self.tagBytes)
    var (count, rest): (Int32, Int32) = (0, 0)
    let context = EVP_CIPHER_CTX_new()
    defer {
      EVP_CIPHER_CTX_free(context)
      LibCryptoFailure.clear()
    }
    guard context != nil, let size = Int32(exactly: text.count),
      EVP_DecryptInit_ex2(context, EVP_aes_256_gcm(), bytes, nonce, nil) == 1,
      EVP_DecryptUpdate(context, &plain, &count, text, size) == 1, count == size,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1,
      // The plain text counts only if this succeeds: it compares the tag.
      EVP_DecryptFinal_ex(context, &end, &rest) == 1
    else { return nil }
    return plain
  }
}
