import Foundation
import OffersCore

/// Parses the dates and times that feeds print, if they are unambiguous.
///
/// Supported are ISO 8601 and RFC 3339, RFC 822, 850 and 2822, the C library's asctime, dates with
/// the month as an English, German, French, Spanish, Italian, Dutch or Portuguese word, `2026年12月31日`,
/// ASP.NET's `/Date(…)/`, and Unix seconds and milliseconds. A time without a zone is in UTC; see `DayZone`
/// for feeds with a zone. Fractions of a second are dropped. A date of numbers is parsed if its notation puts
/// the day first (`31.12.2026`), or a number above 12 identifies the day (`12/31/2026`). The result is nil for
/// an ambiguous date (`08/09/2015`), unless the order is given, and for an impossible date or time: nothing is
/// guessed.
package enum DateParser {
  /// The version of the parser's rules. A change of the rules must change it, so that the next sync
  /// parses the dates of stored offers again.
  static let rules = "7"

  /// Parses a printed date; nil for a text that is none, or is ambiguous.
  ///
  /// - Parameters:
  ///   - text: UTF-8; whitespace around the date is ignored. A date longer than 200 bytes is
  ///     refused.
  ///   - order: whether the day or the month comes first in an ambiguous date; nil to refuse it.
  package static func parse(
    _ text: UnsafeRawBufferPointer, order: DateOrder? = nil
  ) -> ParsedDate? {
    FoldedText.read(text) { parseFolded($0, order) }
  }

  private static func parseFolded(
    _ text: UnsafeRawBufferPointer, _ order: DateOrder?
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

  /// Whether a text in the place of an offer's begin or end says that there is none: a date that programs
  /// store for no date, such as `0001-01-01`, `9999-12-31` and the 0 of a clock, or a word.
  package static func meansNone(_ text: UnsafeRawBufferPointer, order: DateOrder? = nil) -> Bool {
    let text = text.trimmed()
    if text.isEmpty { return true }
    if text[0] &- 0x30 >= 10, text[0] != 0x2F {
      if isNone(text) { return true }
      if !text.contains(where: CharacterScan.isDigit) { return false }
    }
    if CharacterScan.stands("9999-", in: text, at: 0) { return true }
    // Zeros alone: `0`, `0000-00-00 00:00:00`.
    let hasMore = text.contains {
      $0 &- 0x31 < 9 || $0 >= 0x80 || CharacterScan.isLetter($0) && $0 != 0x54 && $0 != 0x5A
    }
    if !hasMore { return true }
    // Seconds or milliseconds in the years from 9000 on, and `99991231`.
    if let number = Int64(String(decoding: text, as: UTF8.self)) {
      return number < 0 || number / 10_000 == 9999 || number == 9_999_999_999
        || (221_845_392_000...253_402_387_200).contains(number)
        || (221_845_392_000_000...253_402_387_200_000).contains(number)
    }
    // A negative year.
    if text[0] == 0x2D { return true }
    guard let date = parse(text, order: order) else { return false }
    // The years before 1902 and from 9000 on, and the day of time 0 wherever it is.
    let isZero = (-86_400..<86_400).contains(date.seconds)
    return isZero || date.seconds < -2_145_916_800 || date.seconds >= 221_845_392_000
  }

  /// Whether a text is one of the words for no date.
  private static func isNone(_ text: UnsafeRawBufferPointer) -> Bool {
    let words: [StaticString] = [
      "n/a", "na", "none", "null", "nil", "never", "no expiry", "no expiration", "no end",
      "no end date",
      "does not expire", "unlimited", "ongoing", "tbd", "-", "--", "open", "open end",
      "unbefristet",
      "unbegrenzt", "nie", "jamais", "illimité", "nunca", "sin fecha", "ilimitado", "mai",
      "undefined", "tba", "false", "permanent", "forever", "lifetime", "no expiry date",
      "until further notice", "while supplies last", "bis auf weiteres",
    ]
    return words.contains { CharacterScan.isSame(text, $0) }
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

/// A point in time, or a whole day, that was parsed from a feed.
package struct ParsedDate: Hashable, Sendable {
  /// Unix seconds; for a whole day, those of its start in UTC.
  package var seconds: Int64
  /// Whether only a day is given, without a time.
  package var isWholeDay: Bool
  /// Whether a time is given without its zone, so that `seconds` are those of the same time in UTC.
  package var lacksZone: Bool

  package init(seconds: Int64, isWholeDay: Bool, lacksZone: Bool = false) {
    self.seconds = seconds
    self.isWholeDay = isWholeDay
    self.lacksZone = lacksZone
  }
}

extension ParsedDate {
  init(day: CivilDay) {
    self.init(seconds: day.number * 86_400, isWholeDay: true)
  }

  /// - Parameters:
  ///   - day: the date that the clock belongs to.
  ///   - clock: the seconds since midnight.
  ///   - offset: the seconds that the clock is ahead of UTC; nil if the text does not tell.
  init(day: CivilDay, clock: Int, offset: Int?) {
    self.init(
      seconds: day.number * 86_400 + Int64(clock - (offset ?? 0)), isWholeDay: false,
      lacksZone: offset == nil)
  }
}

/// Whether the day or the month comes first, in a feed that writes `01/02/2026`.
package enum DateOrder: String, Sendable, Hashable, CaseIterable {
  /// The day comes first: `01/02/2026` is February 1.
  case dmy
  /// The month comes first: `01/02/2026` is January 2.
  case mdy
}

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

/// Dates with the month as a word: RFC 822, 850 and 2822, asctime, and those of other languages.
extension DateParser {
  /// Parses a date with an optional weekday. The weekday is redundant, so a wrong one is ignored.
  package static func parseWritten(_ text: UnsafeRawBufferPointer) -> ParsedDate? {
    var cursor = DateCursor(text)
    guard let first = cursor.next else { return nil }
    if first &- 0x30 < 10 { return parseDayFirst(&cursor, hasWeekday: false) }
    // `Mar` is a month in English and a weekday in French and Spanish.
    var ahead = cursor
    if let date = parseMonthFirst(&ahead) { return date }
    let hasWeekday = takeWeekday(&cursor) != nil
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

  /// English, German, French, Spanish and Italian names and short forms, and Dutch and Portuguese names, without
  /// accents.
  static var months: StaticLookupTable {
    StaticLookupTable(
      """
      abr       04 abril     04 ago       08 agosto    08 aout      08 apr       04
      april     04 aprile    04 aug       08 august    08 augustus  08 avr       04
      avril     04 dec       12 december  12 decembre  12 dez       12 dezember  12
      dezembro  12 dic       12 dicembre  12 diciembre 12 ene       01 enero     01
      feb       02 febbraio  02 febr      02 febrero   02 februar   02 februari  02
      february  02 fev       02 fevereiro 02 fevr      02 fevrier   02 gen       01
      gennaio   01 giu       06 giugno    06 jaenner   01 jan       01 janeiro   01
      janner    01 januar    01 januari   01 january   01 janv      01 janvier   01
      juil      07 juillet   07 juin      06 jul       07 julho     07 juli      07
      julio     07 july      07 jun       06 june      06 junho     06 juni      06
      junio     06 lug       07 luglio    07 maart     03 maerz     03 mag       05
      maggio    05 mai       05 maio      05 mar       03 march     03 marco     03
      mars      03 marz      03 marzo     03 may       05 mayo      05 mei       05
      mrt       03 mrz       03 nov       11 november  11 novembre  11 novembro  11
      noviembre 11 oct       10 october   10 octobre   10 octubre   10 okt       10
      oktober   10 ott       10 ottobre   10 outubro   10 sep       09 sept      09
      september 09 septembre 09 septiembre09 set       09 setembro  09 setiembre 09
      settembre 09\u{20}
      """, nameWidth: 10, valueWidth: 2)
  }

  /// The days of the week with their numbers, 1 for Monday.
  static var weekdays: StaticLookupTable {
    StaticLookupTable(
      """
      di        2 dienstag  2 dim       7 dimanche  7 dinsdag   2 do        4
      dom       7 domenica  7 domingo   7 donderdag 4 donnerstag4 fr        5
      freitag   5 fri       5 friday    5 gio       4 giovedi   4 jeu       4
      jeudi     4 jue       4 jueves    4 lun       1 lundi     1 lunedi    1
      lunes     1 ma        1 maandag   1 mar       2 mardi     2 martedi   2
      martes    2 mer       3 mercoledi 3 mercredi  3 mi        3 mie       3
      miercoles 3 mittwoch  3 mo        1 mon       1 monday    1 montag    1
      sa        6 sab       6 sabado    6 sabato    6 sam       6 samedi    6
      samstag   6 sat       6 saturday  6 so        7 sonnabend 6 sonntag   7
      su        7 sun       7 sunday    7 th        4 thu       4 thur      4
      thurs     4 thursday  4 tu        2 tue       2 tues      2 tuesday   2
      ven       5 vendredi  5 venerdi   5 vie       5 viernes   5 vr        5
      vrijdag   5 we        3 wed       3 wednesday 3 weds      3 wo        3
      woensdag  3 za        6 zaterdag  6 zo        7 zondag    7\u{20}
      """, nameWidth: 10, valueWidth: 1)
  }

  /// Portuguese days of the week, which are ordinal numbers, too, in several languages.
  private static var ordinalWeekdays: StaticLookupTable {
    StaticLookupTable(
      "quarta 3 quinta 4 segunda1 sexta  5 terca  2\u{20}", nameWidth: 7, valueWidth: 1)
  }

  /// Parses the name of a day of the week; returns 1 for Monday to 7. An ordinal number counts with `-feira`
  /// behind it, or where no other word follows.
  static func takeWeekday(_ cursor: inout DateCursor) -> Int64? {
    var ahead = cursor
    if let value = cursor.takeName(in: weekdays) { return Int64(value[0] - 0x30) }
    guard let value = ahead.takeName(in: ordinalWeekdays) else { return nil }
    var behind = ahead
    if behind.take(0x2D) || behind.skipSpaces() {
      let word = behind.takeWord()
      if CharacterScan.isSame(word, "feira") {
        ahead = behind
      } else if !word.isEmpty || (behind.next ?? 0) >= 0xC3 {
        return nil
      }
    }
    cursor = ahead
    return Int64(value[0] - 0x30)
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

/// The time zone in which a feed's days begin and end, and in which its times without a zone are.
package enum DayZone: Sendable, Hashable {
  /// The zone of the user, in which only days are counted: a time without a zone is in UTC.
  case user
  /// The zone of the feed.
  case fixed(offsetSeconds: Int)
  case named(TimeZone)

  /// Parses `Europe/Berlin`, `UTC`, `UTC+2`, `+02:00` or `CET`; returns nil for other texts.
  package init?(_ text: String) {
    var copy = text
    let offset = copy.withUTF8 { bytes -> Int? in
      var cursor = DateCursor(UnsafeRawBufferPointer(bytes))
      guard let seconds = cursor.takeZone(), cursor.isAtEnd else { return nil }
      return seconds
    }
    if let offset {
      self = .fixed(offsetSeconds: offset)
    } else if text.contains("/"), let zone = TimeZone(identifier: text) {
      self = .named(zone)
    } else {
      return nil
    }
  }

  /// The first second of a date: of a day its beginning in this zone.
  package func start(of date: ParsedDate) -> Int64 {
    if date.isWholeDay { return seconds(local: date.seconds) }
    return date.lacksZone && self != .user ? seconds(local: date.seconds) : date.seconds
  }

  /// The last second of a date: of a day its end in this zone, which may have 23 or 25 hours.
  package func end(of date: ParsedDate) -> Int64 {
    guard date.isWholeDay else { return start(of: date) }
    return seconds(local: date.seconds + 86_400) - 1
  }

  /// The date with its time in UTC if the zone of the feed tells it; a day stays as it is.
  package func shown(_ date: ParsedDate) -> ParsedDate {
    date.isWholeDay
      ? date : ParsedDate(seconds: start(of: date), isWholeDay: false)
  }

  /// The number of the day in this zone on which a date is; see `CivilDay`.
  func day(of date: ParsedDate) -> Int64 {
    if date.isWholeDay || date.lacksZone {
      return Int64((Double(date.seconds) / 86_400).rounded(.down))
    }
    var local = date.seconds
    switch self {
    case .fixed(let offset): local += Int64(offset)
    case .named(let zone):
      local += Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(date.seconds))))
    case .user:
      var seconds = time_t(date.seconds)
      var parts = tm()
      if localtime_r(&seconds, &parts) != nil { local += Int64(parts.tm_gmtoff) }
    }
    return Int64((Double(local) / 86_400).rounded(.down))
  }

  /// Unix seconds of a time in this zone, which is given as those of the same time in UTC.
  func seconds(local: Int64) -> Int64 {
    switch self {
    case .fixed(let offset): return local - Int64(offset)
    case .named(let zone):
      func offset(_ seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
      }
      return local - offset(local - offset(local))
    case .user:
      var seconds = time_t(local)
      var parts = tm()
      guard gmtime_r(&seconds, &parts) != nil else { return local }
      parts.tm_isdst = -1
      return Int64(mktime(&parts))
    }
  }
}
