import OffersCore

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

  /// Makes a random code.
  ///
  /// - Throws: `OffersError` if no random bytes can be made.
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
