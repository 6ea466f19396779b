import Foundation

/// Parses numbers that consist of decimal digits only, as in HTTP's delta-seconds (RFC 9111,
/// section 1.2.2).
enum DecimalNumber {
  /// The largest result, 2^31 - 1; larger numbers are clamped to it.
  static let limit = Int(Int32.max)

  /// Parses a number.
  ///
  /// - Returns: 0 to `limit`; nil when the text is not such a number, or has spaces.
  static func parse(_ text: some StringProtocol) -> Int? {
    if text.isEmpty { return nil }
    var result = 0
    for byte in text.utf8 {
      let digit = byte &- 0x30
      if digit > 9 { return nil }
      result = min(result * 10 + Int(digit), limit)
    }
    return result
  }

  /// Parses the value of a header field, to which surrounding spaces and tabs do not belong (RFC
  /// 9110, section 5.5).
  ///
  /// - Returns: as `parse`.
  static func parse(fieldValue text: some StringProtocol) -> Int? {
    parse(text.trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
  }
}
