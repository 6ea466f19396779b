import OffersCore
import Testing

@testable import OffersServer

@Suite("Cryptography by libcrypto")
struct CryptographyTests {
  private static func bytes(_ hex: String) throws -> [UInt8] {
    try [UInt8](hexadecimal: hex)
  }

  @Test(
    "SHA-256 gives the digests of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func digests(text: String, digest: String) throws {
    #expect(try SHA256.digest(of: text) == Self.bytes(digest))
  }

  /// The test cases 1, 2 and 6 of RFC 4231.
  @Test(
    "HMAC-SHA-256 gives the codes of RFC 4231, and tells any other code from them",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func codes(key: [UInt8], message: String, code: String) throws {
    let key = HMACKey(key)
    let (message, code) = (Array(message.utf8), try Self.bytes(code))
    #expect(try key.code(of: message) == code)
    #expect(try key.isCode(code, of: message))
    #expect(try !key.isCode(code, of: message + [0]))
    #expect(try !key.isCode(Array(code.dropLast()), of: message))
    #expect(try !key.isCode([], of: message))
    #expect(try !HMACKey.random().isCode(code, of: message))
  }

  @Test("an empty key and an empty message have a code")
  func emptyKey() throws {
    let code = try Self.bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    #expect(try HMACKey([]).code(of: []) == code)
  }

  /// The first two test vectors of RFC 7914, section 12.
  @Test(
    "scrypt gives the keys of RFC 7914",
    arguments: [
      (
        "", "", 16, 1, 1,
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
          + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
      ),
      (
        "password", "NaCl", 1024, 8, 16,
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
          + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
      ),
    ])
  func keys(
    text: String, salt: String, rounds: Int, blockSize: Int, parallelism: Int, key: String
  ) throws {
    let derived = try Scrypt.deriveKey(
      from: Array(text.utf8), salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize,
      parallelism: parallelism, count: 64)
    #expect(try derived == Self.bytes(key))
  }

  @Test(
    "parameters that scrypt does not have, or that take too much memory or time, are an error",
    arguments: [
      (0, 8, 1), (1, 8, 1), (15, 8, 1), (-16, 8, 1), (16, 0, 1), (16, 8, 0), (16, 8, -1),
      (1 << 20, 8, 1), (1 << 17, 8, 1), (16, 8, 17), (16384, 8, 1_000_000), (1 << 62, 8, 1),
      (16, .max, .max),
    ])
  func parameters(rounds: Int, blockSize: Int, parallelism: Int) {
    let error = #expect(throws: OffersError.self) {
      try Scrypt.deriveKey(
        from: [1], salt: [2], rounds: rounds, blockSize: blockSize, parallelism: parallelism,
        count: 32)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("random bytes have the length that was asked for, and differ")
  func random() throws {
    for count in [0, 1, 32, 1000] { #expect(try RandomBytes.make(count).count == count) }
    #expect(try Set((0..<100).map { _ in try RandomBytes.make(16) }).count == 100)
    // A byte that never occurs among 100,000 would be a fault of the generator.
    #expect(try Set(RandomBytes.make(100_000)).count == 256)
  }

  @Test("wiped bytes are zero")
  func wipes() {
    var bytes: [UInt8] = [1, 2, 3]
    SecretBytes.wipe(&bytes)
    #expect(bytes == [0, 0, 0])
  }
}
