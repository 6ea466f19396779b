/// Four hexadecimal digits as they stand behind `\u`, all looked at in one word: letters and digits
/// take turns there as no processor foresees.
struct HexDigits {
  /// The first of them is the lowest byte.
  private let word: UInt32

  /// - Parameter p: four bytes, whatever they are.
  @inline(__always)
  init(at p: UnsafePointer<UInt8>) {
    word = UInt32(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt32.self))
  }

  /// Whether all four are digits, or letters from a to f, small or capital.
  @inline(__always)
  var areValid: Bool {
    // A byte below 128 and one of these numbers never carry into the next byte; its upper bit then
    // says whether the byte is at least 128 less that number.
    let ones: UInt32 = 0x0101_0101
    let top: UInt32 = 0x8080_8080
    let plain = word & ~top
    let digits = (plain &+ ones &* (0x80 - 0x30)) & ~(plain &+ ones &* (0x80 - 0x3A))
    let small = plain | ones &* 0x20
    let letters = (small &+ ones &* (0x80 - 0x61)) & ~(small &+ ones &* (0x80 - 0x67))
    return (digits | letters) & ~word & top == top
  }

  /// The number that valid ones make, from 0 to 65535.
  @inline(__always)
  var value: UInt32 {
    let each = (word & 0x0F0F_0F0F) &+ 9 &* (word >> 6 & 0x0101_0101)
    let pairs = each << 4 | each >> 8
    return (pairs & 0xFF) << 8 | pairs >> 16 & 0xFF
  }
}
