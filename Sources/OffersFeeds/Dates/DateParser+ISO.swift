import OffersCore

/// ISO 8601 and RFC 3339.
extension DateParser {
  /// Parses `2026-08-21T01:00:00Z` and its variants: with a space for the T, without seconds, zone
  /// or time, with a fraction of a second, or with slashes in the date.
  static func parseExtendedISO(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    guard let year = cursor.takeDigits(4), let separator = cursor.next,
      separator == 0x2D || separator == 0x2F, cursor.take(separator),
      let month = cursor.takeDigits(2), cursor.take(separator), let date = cursor.takeDigits(2),
      let day = CivilDay(year: year, month: month, day: date)
    else { return nil }
    if cursor.isAtEnd { return ParsedDate(day: day) }
    guard takeTimeMark(&cursor), let hour = cursor.takeDigits(2), cursor.take(0x3A),
      let minute = cursor.takeDigits(2)
    else { return nil }
    var second: Int?
    if cursor.take(0x3A) {
      guard let value = cursor.takeDigits(2) else { return nil }
      second = value
    }
    return finish(&cursor, day, hour: hour, minute: minute, second: second)
  }

  /// Parses `20260821T010000Z`, the same without seconds or zone, and `20260821`.
  static func parseBasicISO(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    guard let year = cursor.takeDigits(4), let month = cursor.takeDigits(2),
      let date = cursor.takeDigits(2), let day = CivilDay(year: year, month: month, day: date)
    else { return nil }
    if cursor.isAtEnd {
      // Eight digits may be any number, and count as a date only within these years.
      return (1900...2200).contains(year) ? ParsedDate(day: day) : nil
    }
    guard cursor.take(0x54) || cursor.take(0x74), let hour = cursor.takeDigits(2),
      let minute = cursor.takeDigits(2)
    else { return nil }
    var second: Int?
    if let byte = cursor.next, byte &- 0x30 < 10 {
      guard let value = cursor.takeDigits(2) else { return nil }
      second = value
    }
    return finish(&cursor, day, hour: hour, minute: minute, second: second)
  }

  private static func takeTimeMark(_ cursor: inout DateCursor) -> Bool {
    cursor.take(0x54) || cursor.take(0x74) || cursor.skipSpaces()
  }

  private static func finish(
    _ cursor: inout DateCursor, _ day: CivilDay, hour: Int, minute: Int, second: Int?
  ) -> ParsedDate? {
    guard let clock = cursor.finishISOClock(hour: hour, minute: minute, second: second) else {
      return nil
    }
    _ = cursor.skipSpaces()
    var offset: Int?
    if !cursor.isAtEnd {
      guard let zone = cursor.takeZone(), cursor.isAtEnd else { return nil }
      offset = zone
    }
    return ParsedDate(day: day, clock: clock, offset: offset)
  }
}
