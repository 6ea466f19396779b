import Foundation
import OffersCore

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
