import Foundation

/// Formats and parses times in ISO 8601, in UTC, to the second, such as `2026-11-21T09:07:22Z`.
///
/// The mapping is one to one: each number of seconds has exactly one text. Years outside 0 to 9999
/// have a sign, as in the expanded representation of ISO 8601.
package enum ISOTime {
  private static let daySeconds: Int64 = 86_400

  /// The text of a time.
  ///
  /// - Parameter seconds: Unix seconds.
  package static func text(_ seconds: Int64) -> String {
    var days = seconds / daySeconds
    var rest = seconds % daySeconds
    if rest < 0 {
      rest += daySeconds
      days -= 1
    }
    let day = CivilDay(number: days)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    if !(0...9999).contains(day.year) { bytes.append(day.year < 0 ? minus : plus) }
    let year = String(day.year.magnitude).utf8
    for _ in 0..<max(0, 4 - year.count) { bytes.append(zero) }
    bytes += year
    append(day.month, after: "-", to: &bytes)
    append(day.day, after: "-", to: &bytes)
    append(rest / 3600, after: "T", to: &bytes)
    append(rest / 60 % 60, after: ":", to: &bytes)
    append(rest % 60, after: ":", to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The Unix seconds for which `text(_:)` returns exactly this text; nil if there are none.
  package static func seconds(parsing text: String) -> Int64? {
    var bytes = Array(text.utf8)[...]
    let sign = bytes.first
    if sign == minus || sign == plus { bytes = bytes.dropFirst() }
    guard let end = bytes.firstIndex(where: { !isDigit($0) }), bytes.endIndex - end == 16,
      bytes[end...].enumerated().allSatisfy({ place, byte in
        place % 3 == 0 ? byte == marks[place / 3] : isDigit(byte)
      }),
      let year = number(bytes[..<end]), let month = number(bytes[end + 1..<end + 3]),
      let date = number(bytes[end + 4..<end + 6]), let hour = number(bytes[end + 7..<end + 9]),
      let minute = number(bytes[end + 10..<end + 12]),
      let second = number(bytes[end + 13..<end + 15]), hour < 24, minute < 60, second < 60,
      let day = CivilDay(year: sign == minus ? -year : year, month: month, day: date)
    else { return nil }
    // The operators wrap around, because the day that contains the second Int64.min begins before
    // it: there the product overflows, and the sum is right again. If the sum itself overflows, its
    // text differs from the given one. So does the text of a year such as `+2026` or `02026`, which
    // `text(_:)` never writes.
    let seconds = day.number &* daySeconds &+ Int64(hour * 3600 + minute * 60 + second)
    return self.text(seconds) == text ? seconds : nil
  }

  private static let zero = UInt8(ascii: "0")
  private static let minus = UInt8(ascii: "-")
  private static let plus = UInt8(ascii: "+")
  private static let marks = Array("--T::Z".utf8)

  private static func append(_ number: Int64, after mark: StaticString, to bytes: inout [UInt8]) {
    bytes.append(mark.utf8Start.pointee)
    bytes.append(zero + UInt8(number / 10))
    bytes.append(zero + UInt8(number % 10))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  /// The value of at most twelve digits: enough for any year in the range of Int64 seconds.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...12).contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - zero) }
  }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDay {
  package let year: Int64
  /// The month, 1 to 12.
  package let month: Int64
  /// The day of the month, from 1.
  package let day: Int64

  /// Returns nil when the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, year: year) else {
      return nil
    }
    self.year = Int64(year)
    self.month = Int64(month)
    self.day = Int64(day)
  }

  /// Creates the day with a day number.
  ///
  /// Counts in eras of 400 years that begin on March 1, so that the leap day is the last day of a
  /// year. Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms.
  ///
  /// - Parameter number: days since 1970-01-01.
  package init(number: Int64) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  package var number: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Times as every store has them: whole Unix seconds.
package enum StoredTime {
  /// A time within the years 1 to 9999, which every date and every export can have. Another program
  /// may have stored one outside of them, and a clock may be wrong.
  package static func bounded(_ seconds: Int64) -> Int64 {
    min(max(seconds, -62_135_596_800), 253_402_300_799)
  }

  /// The nearest whole number that is exact as a `Double`; 0 for one that is none. It is far from the
  /// bounds of `Int64`, so that a period can be added to it.
  fileprivate static func whole(_ number: Double) -> Int64 {
    let limit = Double(Int64(1) << 53)
    return number.isNaN ? 0 : Int64(min(max(number, -limit), limit))
  }
}

extension Date {
  /// The time of a stored number of Unix seconds, moved into the years 1 to 9999.
  package init(storedSeconds seconds: Int64) {
    self.init(timeIntervalSince1970: Double(StoredTime.bounded(seconds)))
  }

  /// The time in whole Unix seconds, rounded down, as it is stored. Times that no clock shows are
  /// moved to the nearest that is exact as a `Double`.
  package var storedSeconds: Int64 { StoredTime.whole(timeIntervalSince1970.rounded(.down)) }

  /// The first whole Unix second at the time or after it.
  package var nextSeconds: Int64 { StoredTime.whole(timeIntervalSince1970.rounded(.up)) }

  /// The time in whole milliseconds since 1970, rounded down.
  package var storedMilliseconds: Int64 {
    StoredTime.whole((timeIntervalSince1970 * 1000).rounded(.down))
  }
}
