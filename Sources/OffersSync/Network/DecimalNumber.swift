/// Parses numbers that consist of decimal digits only, as in HTTP's delta-seconds (RFC 9111,
/// section 1.2.2).
enum DecimalNumber {
  /// The largest result, 2^31 - 1; larger numbers are clamped to it.
  static let limit = Int(Int32.max)

  /// Parses a number, ignoring surrounding spaces and tabs.
  ///
  /// - Returns: 0 to `limit`; nil when the text is not such a number.
  static func parse(_ text: some StringProtocol) -> Int? {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    var digits = Substring(text).utf8.drop(while: isBlank)
    while let last = digits.last, isBlank(last) { digits.removeLast() }
    if digits.isEmpty { return nil }
    var result = 0
    for byte in digits {
      let digit = byte &- 0x30
      if digit > 9 { return nil }
      result = min(result * 10 + Int(digit), limit)
    }
    return result
  }
}
