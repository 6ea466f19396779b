import OffersCore

/// Dates with the month as a word: RFC 822, 850 and 2822, asctime, and English dates.
extension DateParser {
  /// Parses a date with an optional weekday. The weekday is redundant, so a wrong one is ignored.
  static func parseWritten(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    var ahead = cursor
    var hasWeekday = false
    if weekdays.findValue(ahead.takeWord(), anyCase: true) != nil {
      hasWeekday = true
      let hasComma = ahead.take(0x2C)
      guard ahead.skipSpaces() || hasComma else { return nil }
      cursor = ahead
    }
    guard let next = cursor.next else { return nil }
    return next &- 0x30 < 10
      ? parseDayFirst(&cursor, hasWeekday: hasWeekday) : parseMonthFirst(&cursor)
  }

  /// Parses `21 Aug 2015`, `06-Nov-94 08:49:37 GMT` and similar dates.
  private static func parseDayFirst(
    _ cursor: inout DateCursor, hasWeekday: Bool
  ) -> ParsedDate? {
    guard let date = cursor.takeNumber(1...2)?.value else { return nil }
    let hasHyphens = cursor.take(0x2D)
    guard hasHyphens || cursor.skipSpaces(), let month = takeMonth(&cursor),
      hasHyphens ? cursor.take(0x2D) : cursor.skipSpaces(),
      let year = cursor.takeNumber(2...4), year.count != 3,
      let day = CivilDay(
        year: year.count == 2 ? fullYear(year.value) : year.value, month: month, day: date)
    else { return nil }
    // In `15 Aug 21` either number may be the year. A weekday or a time shows that it is a date of
    // RFC 822 or 850, in which the year comes last.
    if cursor.isAtEnd, year.count == 2, !hasWeekday { return nil }
    return finish(&cursor, day)
  }

  /// Parses `Aug 21, 2015 1:00:00 AM`, and `Nov  6 08:49:37 1994` as asctime writes it.
  private static func parseMonthFirst(_ cursor: inout DateCursor) -> ParsedDate? {
    guard let month = takeMonth(&cursor), cursor.skipSpaces(),
      let date = cursor.takeNumber(1...2)?.value
    else { return nil }
    let hasComma = cursor.take(0x2C)
    guard cursor.skipSpaces() else { return nil }
    var ahead = cursor
    if let year = ahead.takeNumber(4...4)?.value {
      guard let day = CivilDay(year: year, month: month, day: date) else { return nil }
      cursor = ahead
      return finish(&cursor, day)
    }
    guard !hasComma, let clock = cursor.takeClock(), cursor.skipSpaces() else { return nil }
    var offset = 0
    if let byte = cursor.next, byte &- 0x30 >= 10 {
      guard let zone = cursor.takeZone(), cursor.skipSpaces() else { return nil }
      offset = zone
    }
    guard let year = cursor.takeNumber(4...4)?.value, cursor.isAtEnd,
      let day = CivilDay(year: year, month: month, day: date)
    else { return nil }
    return ParsedDate(day: day, clock: clock, offset: offset)
  }

  /// Parses the rest after the date: nothing, or a time with an optional zone, after which a
  /// comment in parentheses is skipped.
  static func finish(_ cursor: inout DateCursor, _ day: CivilDay) -> ParsedDate? {
    if cursor.isAtEnd { return ParsedDate(day: day) }
    _ = cursor.take(0x2C)
    guard cursor.skipSpaces(), let clock = cursor.takeClock() else { return nil }
    _ = cursor.skipSpaces()
    var offset = 0
    if !cursor.isAtEnd {
      guard let zone = cursor.takeZone() else { return nil }
      offset = zone
      _ = cursor.skipSpaces()
      cursor.skipClosingComment()
    }
    return cursor.isAtEnd ? ParsedDate(day: day, clock: clock, offset: offset) : nil
  }

  /// Returns the year that two digits stand for: 1969 to 2068, as in POSIX.
  static func fullYear(_ year: Int) -> Int {
    year <= 68 ? 2000 + year : 1900 + year
  }

  /// Parses an English name of a month, such as `August`, `Aug` or `Aug.`, in any case; returns 1
  /// to 12.
  private static func takeMonth(_ cursor: inout DateCursor) -> Int? {
    guard let value = months.findValue(cursor.takeWord(), anyCase: true) else { return nil }
    _ = cursor.take(0x2E)
    return Int(value[0] - 0x30) * 10 + Int(value[1] - 0x30)
  }

  private static var months: NameTable {
    NameTable(
      """
      apr      04 april    04 aug      08 august   08 dec      12 december 12 feb      02
      february 02 jan      01 january  01 jul      07 july     07 jun      06 june     06
      mar      03 march    03 may      05 nov      11 november 11 oct      10 october  10
      sep      09 sept     09 september09\u{20}
      """, nameWidth: 9, valueWidth: 2)
  }

  private static var weekdays: NameTable {
    NameTable(
      """
      fri      5 friday   5 mon      1 monday   1 sat      6 saturday 6 sun      7 sunday   7
      thu      4 thursday 4 tue      2 tuesday  2 wed      3 wednesday3\u{20}
      """, nameWidth: 9, valueWidth: 1)
  }
}
