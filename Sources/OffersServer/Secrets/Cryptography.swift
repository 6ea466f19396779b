import Foundation
import OffersCore
import OffersStore
import ServerShim
import Synchronization

/// libcrypto of OpenSSL, which its first use opens. All calls throw `OffersError` if it is not installed, or fails.
package enum LibCrypto {
  private static let opened = SharedLibrary.open("libcrypto", package: "libssl3") {
    offers_libcrypto_open(&$0)
  }

  /// The functions of libcrypto, which is loaded at the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  static func open() throws(OffersError) -> offers_libcrypto { try opened.get() }

  /// The version, such as `3.0.22`; nil if the library is not installed.
  package static var version: String? {
    // Doctor says that it is missing.
    guard let library = try? open() else { return nil }
    return library.OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) }
  }

  /// The error of a call of this thread that has just failed: for lack of memory, or because the configuration
  /// of OpenSSL forbids an algorithm.
  ///
  /// - Parameter action: what could not be done, as the end of a sentence.
  static func failure(_ action: String, _ library: offers_libcrypto) -> OffersError {
    var buffer = [CChar](repeating: 0, count: 256)
    library.ERR_error_string_n(library.ERR_peek_last_error(), &buffer, buffer.count)
    clearFailures()
    let text = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return OffersError(
      .limitExceeded, "OpenSSL could not \(action).",
      hint: "See the free memory and the configuration of OpenSSL.", cause: text)
  }

  /// Forgets the failures of this thread. libcurl and libpq use the same list of failures for their
  /// connections, and would take one that is left there for their own.
  static func clearFailures() {
    // A library that could not be opened has no failures.
    try? open().ERR_clear_error()
  }
}

/// SHA-256 (FIPS 180-4).
enum SHA256 {
  static let byteCount = 32

  static func digest(of bytes: [UInt8]) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var digest = [UInt8](repeating: 0, count: byteCount)
    var count: UInt32 = 0
    guard library.EVP_Digest(bytes, bytes.count, &digest, &count, library.EVP_sha256(), nil) == 1,
      count == byteCount
    else { throw LibCrypto.failure("compute a SHA-256", library) }
    return digest
  }

  static func digest(of text: String) throws -> [UInt8] { try digest(of: Array(text.utf8)) }
}

/// A key of HMAC-SHA-256 (RFC 2104).
package struct HMACKey: Sendable {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func random() throws -> HMACKey { HMACKey(try RandomBytes.make(SHA256.byteCount)) }

  package func code(of message: [UInt8]) throws -> [UInt8] {
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
  func isCode(_ code: [UInt8], of message: [UInt8]) throws -> Bool {
    SecretBytes.areEqual(code, try self.code(of: message))
  }
}

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

/// Random bytes for secrets, of libcrypto's generator, which the kernel seeds.
enum RandomBytes {
  static func make(_ count: Int) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var bytes = [UInt8](repeating: 0, count: count)
    guard let size = Int32(exactly: count), library.RAND_bytes(&bytes, size) == 1 else {
      throw LibCrypto.failure("make random bytes", library)
    }
    return bytes
  }
}

/// A key of authentication codes that all servers of a database share, read when it is first needed.
final class StoredKey: Sendable {
  private let store: OffersDatabase
  private let purpose: String
  private let known = Mutex<HMACKey?>(nil)

  init(_ store: OffersDatabase, for purpose: String) {
    self.store = store
    self.purpose = purpose
  }

  func fetch() async throws -> HMACKey {
    if let key = known.withLock({ $0 }) { return key }
    let key = HMACKey(
      try await store.fetchServerKey(
        for: purpose, orStore: try RandomBytes.make(SHA256.byteCount)))
    known.withLock { $0 = key }
    return key
  }
}

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

/// Base64 for URLs and cookies, without padding (RFC 4648, section 5).
enum Base64URL {
  static func text(of bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing(bytes: "+", with: "-")
      .replacing(bytes: "/", with: "_").replacing(bytes: "=", with: "")
  }

  /// The bytes of a text; nil for a text of another form.
  static func data(of text: some StringProtocol) -> Data? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(
      base64Encoded: String(text).replacing(bytes: "-", with: "+").replacing(bytes: "_", with: "/")
        + padding)
  }
}
