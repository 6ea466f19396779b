import Foundation
import OffersCore
import ServerShim

/// Encrypts messages for browsers (RFC 8291 over RFC 8188), and authorizes their requests by the key of the
/// server (VAPID, RFC 8292).
package struct PushSealer: Sendable {
  /// The key that browsers bind their subscriptions to. With another key all of them are lost.
  private let key: PushKey

  /// - Parameter key: the private key, 32 bytes that the store keeps.
  /// - Throws: `OffersError` with `limitExceeded` for bytes that are no key.
  package init(key: [UInt8]) throws { self.key = try PushKey(key) }

  /// A new private key.
  package static func makeKey() throws -> [UInt8] { try PushKey.random().bytes }

  /// The public key for the page (`applicationServerKey`), in Base64 for URLs.
  package var publicKey: String { Base64URL.text(of: key.point) }

  /// The error of a subscription whose keys are none.
  fileprivate static let keyRefusal = OffersError(
    .invalidRequest, "The keys of the subscription are no keys of Web Push.",
    hint: "Subscribe again on the page.")

  /// Encrypts and authorizes a message.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a subscription whose keys have another form, or a text
  ///   that is too long; with `limitExceeded` if libcrypto fails.
  package func seal(_ envelope: PushEnvelope) throws -> SealedPush {
    guard let point = Base64URL.data(of: envelope.publicKey).map(Array.init), point.count == 65,
      point.first == 4, let secret = Base64URL.data(of: envelope.secret).map(Array.init),
      secret.count == 16, envelope.text.count <= PushEnvelope.mostBytes
    else { throw Self.keyRefusal }
    let body = try Self.encrypt(
      envelope.text, for: point, secret, by: try .random(), salt: try RandomBytes.make(16))
    return SealedPush(
      body: body, authorization: try authorization(envelope))
  }

  /// The one record of the encrypted body (RFC 8291, section 3.4).
  ///
  /// - Parameters:
  ///   - point: the public key of the browser.
  ///   - secret: the secret of the subscription.
  ///   - key: a key that is used once.
  static func encrypt(
    _ text: [UInt8], for point: [UInt8], _ secret: [UInt8], by key: PushKey, salt: [UInt8]
  ) throws -> [UInt8] {
    let shared = try key.agree(with: point)
    /// HKDF (RFC 5869) with one round of its second step.
    func derive(_ salt: [UInt8], _ input: [UInt8], _ info: [UInt8], _ count: Int) throws -> [UInt8]
    {
      let pseudorandom = try HMACKey(salt).code(of: input)
      return Array(try HMACKey(pseudorandom).code(of: info + [1]).prefix(count))
    }
    let info = Array("WebPush: info\0".utf8) + point + key.point
    let input = try derive(secret, shared, info, 32)
    let contentKey = try derive(salt, input, Array("Content-Encoding: aes128gcm\0".utf8), 16)
    let nonce = try derive(salt, input, Array("Content-Encoding: nonce\0".utf8), 12)
    // The salt, the size of a record (4,096), and the public key with its length. The record ends with a 2.
    let head = salt + [0, 0, 0x10, 0, UInt8(key.point.count)] + key.point
    return head + (try AES128GCM.encrypt(text + [2], key: contentKey, nonce: nonce))
  }

  private func authorization(_ envelope: PushEnvelope) throws -> String {
    let claims = JSONWriter.document { json in
      json.member("aud", envelope.audience)
      json.member("exp", envelope.expiresAt.storedSeconds)
      json.member("sub", envelope.contact)
    }
    let head = Base64URL.text(of: #"{"typ":"JWT","alg":"ES256"}"#.utf8)
    let signed = "\(head).\(Base64URL.text(of: claims.utf8))"
    let signature = Base64URL.text(of: try key.sign(Array(signed.utf8)))
    return "vapid t=\(signed).\(signature), k=\(publicKey)"
  }
}

/// A key pair on the curve P-256, for ECDH and for ES256 (RFC 7518, section 3.4).
struct PushKey: Sendable {
  /// The private key.
  let bytes: [UInt8]
  /// The public key as an uncompressed point: a 4 and both coordinates.
  let point: [UInt8]

  /// What stands before the private key in PKCS #8 (RFC 5208), and before the public one in its DER form
  /// (RFC 5480).
  private static let privateHead: [UInt8] = [
    0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
    0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01,
    0x01, 0x04, 0x20,
  ]
  private static let publicHead: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    let library = try LibCrypto.open()
    point = try Self.withKey(bytes, library) { key in
      var der: UnsafeMutablePointer<UInt8>?
      // The pointer moves behind what is written, so that the text is written into an array.
      let count = library.i2d_PUBKEY(key, nil)
      guard count == Self.publicHead.count + 65 else { return nil }
      var text = [UInt8](repeating: 0, count: Int(count))
      return text.withUnsafeMutableBufferPointer { buffer in
        der = buffer.baseAddress
        return library.i2d_PUBKEY(key, &der) == count ? Array(buffer.suffix(65)) : nil
      }
    }
  }

  /// A new key.
  static func random() throws -> PushKey { try PushKey(RandomBytes.make(32)) }

  /// The secret that this key and another one share (ECDH).
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a point that is not on the curve.
  func agree(with point: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    let der = Self.publicHead + point
    return try Self.withKey(bytes, library) { key in
      let peer = der.withUnsafeBufferPointer { buffer in
        var place = buffer.baseAddress
        return library.d2i_PUBKEY(nil, &place, der.count)
      }
      guard let peer else {
        LibCrypto.clearFailures()
        throw PushSealer.keyRefusal
      }
      defer { library.EVP_PKEY_free(peer) }
      let context = library.EVP_PKEY_CTX_new(key, nil)
      defer { library.EVP_PKEY_CTX_free(context) }
      var secret = [UInt8](repeating: 0, count: 32)
      var count = secret.count
      guard library.EVP_PKEY_derive_init(context) == 1,
        library.EVP_PKEY_derive_set_peer(context, peer) == 1,
        library.EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
      else { return nil }
      return secret
    }
  }

  /// The signature of a message by ES256: two numbers of 32 bytes.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    return try Self.withKey(bytes, library) { key in
      let context = library.EVP_MD_CTX_new()
      defer { library.EVP_MD_CTX_free(context) }
      var der = [UInt8](repeating: 0, count: 80)
      var count = der.count
      guard library.EVP_DigestSignInit(context, nil, library.EVP_sha256(), nil, key) == 1,
        library.EVP_DigestSign(context, &der, &count, message, message.count) == 1
      else { return nil }
      return Self.numbers(ofSignature: Array(der.prefix(count)))
    }
  }

  /// The numbers of a signature in DER: a sequence of two integers, of which each may have a 0 before it, or
  /// lack those at its beginning.
  private static func numbers(ofSignature der: [UInt8]) -> [UInt8]? {
    var rest = der.dropFirst(2)
    var result: [UInt8] = []
    for _ in 0..<2 {
      guard rest.count > 2, rest.removeFirst() == 2 else { return nil }
      let count = Int(rest.removeFirst())
      guard rest.count >= count else { return nil }
      let number = rest.prefix(count).drop { $0 == 0 }
      guard number.count <= 32 else { return nil }
      result += [UInt8](repeating: 0, count: 32 - number.count) + number
      rest = rest.dropFirst(count)
    }
    return result
  }

  /// Calls `body` with libcrypto's form of a private key.
  private static func withKey(
    _ bytes: [UInt8], _ library: offers_libcrypto, _ body: (OpaquePointer) throws -> [UInt8]?
  ) throws -> [UInt8] {
    let der = privateHead + bytes
    let key = der.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      return library.d2i_AutoPrivateKey(nil, &place, der.count)
    }
    defer { library.EVP_PKEY_free(key) }
    guard bytes.count == 32, let key, let result = try body(key) else {
      throw LibCrypto.failure("use a key of Web Push", library)
    }
    return result
  }
}

/// AES-128 in Galois/Counter Mode (NIST SP 800-38D) with a tag of 16 bytes.
enum AES128GCM {
  /// - Returns: the encrypted text and its tag.
  static func encrypt(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    let context = library.EVP_CIPHER_CTX_new()
    defer { library.EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: text.count)
    var tag = [UInt8](repeating: 0, count: 16)
    var (count, rest) = (Int32(0), Int32(0))
    guard key.count == 16, nonce.count == 12, let size = Int32(exactly: text.count),
      library.EVP_EncryptInit_ex(context, library.EVP_aes_128_gcm(), nil, key, nonce) == 1,
      library.EVP_EncryptUpdate(context, &result, &count, text, size) == 1, count == size,
      // This mode writes nothing at its end.
      library.EVP_EncryptFinal_ex(context, &tag, &rest) == 1, rest == 0,
      library.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    else { throw LibCrypto.failure("encrypt a message", library) }
    return result + tag
  }
}
