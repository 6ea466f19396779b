import OffersPlatform

/// Converts an encoding with one byte per character, whose lower half is ASCII, to UTF-8 with a
/// lookup table. Undefined bytes become U+FFFD.
struct SingleByteDecoder {
  /// The characters of the bytes from 0x80 to 0xFF.
  private let scalars: [UInt32]

  /// The decoder for windows-1252, which browsers use for ISO-8859-1 as well (WHATWG Encoding
  /// Standard, index windows-1252). The five undefined bytes are the control characters with the
  /// same number.
  static var windows1252: SingleByteDecoder {
    SingleByteDecoder(scalars: windows1252Controls + (0xA0...0xFF))
  }

  /// The characters of windows-1252 from 0x80 to 0x9F.
  static let windows1252Controls: [UInt32] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]

  /// Returns the decoder for an encoding of the system's iconv; nil when the system does not know
  /// it.
  static func make(iconvName: String) -> SingleByteDecoder? {
    guard let conversion = CharsetConversion(from: iconvName, to: "UTF-32LE") else { return nil }
    let scalars = (0x80...0xFF).map { (byte: UInt8) -> UInt32 in
      var scalar: UInt32 = 0xFFFD
      withUnsafeBytes(of: byte) { input in
        withUnsafeMutableBytes(of: &scalar) { output in
          // iconv holds some characters back, since a combining accent might follow.
          if conversion.convert(input, into: output).written == 0 {
            _ = conversion.flush(into: output)
          }
        }
      }
      conversion.reset()
      return UInt32(littleEndian: scalar)
    }
    return SingleByteDecoder(scalars: scalars)
  }

  func decode(
    _ bytes: UnsafeRawBufferPointer, into output: TextOutput, _ emit: ByteSink
  ) throws {
    var index = 0
    while index < bytes.count {
      let end = ASCIIScan.firstOther(in: bytes, from: index)
      if end > index { try output.append(bytes.slice(index, end), emit) }
      index = end
      while index < bytes.count && bytes[index] >= 0x80 {
        try output.append(scalar: scalars[Int(bytes[index] & 0x7F)], emit)
        index += 1
      }
    }
    try output.flush(emit)
  }
}
