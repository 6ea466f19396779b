import Foundation
import OffersCore
import Synchronization

/// The pairing codes of this server process. They are in memory only, so that a restart voids them,
/// and in the form of authentication codes with a random key.
final class PairingCodes: Sendable {
  /// The time for which a code is valid, in seconds: ten minutes.
  static let validSeconds = 600.0
  /// The maximum number of codes of a user that are remembered, used and expired ones included. A
  /// further one takes the place of the user's oldest.
  static let limit = 8

  enum Finding: Sendable {
    /// A valid code, which is used up now.
    case valid(guest: User.ID, maker: Visitor)
    case used
    case expired
    case unknown
  }

  private struct Entry {
    let code: [UInt8]
    let guest: User.ID
    let maker: Visitor
    let madeAt: Date
    var isUsed = false
  }

  /// The key; the error of libcrypto if there is none.
  private let key = Result { try HMACKey.random() }
  private let entries = Mutex<[Entry]>([])

  /// Makes a code.
  ///
  /// - Parameters:
  ///   - maker: the visitor that asks for it. Whether the code is accepted depends on what the maker
  ///     may do by then (`VisitorAuthentication.pair`).
  ///   - now: the time, from which the code is valid for ten minutes.
  func make(for guest: User.ID, by maker: Visitor, now: Date) throws -> PairingCode {
    let code = try PairingCode()
    let entry = Entry(
      code: try authenticationCode(of: code), guest: guest, maker: maker, madeAt: now)
    entries.withLock { entries in
      let own = entries.indices.filter { entries[$0].guest == guest }
      if let oldest = own.first, own.count >= Self.limit { entries.remove(at: oldest) }
      entries.append(entry)
    }
    return code
  }

  /// Finds out what a typed code is. A valid one is used up.
  func redeem(_ typed: String, now: Date) throws -> Finding {
    guard let code = PairingCode(typed) else { return .unknown }
    let shown = try authenticationCode(of: code)
    return entries.withLock { entries in
      // All are compared, in constant time each: the time tells nothing about any of them.
      let matches = entries.indices.filter { SecretBytes.areEqual(entries[$0].code, shown) }
      guard let index = matches.last else { return .unknown }
      if entries[index].isUsed { return .used }
      // A difference below zero comes from a clock that was set back.
      let seconds = now.timeIntervalSince(entries[index].madeAt)
      guard abs(seconds) < Self.validSeconds else { return .expired }
      entries[index].isUsed = true
      return .valid(guest: entries[index].guest, maker: entries[index].maker)
    }
  }

  private func authenticationCode(of code: PairingCode) throws -> [UInt8] {
    try key.get().code(of: Array(code.characters.utf8))
  }
}

/// A one-time code with which a phone logs in, in place of the token: 40 random bits.
///
/// Its alphabet is Crockford's base 32 (https://www.crockford.com/base32.html), which has no letters
/// that look like digits, in two groups: `K7QM-2XPD`.
struct PairingCode: Hashable, Sendable {
  /// The number of characters, of five bits each.
  static let length = 8

  /// The characters without the hyphen.
  let characters: String

  /// The code in two groups, for people.
  var text: String {
    let half = characters.utf8.index(characters.startIndex, offsetBy: Self.length / 2)
    return "\(characters[..<half])-\(characters[half...])"
  }

  init() throws {
    // The number of characters is a power of two, so that all are equally likely.
    let bytes = try RandomBytes.make(Self.length).map {
      Self.alphabet[Int($0) % Self.alphabet.count]
    }
    characters = String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a code as people type it: in any case, with or without the hyphen and spaces, and with
  /// the letters O, I and L in place of the digits that they look like.
  ///
  /// - Returns: nil for a text that is no code.
  init?(_ typed: String) {
    // A longer text is no code, whatever it has.
    guard typed.utf8.count <= 4 * Self.length else { return nil }
    var bytes: [UInt8] = []
    for byte in typed.utf8 {
      let upper = 0x61...0x7A ~= byte ? byte - 0x20 : byte
      switch upper {
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case UInt8(ascii: "O"): bytes.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): bytes.append(UInt8(ascii: "1"))
      default:
        guard Self.alphabet.contains(upper) else { return nil }
        bytes.append(upper)
      }
    }
    guard bytes.count == Self.length else { return nil }
    characters = String(decoding: bytes, as: UTF8.self)
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
}
