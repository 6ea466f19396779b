/// Times of day and time zones.
extension DateCursor {
  /// Returns the seconds since midnight; nil for an invalid time.
  ///
  /// A leap second counts as the second before it, so that it stays within its minute.
  static func clock(hour: Int, minute: Int, second: Int) -> Int? {
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    return hour * 3600 + minute * 60 + min(second, 59)
  }

  /// Parses the fraction after the seconds of an ISO 8601 time, if there is one, and drops it.
  ///
  /// - Parameters:
  ///   - hour: the hour as written; 24 is valid only for the end of the day.
  ///   - minute: the minute as written.
  ///   - second: nil for a time without seconds, which has no fraction.
  /// - Returns: the seconds since midnight, 86,400 for 24:00:00; nil for an invalid time.
  mutating func finishISOClock(hour: Int, minute: Int, second: Int?) -> Int? {
    var isPositive = false
    if second != nil {
      guard let fraction = takeFraction() else { return nil }
      isPositive = fraction
    }
    if hour == 24 {
      return minute == 0 && second ?? 0 == 0 && !isPositive ? 86_400 : nil
    }
    return Self.clock(hour: hour, minute: minute, second: second ?? 0)
  }

  /// Parses `8:49`, `08:49:37` or `8:49:37.5`, followed by AM, PM or neither; returns the seconds
  /// since midnight, without the fraction.
  mutating func takeClock() -> Int? {
    guard let hour = takeNumber(1...2)?.value, take(0x3A), let minute = takeDigits(2) else {
      return nil
    }
    var second = 0
    if take(0x3A) {
      guard let seconds = takeDigits(2), takeFraction() != nil else { return nil }
      second = seconds
    }
    guard let half = takeHalfOfDay() else {
      return Self.clock(hour: hour, minute: minute, second: second)
    }
    guard (1...12).contains(hour) else { return nil }
    return Self.clock(hour: hour % 12 + half, minute: minute, second: second)
  }

  /// Parses AM or PM in any case, with spaces before it; returns 0 for AM and 12 for PM. For other
  /// text it returns nil, and the position is unchanged.
  private mutating func takeHalfOfDay() -> Int? {
    var ahead = self
    _ = ahead.skipSpaces()
    let word = ahead.takeWord()
    guard word.count == 2, word[1] | 0x20 == 0x6D else { return nil }
    switch word[0] | 0x20 {
    case 0x61:
      self = ahead
      return 0
    case 0x70:
      self = ahead
      return 12
    default: return nil
    }
  }

  /// Parses `+02:00`, `+0200`, `+02`, `Z` or a name such as `EST`; returns the seconds ahead of
  /// UTC.
  mutating func takeZone() -> Int? {
    if next == 0x2B || next == 0x2D {
      let sign = next == 0x2D ? -1 : 1
      _ = take(0x2B) || take(0x2D)
      guard let hours = takeDigits(2) else { return nil }
      var minutes = 0
      if take(0x3A) {
        guard let value = takeDigits(2) else { return nil }
        minutes = value
      } else if let byte = next, byte &- 0x30 < 10 {
        guard let value = takeDigits(2) else { return nil }
        minutes = value
      }
      guard hours < 24, minutes < 60 else { return nil }
      return sign * (hours * 3600 + minutes * 60)
    }
    guard let value = Self.zones.findValue(takeWord(), anyCase: true) else { return nil }
    return -Int(value[0] - 0x30) * 3600
  }

  /// The zones of RFC 822, section 5, that are unambiguous, and UTC, with the hours behind UTC.
  private static var zones: NameTable {
    NameTable(
      """
      cdt5 cst6 edt4 est5 gmt0 mdt6 mst7 pdt7 pst8 ut 0 utc0 z  0\u{20}
      """, nameWidth: 3, valueWidth: 1)
  }
}
