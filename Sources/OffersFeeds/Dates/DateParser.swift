import OffersCore

/// Parses the dates and times that feeds print, if they are unambiguous.
///
/// Supported are ISO 8601 and RFC 3339, RFC 822, 850 and 2822, the C library's asctime, dates with
/// the month as an English, German, French or Spanish word, `2026年12月31日`, ASP.NET's `/Date(…)/`,
/// and Unix seconds and milliseconds. A time without a zone is in UTC; see `DayZone` for feeds with a
/// zone. Fractions of a second are dropped. A date of
/// numbers is parsed if its notation puts the day first (`31.12.2026`), or a number above 12
/// identifies the day (`12/31/2026`). The result is nil for an ambiguous date (`08/09/2015`),
/// unless the order is given, and for an impossible date or time: nothing is guessed.
package enum DateParser {
  /// The version of the parser's rules. A change of the rules must change it, so that the next sync
  /// parses the dates of stored offers again.
  static let rules = "4"

  /// - Parameters:
  ///   - text: UTF-8; whitespace around the date is ignored. A date longer than 200 bytes is
  ///     refused.
  ///   - order: whether the day or the month comes first in an ambiguous date; nil to refuse it.
  package static func parse(
    _ text: UnsafeRawBufferPointer, order: DateOrder? = nil
  ) -> ParsedDate? {
    guard let first = text.firstIndex(where: { !isSpace($0) }),
      let last = text.lastIndex(where: { !isSpace($0) }), last - first < 200
    else { return nil }
    let date = UnsafeRawBufferPointer(rebasing: text[first...last])
    let digits = date.prefix { $0 &- 0x30 < 10 }.count
    switch digits {
    case 4: return parseExtendedISO(date) ?? parseEastAsian(date)
    case 8: return parseBasicISO(date)
    case 9, 10, 12, 13: return parseUnix(date, digits)
    case 0 where date[0] == 0x2F: return parseScript(date)
    case 1...2 where isNumeric(date, from: digits): return parseNumeric(date, order)
    case 0...2: return parseWritten(date)
    default: return nil
    }
  }

  /// Formats Unix seconds as `2026-08-21T18:15:24Z`, or as `2026-08-21` for a whole day.
  package static func write(_ seconds: Int64, isWholeDay: Bool) -> String {
    let text = ISOTime.text(seconds)
    return isWholeDay ? String(text.prefix { $0 != "T" }) : text
  }

  /// Parses Unix time: seconds with 9 or 10 digits, milliseconds with 12 or 13. Other numbers of
  /// digits are decades away from any offer's time, or are not a time.
  private static func parseUnix(_ text: UnsafeRawBufferPointer, _ digits: Int) -> ParsedDate? {
    guard text[0] != 0x30 else { return nil }
    var cursor = DateCursor(text)
    guard let value = cursor.takeDigits(digits) else { return nil }
    if digits < 12, cursor.next == 0x2E, cursor.takeFraction() == nil { return nil }
    guard cursor.isAtEnd else { return nil }
    return ParsedDate(seconds: Int64(digits < 12 ? value : value / 1000), isWholeDay: false)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte &- 0x09 < 5
  }
}
