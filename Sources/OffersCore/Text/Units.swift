import Foundation

/// Formats numbers, sizes and times for users.
package enum Units {
  /// A number with commas between thousands: 12345 is `12,345`.
  package static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result += "," }
      result.append(digit)
    }
    return number < 0 ? "-" + result : result
  }

  /// A number and its noun: 1 is `1 offer`, 2 is `2 offers`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A size in bytes: 48123 is `48 kB`. The units are powers of 1000.
  package static func size(_ bytes: Int) -> String {
    var value = Double(bytes)
    for unit in ["B", "kB", "MB", "GB"] {
      if value < 1000 || unit == "GB" {
        let text =
          value < 10 && unit != "B" ? decimal(value, 1) : String(Int(clamped: value.rounded()))
        return "\(text) \(unit)"
      }
      value /= 1000
    }
    return "\(bytes) B"
  }

  /// A duration in seconds: 0.0213 is `0.02 s`, 75 is `1 min 15 s`.
  package static func duration(_ seconds: Double) -> String {
    let seconds = max(0, seconds)
    if seconds < 10 { return decimal(seconds, 2) + " s" }
    let whole = Int(clamped: seconds.rounded())
    return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }

  /// The time until something happens, rounded up: 29.5 is `30 seconds`, 600 is `10 minutes`, 7200 is
  /// `2 hours`.
  package static func wait(_ seconds: Double) -> String {
    let whole = Int(clamped: max(1, seconds.rounded(.up)))
    switch whole {
    case ..<120: return count(whole, "second")
    case ..<7200: return count((whole - 1) / 60 + 1, "minute")
    default: return count((whole - 1) / 3600 + 1, "hour")
    }
  }

  /// A time in the local time zone: `2026-11-21 08:15`.
  package static func time(_ date: Date) -> String { text(of: date, "%Y-%m-%d %H:%M") }

  /// A time with seconds in the local time zone: `2026-11-21 08:15:04`.
  package static func exactTime(_ date: Date) -> String { text(of: date, "%Y-%m-%d %H:%M:%S") }

  /// A day in the local time zone: `2026-11-21`.
  package static func day(_ date: Date) -> String { text(of: date, "%Y-%m-%d") }

  /// A day in the local time zone as people write it: `5 Dec`, and in another year than the present one
  /// `5 Dec 2027`.
  package static func shortDay(_ date: Date, at now: Date) -> String {
    let isThisYear = text(of: date, "%Y") == text(of: now, "%Y")
    let words = text(of: date, isThisYear ? "%e %b" : "%e %b %Y")
    return words.trimmingCharacters(in: .whitespaces)
  }

  /// When something ends, as words behind its name.
  ///
  /// - Parameter now: the time at which they are read: `ends in 6 hours`, `ends in 4 days`, `has ended`. Nil for words
  ///   that stay true: `ends at 2026-11-21 08:15`.
  package static func ending(_ end: Date, at now: Date?) -> String {
    guard let now else { return "ends at \(time(end))" }
    let seconds = end.timeIntervalSince(now)
    if seconds < 0 { return "has ended" }
    // Rounded down: who comes an hour later is too late.
    let whole = Int(clamped: seconds)
    switch whole {
    case ..<120: return "ends in \(count(whole, "second"))"
    case ..<7200: return "ends in \(count(whole / 60, "minute"))"
    case ..<(3 * 86_400): return "ends in \(count(whole / 3600, "hour"))"
    default: return "ends in \(count(whole / 86_400, "day"))"
    }
  }

  private static func text(of date: Date, _ format: String) -> String {
    var seconds = time_t(date.storedSeconds)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The age of a time: `just now`, `5 min ago`, `3 h ago`; the time itself after a day, and for a
  /// time in the future.
  package static func age(of date: Date, at now: Date) -> String {
    let seconds = Int(clamped: now.timeIntervalSince(date))
    switch seconds {
    case ..<0: return time(date)
    case 0..<60: return "just now"
    case 60..<3600: return "\(seconds / 60) min ago"
    case 3600..<86400: return "\(seconds / 3600) h ago"
    default: return time(date)
    }
  }

  private static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 1 ? 10.0 : 100.0
    let scaled = Int(clamped: (value * scale).rounded())
    let rest = String(scaled % Int(scale))
    return "\(scaled / Int(scale))." + String(repeating: "0", count: places - rest.count) + rest
  }
}
