import OffersCore

/// Dates with the month as a word: RFC 822, 850 and 2822, asctime, and dates in English, German,
/// French and Spanish.
extension DateParser {
  /// Parses a date with an optional weekday. The weekday is redundant, so a wrong one is ignored.
  package static func parseWritten(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    guard let first = cursor.next else { return nil }
    if first &- 0x30 < 10 { return parseDayFirst(&cursor, hasWeekday: false) }
    // `Mar` is a month in English and a weekday in French and Spanish.
    var ahead = cursor
    if let date = parseMonthFirst(&ahead) { return date }
    let hasWeekday = cursor.takeName(in: weekdays) != nil
    if hasWeekday {
      let hasPoint = cursor.take(0x2E)
      let hasComma = cursor.take(0x2C)
      guard cursor.skipSpaces() || hasComma || hasPoint else { return nil }
    } else {
      cursor = DateCursor(text)
    }
    cursor.skipWord(in: articles)
    guard let next = cursor.next else { return nil }
    return next &- 0x30 < 10
      ? parseDayFirst(&cursor, hasWeekday: hasWeekday) : parseMonthFirst(&cursor)
  }

  /// Parses `21 Aug 2015`, `06-Nov-94 08:49:37 GMT`, `30. November 2026`, `1er août 2026`,
  /// `30 de noviembre de 2026` and similar dates.
  private static func parseDayFirst(
    _ cursor: inout DateCursor, hasWeekday: Bool
  ) -> ParsedDate? {
    guard let date = cursor.takeNumber(1...2)?.value else { return nil }
    let hasHyphens = cursor.take(0x2D)
    if !hasHyphens {
      let hasPoint = cursor.take(0x2E)
      if !hasPoint { takeOrdinal(&cursor) }
      guard cursor.skipSpaces() || hasPoint else { return nil }
      cursor.skipWord(in: joints)
    }
    guard let month = takeMonth(&cursor) else { return nil }
    if hasHyphens {
      guard cursor.take(0x2D) else { return nil }
    } else {
      _ = cursor.take(0x2C)
      guard cursor.skipSpaces() else { return nil }
      cursor.skipWord(in: joints)
    }
    guard let year = cursor.takeNumber(2...4), year.count != 3,
      let day = CivilDay(
        year: year.count == 2 ? fullYear(year.value) : year.value, month: month, day: date)
    else { return nil }
    // In `15 Aug 21` either number may be the year. A weekday or a time shows that it is a date of
    // RFC 822 or 850, in which the year comes last.
    if cursor.isAtEnd, year.count == 2, !hasWeekday { return nil }
    return finish(&cursor, day)
  }

  /// Parses `Aug 21, 2015 1:00:00 AM`, `June 2nd, 2026`, and `Nov  6 08:49:37 1994` as asctime
  /// writes it.
  private static func parseMonthFirst(_ cursor: inout DateCursor) -> ParsedDate? {
    guard let month = takeMonth(&cursor), cursor.skipSpaces(),
      let date = cursor.takeNumber(1...2)?.value
    else { return nil }
    takeOrdinal(&cursor)
    let hasComma = cursor.take(0x2C)
    guard cursor.skipSpaces() else { return nil }
    var ahead = cursor
    if let year = ahead.takeNumber(4...4)?.value {
      guard let day = CivilDay(year: year, month: month, day: date) else { return nil }
      cursor = ahead
      return finish(&cursor, day)
    }
    guard !hasComma, let clock = cursor.takeClock(), cursor.skipSpaces() else { return nil }
    var offset: Int?
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
    guard cursor.skipSpaces() else { return nil }
    cursor.skipWord(in: hourWords)
    guard let clock = cursor.takeClock() else { return nil }
    _ = cursor.skipSpaces()
    var offset: Int?
    if !cursor.isAtEnd {
      guard let zone = cursor.takeZone() else { return nil }
      offset = zone
      _ = cursor.skipSpaces()
      cursor.skipClosingComment()
    }
    return cursor.isAtEnd ? ParsedDate(day: day, clock: clock, offset: offset) : nil
  }

  /// Parses the ending of an ordinal number, such as `st` or `er`, if it directly follows the day.
  private static func takeOrdinal(_ cursor: inout DateCursor) {
    var ahead = cursor
    if ahead.takeName(in: ordinals) != nil { cursor = ahead }
  }

  /// Returns the year that two digits stand for: 1969 to 2068, as in POSIX.
  static func fullYear(_ year: Int) -> Int {
    year <= 68 ? 2000 + year : 1900 + year
  }

  /// Parses a name of a month, such as `August`, `Aug`, `Aug.` or `août`, in any case; returns 1 to
  /// 12.
  private static func takeMonth(_ cursor: inout DateCursor) -> Int? {
    guard let value = cursor.takeName(in: months) else { return nil }
    _ = cursor.take(0x2E)
    return Int(value[0] - 0x30) * 10 + Int(value[1] - 0x30)
  }

  /// English, German, French and Spanish names and short forms, without accents.
  private static var months: StaticLookupTable {
    StaticLookupTable(
      """
      abr       04 abril     04 ago       08 agosto    08 aout      08 apr       04
      april     04 aug       08 august    08 avr       04 avril     04 dec       12
      december  12 decembre  12 dez       12 dezember  12 dic       12 diciembre 12
      ene       01 enero     01 feb       02 febr      02 febrero   02 februar   02
      february  02 fev       02 fevr      02 fevrier   02 jaenner   01 jan       01
      janner    01 januar    01 january   01 janv      01 janvier   01 juil      07
      juillet   07 juin      06 jul       07 juli      07 julio     07 july      07
      jun       06 june      06 juni      06 junio     06 maerz     03 mai       05
      mar       03 march     03 mars      03 marz      03 marzo     03 may       05
      mayo      05 mrz       03 nov       11 november  11 novembre  11 noviembre 11
      oct       10 october   10 octobre   10 octubre   10 okt       10 oktober   10
      sep       09 sept      09 september 09 septembre 09 septiembre09 set       09
      setiembre 09\u{20}
      """, nameWidth: 10, valueWidth: 2)
  }

  private static var weekdays: StaticLookupTable {
    StaticLookupTable(
      """
      di        - dienstag  - dim       - dimanche  - do        - dom       - domingo   -
      donnerstag- fr        - freitag   - fri       - friday    - jeu       - jeudi     -
      jue       - jueves    - lun       - lundi     - lunes     - mar       - mardi     -
      martes    - mer       - mercredi  - mi        - mie       - miercoles - mittwoch  -
      mo        - mon       - monday    - montag    - sa        - sab       - sabado    -
      sam       - samedi    - samstag   - sat       - saturday  - so        - sonnabend -
      sonntag   - su        - sun       - sunday    - th        - thu       - thur      -
      thurs     - thursday  - tu        - tue       - tues      - tuesday   - ven       -
      vendredi  - vie       - viernes   - we        - wed       - wednesday - weds      -\u{20}
      """, nameWidth: 10, valueWidth: 1)
  }

  /// Words between a weekday and the day.
  private static var articles: StaticLookupTable {
    StaticLookupTable("den- el - le - the-\u{20}", nameWidth: 3, valueWidth: 1)
  }

  /// Words between the day, the month and the year.
  private static var joints: StaticLookupTable {
    StaticLookupTable("de - del- of -\u{20}", nameWidth: 3, valueWidth: 1)
  }

  /// Words between a date and a time.
  private static var hourWords: StaticLookupTable {
    StaticLookupTable("a - at- um-\u{20}", nameWidth: 2, valueWidth: 1)
  }

  private static var ordinals: StaticLookupTable {
    StaticLookupTable("er- nd- rd- st- th-\u{20}", nameWidth: 2, valueWidth: 1)
  }
}
