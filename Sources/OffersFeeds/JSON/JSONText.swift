import OffersCore

/// The decoding of JSON texts.
enum JSONText {
  /// Returns the decoded text, and whether a part of it was replaced by U+FFFD.
  ///
  /// - Parameters:
  ///   - raw: the text without its quotes. `ByteBlock.byteCount` readable bytes follow it.
  ///   - traits: what the scanner found in it.
  @inline(__always)
  static func decode(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits
  ) -> (text: String, isMended: Bool) {
    if traits.hasEscapes { return unescape(raw, traits) }
    if !traits.hasNonASCII { return (String(decoding: raw, as: UTF8.self), false) }
    return checked(raw)
  }

  private static func checked(_ bytes: UnsafeRawBufferPointer) -> (text: String, isMended: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
    return (String(decoding: bytes, as: UTF8.self), true)
  }

  private static func unescape(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits
  ) -> (text: String, isMended: Bool) {
    // Whole blocks are copied, so the last one may extend past the end of the text.
    withUnsafeTemporaryAllocation(
      byteCount: raw.count + ByteBlock.byteCount, alignment: 1
    ) { room in
      guard let source = raw.baseAddress, let target = room.baseAddress else { return ("", false) }
      var isMended = false
      let count = unescape(
        source.assumingMemoryBound(to: UInt8.self), raw.count,
        to: target.assumingMemoryBound(to: UInt8.self), &isMended)
      let (text, isInvalid) = checked(UnsafeRawBufferPointer(start: target, count: count))
      return (text, isMended || isInvalid)
    }
  }

  /// Decodes escapes, which the scanner has validated; returns the number of bytes written.
  private static func unescape(
    _ start: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>,
    _ isMended: inout Bool
  ) -> Int {
    var p = start
    let end = start + count
    var out = target
    while p < end {
      copyToEscape(&p, end, &out)
      if p == end { break }
      switch p[1] {
      case 0x6E:
        // \r\n becomes \n: overwrites the preceding carriage return.
        if out > target, out[-1] == 0x0D { out -= 1 }
        out.pointee = 0x0A
      case 0x72: out.pointee = 0x0D
      case 0x74: out.pointee = 0x09
      case 0x62: out.pointee = 0x08
      case 0x66: out.pointee = 0x0C
      case 0x75:
        var scalar = scalar(&p, end, &isMended)
        if scalar == 0 {
          // C functions, such as SQLite's, would truncate the text at a NUL.
          scalar = 0xFFFD
          isMended = true
        }
        if scalar == 0x0A, out > target, out[-1] == 0x0D { out -= 1 }
        // The escape has more bytes than are stored, so they are within the allocated ones.
        let (packed, length) = UTF8Scalar.pack(scalar)
        UnsafeMutableRawPointer(out).storeBytes(of: packed.littleEndian, as: UInt32.self)
        out += length
        continue
      default: out.pointee = p[1]
      }
      out += 1
      p += 2
    }
    return out - target
  }

  /// Copies the text up to the next escape or the end.
  @inline(__always)
  private static func copyToEscape(
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
    _ out: inout UnsafeMutablePointer<UInt8>
  ) {
    while p < end {
      // Reading past the end is safe, since the buffer is padded.
      let slashes = ByteBlock.copy(p, to: out)
      let run = min(slashes.countBefore, end - p)
      p += run
      out += run
      if !slashes.isEmpty { return }
    }
  }

  /// Decodes `\u` and four hexadecimal digits, or two of these that are a surrogate pair, and moves
  /// past them. An unpaired surrogate, which is not a character, is U+FFFD (RFC 8259, section
  /// 8.2).
  private static func scalar(
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isMended: inout Bool
  ) -> UInt32 {
    let first = unit(p + 2)
    p += 6
    guard first & 0xF800 == 0xD800 else { return first }
    if first < 0xDC00, end - p >= 6, p[0] == 0x5C, p[1] == 0x75 {
      let second = unit(p + 2)
      if second & 0xFC00 == 0xDC00 {
        p += 6
        return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)
      }
    }
    isMended = true
    return 0xFFFD
  }

  /// The value of four hexadecimal digits.
  private static func unit(_ p: UnsafePointer<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | UInt32(ASCII.hexDigit(p[$1]) ?? 0) }
  }
}

/// Writes JSON texts and lists.
enum JSONTextEncoder {
  /// Returns a text as a JSON string with its quotes.
  static func text(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 2)
    text.withBytes { append($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns values, which are JSON, as a JSON list.
  static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

  private static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, 0x6E]
      case 0..<0x20:
        bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }

  private static let hex = Array("0123456789abcdef".utf8)
}

/// The texts that a JSON number stands for as an id and as an amount of money.
///
/// Programs that keep a column as floating-point numbers print `1` as `1.0` or `1e0`. These are the
/// same number, so they are the same id. The digits are never converted to a binary number, which
/// would make large ids equal.
enum JSONNumberText {
  /// The most digits of a number with an exponent, before and after it is written out. A longer one is left
  /// unchanged.
  private static let digitLimit = 40

  /// Returns a number with an exponent or more than two decimals without them, if they are zeros or
  /// the noise of binary numbers: `5.000` as `5`, `1e2` as `100`, `29.989999999999998` as `29.99`. In a
  /// JSON number the point is never a mark between thousands, as it may be in a printed text.
  ///
  /// - Parameter number: a JSON number.
  static func amount(_ number: String) -> String {
    let text = Array(number.utf8)
    let point = text.firstIndex(of: 0x2E)
    let isPlain = !text.contains { $0 | 0x20 == 0x65 }
    if isPlain, point.map({ text.count - $0 <= 3 }) ?? true { return number }
    if isPlain, let point, text.count - point > noisyDecimals, point <= 9,
      let value = Double(number)
    {
      let rounded = (value * 1e6).rounded() / 1e6
      return canonical("\(rounded)")
    }
    return canonical(number)
  }

  /// More decimals than this are the noise of a binary number.
  private static let noisyDecimals = 10

  /// Returns a whole number as its digits; of another number the text without zeros at the end of
  /// its fraction, and one with an exponent unchanged.
  ///
  /// - Parameter number: a JSON number.
  static func canonical(_ number: String) -> String {
    if number.utf8.allSatisfy(CharacterScan.isDigit) { return number }
    let text = Array(number.utf8)
    let isNegative = text.first == 0x2D
    var digits: [UInt8] = []
    var fractionCount = 0
    var index = isNegative ? 1 : 0
    var isFraction = false
    while index < text.count, text[index] | 0x20 != 0x65 {
      if text[index] == 0x2E {
        isFraction = true
      } else {
        digits.append(text[index])
        if isFraction { fractionCount += 1 }
      }
      index += 1
    }
    while fractionCount > 0, digits.last == 0x30 {
      digits.removeLast()
      fractionCount -= 1
    }
    let hasExponent = index < text.count
    if hasExponent {
      guard let exponent = Int(String(decoding: text[(index + 1)...], as: UTF8.self)),
        exponent.magnitude <= digitLimit, digits.count <= digitLimit
      else { return number }
      fractionCount -= exponent
      while fractionCount < 0 {
        digits.append(0x30)
        fractionCount += 1
      }
      while fractionCount > 0, digits.last == 0x30 {
        digits.removeLast()
        fractionCount -= 1
      }
      if fractionCount > 0 || digits.count > digitLimit { return number }
    }
    var result = Array(digits.dropLast(fractionCount).drop { $0 == 0x30 })
    if result.isEmpty { result = [0x30] }
    if fractionCount > 0 { result += [0x2E] + digits.suffix(fractionCount) }
    if isNegative, result != [0x30] { result.insert(0x2D, at: 0) }
    return String(decoding: result, as: UTF8.self)
  }
}
