import Foundation
import OffersCore

/// Passphrases, and their derivation by scrypt (RFC 7914).
///
/// A stored passphrase keeps the cost that it was made with.
package enum Passphrase {
  /// The cost of a derivation: the parameters N, r and p of scrypt.
  package struct Cost: Sendable {
    let rounds: Int
    let blockSize: Int
    let parallelism: Int

    /// As OWASP's Password Storage Cheat Sheet recommends: 32 MiB and some tenths of a second of one
    /// processor.
    package static let recommended = Cost(rounds: 1 << 15, blockSize: 8, parallelism: 3)
  }

  private static let saltBytes = 16
  private static let keyBytes = 32
  /// The least and the greatest length, in characters and bytes.
  package static let leastCharacters = 10
  private static let mostBytes = 1024

  /// Checks a new passphrase.
  ///
  /// - Parameter user: the name of its user, which adds nothing to it.
  /// - Throws: `OffersError` with `invalidRequest` for one that is too short, too long or easily
  ///   guessed.
  package static func check(_ text: String, of user: String) throws {
    let hint = "Several words that do not belong together are easy to remember and hard to guess."
    guard text.count >= leastCharacters else {
      throw OffersError(
        .invalidRequest,
        "The passphrase is too short: it must have at least \(leastCharacters) characters.",
        hint: hint)
    }
    guard text.utf8.count <= mostBytes else {
      throw OffersError(.invalidRequest, "The passphrase has more than \(mostBytes) bytes.")
    }
    let rest = ([user.lowercased()] + frequentTexts).reduce(text.lowercased()) {
      $0.replacing(bytes: $1, with: "")
    }
    guard Set(rest).count >= 5, rest.count >= 6 else {
      throw OffersError(
        .invalidRequest, "The passphrase is too weak: programs guess such texts first.", hint: hint)
    }
  }

  /// Texts that guessing programs try first, which add nothing to a passphrase. Attempts are limited
  /// as well, and each costs a derivation.
  private static let frequentTexts = [
    "password", "passw0rd", "p4ssw0rd", "p@ssw0rd", "passwort", "passphrase",
    "letmein", "iloveyou", "welcome", "changeme", "secret", "dragon", "monkey",
    "sunshine", "princess", "football", "master", "admin", "offers", "12345", "67890", "98765",
    "43210", "abcdef", "qwert", "asdf", "zxcv", "1q2w3e", "1qaz2wsx",
  ]

  /// Derives the stored form of a passphrase, with a new salt. Blocks the calling thread.
  package static func hash(
    _ text: String, cost: Cost = .recommended
  ) throws -> PassphraseHash {
    let salt = try RandomBytes.make(saltBytes)
    return PassphraseHash(
      salt: salt, rounds: cost.rounds, blockSize: cost.blockSize, parallelism: cost.parallelism,
      hash: try derive(text, salt, cost))
  }

  /// Whether a text is a passphrase. Blocks the calling thread.
  ///
  /// - Parameters:
  ///   - stored: the stored form; nil takes as long as another and gives false, so that the time does
  ///     not tell which users there are.
  ///   - cost: the cost of new passphrases, which the derivation for nil takes as well.
  static func matches(_ text: String, _ stored: PassphraseHash?, cost: Cost) throws -> Bool {
    let salt = stored?.salt ?? Array(repeating: 0, count: saltBytes)
    let cost =
      stored.map {
        Cost(rounds: $0.rounds, blockSize: $0.blockSize, parallelism: $0.parallelism)
      } ?? cost
    var key = try derive(text, salt, cost)
    defer { SecretBytes.wipe(&key) }
    guard let stored else { return false }
    return SecretBytes.areEqual(key, stored.hash)
  }

  private static func derive(
    _ text: String, _ salt: [UInt8], _ cost: Cost
  ) throws -> [UInt8] {
    // Keyboards of two systems may compose the same text differently (RFC 8265, section 4.2).
    var bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
    defer { SecretBytes.wipe(&bytes) }
    return try Scrypt.deriveKey(
      from: bytes, salt: salt, rounds: cost.rounds, blockSize: cost.blockSize,
      parallelism: cost.parallelism, count: keyBytes)
  }
}
