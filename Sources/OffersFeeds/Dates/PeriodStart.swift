import Foundation
import OffersCore

/// The start of a period: a time, or the point up to which changes were read the last time.
package enum PeriodStart: Hashable {
  case time(Date)
  case last

  /// Parses `30m`, `12h`, `7d` or `2w` (a duration before now), `2026-11-01` (midnight in the local
  /// time zone), `2026-11-01T08:15:00Z` or `last`. A time without a zone is in the local time zone.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else.
  package init(parsing text: String, now: Date) throws {
    if text == "last" {
      self = .last
    } else {
      self = .time(try Self.time(parsing: text, now: now, orElse: ", or last"))
    }
  }

  /// Parses the forms of `init(parsing:now:)` except `last`.
  ///
  /// - Parameters:
  ///   - text: a duration, a day or a time.
  ///   - now: the end of a duration.
  ///   - others: more forms for the error's hint, such as `, or last`, which follow its own.
  /// - Throws: `OffersError` with `invalidRequest` for anything else.
  package static func time(parsing text: String, now: Date, orElse others: String = "") throws
    -> Date
  {
    if let seconds = findSeconds(text) { return now - seconds }
    if text == "today" { return Calendar.current.startOfDay(for: now) }
    if let time = findTime(text) { return time }
    throw OffersError(
      .invalidRequest, "“\(text)” is not a time.",
      hint: "Write 30m, 12h, 7d or 2w, today, a day as 2026-11-01, \(others.isEmpty ? "or " : "")"
        + "a time as 2026-11-01T08:15:00Z\(others).")
  }

  /// Parses a duration: a whole number with m (minutes), h, d or w; returns seconds, at most those
  /// of a century.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else.
  package static func seconds(parsing text: String) throws -> Double {
    guard let seconds = findSeconds(text) else {
      throw OffersError(
        .invalidRequest, "“\(text)” is not a duration.", hint: "Write 30m, 12h, 7d or 2w.")
    }
    return seconds
  }

  /// The longest duration in seconds, a century; longer ones are clamped.
  private static let limitSeconds = 36_525 * 86_400.0

  private static func findSeconds(_ text: String) -> Double? {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), (1...9).contains(digits.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Double(digits)
    else { return nil }
    return min(number * unit, limitSeconds)
  }

  private static func findTime(_ text: String) -> Date? {
    // Only dates that begin with a year and a hyphen are accepted: bare numbers and English dates
    // may be typing errors.
    guard text.utf8.prefix(5).dropFirst(4).elementsEqual("-".utf8) else { return nil }
    var copy = text
    guard let parsed = copy.withUTF8({ DateParser.parse(UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    let isLocal = parsed.isWholeDay || parsed.lacksZone
    let seconds = isLocal ? DayZone.user.seconds(local: parsed.seconds) : parsed.seconds
    return Date(timeIntervalSince1970: Double(seconds))
  }
}
