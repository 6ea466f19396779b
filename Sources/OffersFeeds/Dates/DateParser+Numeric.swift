import OffersCore

/// Dates of numbers only, in national notations and in that of ASP.NET.
extension DateParser {
  /// Whether `.`, `/` or `-` and then a digit are at an index, so that the month is a number.
  ///
  /// - Parameters:
  ///   - text: the date, without whitespace around it.
  ///   - index: the number of digits at the start of the text.
  static func isNumeric(_ text: UnsafeRawBufferPointer, from index: Int) -> Bool {
    guard index + 1 < text.count, text[index + 1] &- 0x30 < 10 else { return false }
    return text[index] == 0x2E || text[index] == 0x2F || text[index] == 0x2D
  }

  /// Parses `31.12.2026`, `31.12.26`, `31-12-2026`, `31/12/2026`, `12/31/2026`, and a time after
  /// them.
  ///
  /// With points, the day comes first. Otherwise a number above 12 is the day, and `order` decides
  /// if both numbers are at most 12 and differ. Without an order such a date is refused, and so is
  /// `31-12-26`, since without points the first number may be the year if it has two digits.
  static func parseNumeric(_ text: UnsafeRawBufferPointer, _ order: DateOrder?) -> ParsedDate? {
    var cursor = DateCursor(text)
    guard let first = cursor.takeNumber(1...2), let separator = cursor.next,
      cursor.take(separator), let second = cursor.takeNumber(1...2), cursor.take(separator),
      let year = cursor.takeNumber(2...4), year.count != 3
    else { return nil }
    let hasPoints = separator == 0x2E
    if year.count == 2 {
      // With a year of two digits, a version number or a time of day looks the same. So two digits
      // are required in each part of a date with points, and a known order in other dates.
      guard hasPoints ? first.count == 2 && second.count == 2 : order != nil else { return nil }
    }
    let isDayFirst: Bool
    if hasPoints || first.value > 12 || first.value == second.value {
      isDayFirst = true
    } else if second.value > 12 {
      isDayFirst = false
    } else if let order {
      isDayFirst = order == .dmy
    } else {
      return nil
    }
    let (date, month) = isDayFirst ? (first.value, second.value) : (second.value, first.value)
    guard
      let day = CivilDay(
        year: year.count == 2 ? fullYear(year.value) : year.value, month: month, day: date)
    else { return nil }
    return finish(&cursor, day)
  }

  /// Parses `2026年12月31日`, and a time after it.
  static func parseEastAsian(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    func take(_ mark: StaticString) -> Bool {
      for index in 0..<mark.utf8CodeUnitCount where !cursor.take(mark.utf8Start[index]) {
        return false
      }
      return true
    }
    guard let year = cursor.takeDigits(4), take("年"),
      let month = cursor.takeNumber(1...2)?.value, take("月"),
      let date = cursor.takeNumber(1...2)?.value, take("日"),
      let day = CivilDay(year: year, month: month, day: date)
    else { return nil }
    return finish(&cursor, day)
  }

  /// Parses ASP.NET's `/Date(1798675200000)/`: milliseconds since 1970 in UTC. An offset after the
  /// number names the writer's zone and does not change the time.
  static func parseScript(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    for byte in "/Date(".utf8 where !cursor.take(byte) { return nil }
    let isNegative = cursor.take(0x2D)
    guard let milliseconds = cursor.takeNumber(1...14)?.value else { return nil }
    if cursor.next != 0x29 {
      guard cursor.take(0x2B) || cursor.take(0x2D), cursor.takeDigits(4) != nil else { return nil }
    }
    guard cursor.take(0x29), cursor.take(0x2F), cursor.isAtEnd else { return nil }
    let seconds = Int64(isNegative ? -milliseconds : milliseconds)
    return ParsedDate(
      seconds: seconds / 1000 - (seconds % 1000 < 0 ? 1 : 0), isWholeDay: false)
  }
}
