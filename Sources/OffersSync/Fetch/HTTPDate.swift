import Foundation
import OffersCore

/// Parses and formats HTTP dates (RFC 9110, section 5.6.7).
///
/// Dates are whole seconds in the years 0 to 9999, always in GMT.
enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let days = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  /// The accepted names of GMT. Dates in other zones are invalid for caches (RFC 9111, section
  /// 4.2).
  private static let zones: Set<Substring> = ["gmt", "utc", "+0000"]
  /// The most bytes of a text that is parsed: more than any date in these forms needs.
  private static let limitBytes = 64

  /// Parses the three forms of a date: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
  ///
  /// Case is ignored (RFC 9111, section 4.2). The name of the day is optional and is not compared
  /// with the date. A leap second yields the following second.
  ///
  /// - Parameters:
  ///   - text: the value of a header.
  ///   - now: the reference for a year of two digits, which is taken as the latest such year that
  ///     is at most 50 years later.
  /// - Returns: nil for anything else, and for a day or time that does not exist.
  static func parse(_ text: String, now: Date = Date()) -> Date? {
    guard text.utf8.count <= limitBytes, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var words = text.lowercased().split { $0 == " " || $0 == "\t" }[...]
    if let first = words.first, isDayName(first) { words.removeFirst() }
    let parts = Array(words)
    var moment: HTTPDateComponents?
    switch parts.count {
    case 5 where zones.contains(parts[4]):
      moment = HTTPDateComponents(
        year: number(parts[2], digits: 4...4), month: month(parts[1]),
        day: number(parts[0], digits: 1...2), time: parts[3])
    case 4:
      moment = HTTPDateComponents(
        year: number(parts[3], digits: 4...4), month: month(parts[0]),
        day: number(parts[1], digits: 1...2), time: parts[2])
    case 3 where zones.contains(parts[2]):
      let date = parts[0].split(scalar: "-", omittingEmptySubsequences: false)
      guard date.count == 3 else { return nil }
      moment = HTTPDateComponents(
        year: number(date[2], digits: 2...2), month: month(date[1]),
        day: number(date[0], digits: 1...2), time: parts[1])
      moment?.chooseCentury(near: now)
    default: break
    }
    return moment?.seconds.map { Date(timeIntervalSince1970: Double($0)) }
  }

  /// A date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// Fractions of a second are truncated. A date outside the years 0 to 9999 is clamped.
  static func text(_ date: Date) -> String {
    let fields = HTTPDateComponents.fields(of: date)
    func padded(_ number: Int32, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let day = days[Int(fields.tm_wday)].prefix(3).capitalized
    let month = months[Int(fields.tm_mon)].capitalized
    let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded($0, 2) }
    return "\(day), \(padded(fields.tm_mday, 2)) \(month) \(padded(fields.tm_year + 1900, 4)) "
      + clock.joined(separator: ":") + " GMT"
  }

  private static func isDayName(_ word: Substring) -> Bool {
    let name = word.hasSuffix(",") ? word.dropLast() : word
    return days.contains { $0 == name || $0.prefix(3) == name }
  }

  private static func month(_ word: Substring) -> Int? {
    months.firstIndex { $0 == word }.map { $0 + 1 }
  }

  fileprivate static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
    let isNumber = digits.contains(word.utf8.count) && word.utf8.allSatisfy { $0 &- 0x30 < 10 }
    return isNumber ? Int(word) : nil
  }
}

/// The fields of a date, not yet checked against the calendar.
private struct HTTPDateComponents {
  var year: Int
  let month: Int
  let day: Int
  let secondOfDay: Int

  /// Returns nil when a field is missing or the time of day is out of range.
  init?(year: Int?, month: Int?, day: Int?, time: Substring) {
    let clock = time.split(scalar: ":", omittingEmptySubsequences: false)
      .map { HTTPDate.number($0, digits: 2...2) }
    guard let year, let month, let day, clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second < 60 || (hour == 23 && minute == 59 && second == 60)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    secondOfDay = (hour * 60 + minute) * 60 + second
  }

  /// Resolves a year of two digits to the latest one that is at most 50 years after `now`.
  mutating func chooseCentury(near now: Date) {
    let fields = Self.fields(of: now)
    let limit = Int(fields.tm_year) + 1900 + 50
    let limitSecond = Int((fields.tm_hour * 60 + fields.tm_min) * 60 + fields.tm_sec)
    year = limit - (limit - year) % 100
    let isPast =
      (month, day, secondOfDay) <= (Int(fields.tm_mon) + 1, Int(fields.tm_mday), limitSecond)
    if year == limit && !isPast { year -= 100 }
  }

  /// The Unix seconds; nil when the calendar has no such day, or the year is not 0 to 9999.
  var seconds: Int? {
    guard (0...9999).contains(year) else { return nil }
    var midnight = tm()
    midnight.tm_year = Int32(year - 1900)
    midnight.tm_mon = Int32(month - 1)
    midnight.tm_mday = Int32(day)
    let start = timegm(&midnight)
    // timegm normalizes a day past the end of its month into another month.
    return midnight.tm_mday == Int32(day) ? start + secondOfDay : nil
  }

  /// The calendar fields in GMT of a date, which is clamped to the years 0 to 9999.
  static func fields(of date: Date) -> tm {
    let first = -62_167_219_200.0
    let last = 253_402_300_799.0
    // Double.minimum and Double.maximum return the bound for NaN.
    let seconds = Double.minimum(Double.maximum(date.timeIntervalSince1970, first), last)
    var time = time_t(seconds.rounded(.down))
    var fields = tm()
    gmtime_r(&time, &fields)
    return fields
  }
}
