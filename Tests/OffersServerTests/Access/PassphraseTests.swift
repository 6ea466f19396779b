import OffersCore
import Testing

@testable import OffersServer

@Suite("Stored passphrases")
struct PassphraseTests {
  /// The stored form of a passphrase at the recommended cost, by another implementation of scrypt:
  /// `hashlib.scrypt(text, salt=bytes(range(first, first + 16)), n=2**15, r=8, p=3, dklen=32)`.
  private static func stored(salt first: UInt8, _ hash: String) throws -> PassphraseHash {
    PassphraseHash(
      salt: Array(first..<(first + 16)), rounds: 1 << 15, blockSize: 8, parallelism: 3,
      hash: try [UInt8](hexadecimal: hash))
  }

  @Test(
    "a passphrase that was stored at the recommended cost is accepted, in any composition",
    arguments: [
      (
        "correct horse battery staple", UInt8(0),
        "6705dba046cafbaba8de989bca88e0038ce03542d0c0cd96a8f956a72f86ee67"
      ),
      (
        "Gru\u{308}\u{DF}e an vier Vo\u{308}gel", UInt8(16),
        "4b23e762d19d97d99b6a5ee59b9d8e8c30450db0ae848147aa43d8aa862bd0b0"
      ),
    ])
  func accepts(text: String, salt: UInt8, hash: String) throws {
    let stored = try Self.stored(salt: salt, hash)
    let cost = ServedHome.passphraseCost
    #expect(try Passphrase.matches(text, stored, cost: cost))
    #expect(try !Passphrase.matches(text + " ", stored, cost: cost))
  }

  @Test("a new stored form has a salt of its own, the cost and 32 bytes, and only its text matches")
  func makes() throws {
    let cost = ServedHome.passphraseCost
    let first = try Passphrase.hash("correct horse battery", cost: cost)
    let second = try Passphrase.hash("correct horse battery", cost: cost)
    #expect(first.salt.count == 16)
    #expect(first.hash.count == 32)
    #expect((first.rounds, first.blockSize, first.parallelism) == (16, 8, 1))
    #expect(first.salt != second.salt)
    #expect(first.hash != second.hash)
    #expect(try Passphrase.matches("correct horse battery", first, cost: .recommended))
    #expect(try !Passphrase.matches("correct horse batteries", first, cost: .recommended))
    #expect(try !Passphrase.matches("correct horse battery", nil, cost: cost))
  }

  @Test("a new passphrase is derived at the cost that OWASP's cheat sheet recommends")
  func recommended() throws {
    let stored = try Passphrase.hash(ServedHome.passphrase)
    #expect((stored.rounds, stored.blockSize, stored.parallelism) == (32_768, 8, 3))
  }
}
