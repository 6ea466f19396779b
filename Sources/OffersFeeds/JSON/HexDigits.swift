/// Four hexadecimal digits after `\u`, validated and converted as one word. A branch per digit
/// would be mispredicted often, since letters and digits alternate at random.
struct HexDigits {
  /// The digits, the first one in the lowest byte.
  private let word: UInt32

  /// - Parameter p: four readable bytes; they need not be digits.
  @inline(__always)
  init(at p: UnsafePointer<UInt8>) {
    word = UInt32(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt32.self))
  }

  /// Whether all four bytes are digits or the letters a to f, in either case.
  @inline(__always)
  var areValid: Bool {
    // Adding 0x80 - n to a byte below 0x80 never carries into the next byte, and sets its top bit
    // exactly if the byte is at least n.
    let ones: UInt32 = 0x0101_0101
    let top: UInt32 = 0x8080_8080
    let plain = word & ~top
    let digits = (plain &+ ones &* (0x80 - 0x30)) & ~(plain &+ ones &* (0x80 - 0x3A))
    let small = plain | ones &* 0x20
    let letters = (small &+ ones &* (0x80 - 0x61)) & ~(small &+ ones &* (0x80 - 0x67))
    return (digits | letters) & ~word & top == top
  }

  /// The value of valid digits, from 0 to 65535.
  @inline(__always)
  var value: UInt32 {
    let each = (word & 0x0F0F_0F0F) &+ 9 &* (word >> 6 & 0x0101_0101)
    let pairs = each << 4 | each >> 8
    return (pairs & 0xFF) << 8 | pairs >> 16 & 0xFF
  }
}
