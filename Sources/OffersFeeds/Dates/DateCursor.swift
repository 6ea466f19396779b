/// A position in a written date, with parsers for its parts.
///
/// A successful parser advances the position. A failed one may have advanced it; the caller gives
/// up or restarts from a copy.
struct DateCursor {
  private let text: UnsafeRawBufferPointer
  private(set) var index = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  var isAtEnd: Bool { index == text.count }
  var next: UInt8? { index < text.count ? text[index] : nil }
  private var isAtDigit: Bool { index < text.count && text[index] &- 0x30 < 10 }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  mutating func skipSpaces() -> Bool {
    let start = index
    while let byte = next {
      if byte == 0x20 || byte == 0x09 {
        index += 1
      } else if byte >= 0x80, case let length = CharacterScan.spaceLength(text, at: index),
        length > 0
      {
        index += length
      } else {
        break
      }
    }
    return index > start
  }

  /// Parses exactly `count` digits; more digits may follow.
  mutating func takeDigits(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard isAtDigit else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
    }
    return value
  }

  /// Parses a run of digits whose length is in a range.
  mutating func takeNumber(_ counts: ClosedRange<Int>) -> (value: Int, count: Int)? {
    let start = index
    var value = 0
    while isAtDigit {
      guard index - start < counts.upperBound else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
    }
    return index - start >= counts.lowerBound ? (value, index - start) : nil
  }

  /// Parses a run of ASCII letters, which may be empty.
  mutating func takeWord() -> UnsafeRawBufferPointer {
    let start = index
    while let byte = next, (byte | 0x20) &- 0x61 < 26 { index += 1 }
    return UnsafeRawBufferPointer(rebasing: text[start..<index])
  }

  /// Parses a run of letters of ASCII and Latin-1 and looks it up without their accents, in any case;
  /// returns the value in the table, or nil if the table does not have the word.
  mutating func takeName(in table: StaticLookupTable) -> UnsafeRawBufferPointer? {
    let word = takeWord()
    guard next == 0xC3 else { return table.findValue(word, anyCase: true) }
    var letters = Array(word)
    while index < text.count {
      if (text[index] | 0x20) &- 0x61 < 26 {
        letters.append(text[index])
        index += 1
      } else if text[index] == 0xC3, index + 1 < text.count,
        let letter = Self.plainLetter(text[index + 1])
      {
        letters.append(letter)
        index += 2
      } else {
        break
      }
    }
    return letters.withUnsafeBytes { table.findValue($0, anyCase: true) }
  }

  /// The letter without its accent of a letter in U+00C0 to U+00FF, whose second byte in UTF-8 is
  /// given; nil for other letters.
  private static func plainLetter(_ byte: UInt8) -> UInt8? {
    switch byte | 0x20 {
    case 0xA0...0xA5: UInt8(ascii: "a")
    case 0xA7: UInt8(ascii: "c")
    case 0xA8...0xAB: UInt8(ascii: "e")
    case 0xAC...0xAF: UInt8(ascii: "i")
    case 0xB2...0xB6: UInt8(ascii: "o")
    case 0xB9...0xBC: UInt8(ascii: "u")
    default: nil
    }
  }

  /// Parses one of the words of a table, with spaces after it; the position is unchanged if another
  /// text is there.
  mutating func skipWord(in table: StaticLookupTable) {
    var ahead = self
    if ahead.takeName(in: table) != nil, ahead.skipSpaces() { self = ahead }
  }

  /// Parses the fraction of a second, if there is one.
  ///
  /// - Returns: whether it is greater than zero, false for no fraction; nil for a separator without
  ///   a digit after it.
  mutating func takeFraction() -> Bool? {
    guard next == 0x2E || next == 0x2C else { return false }
    index += 1
    guard isAtDigit else { return nil }
    var isPositive = false
    while isAtDigit {
      if text[index] != 0x30 { isPositive = true }
      index += 1
    }
    return isPositive
  }

  /// Skips a comment in parentheses that extends from here to the end of the text, and has no other
  /// parentheses in it (RFC 2822, section 3.2.3).
  mutating func skipClosingComment() {
    guard next == 0x28, text[text.count - 1] == 0x29,
      !text[(index + 1)..<(text.count - 1)].contains(where: { $0 == 0x28 || $0 == 0x29 })
    else { return }
    index = text.count
  }
}

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

  /// Parses `8:49`, `08:49:37`, `8:49:37.5` or `8:5:9`, followed by AM, PM or neither; `8 PM`; `23h59`; and
  /// `23:59 Uhr`. Returns the seconds since midnight, without the fraction.
  mutating func takeClock() -> Int? {
    guard let hour = takeNumber(1...2)?.value else { return nil }
    var minute = 0
    var second = 0
    var hasUnit = false
    if take(0x3A) {
      guard let minutes = takeNumber(1...2) else { return nil }
      minute = minutes.value
      if take(0x3A) {
        guard let seconds = takeNumber(1...2), takeFraction() != nil else { return nil }
        second = seconds.value
      } else if minutes.count == 1 {
        // `8:5` is ambiguous: it may be a ratio or a score.
        return nil
      }
      hasUnit = true
    } else if take(0x68) || take(0x48) {
      minute = takeDigits(2) ?? 0
      return Self.clock(hour: hour, minute: minute, second: 0)
    }
    if let half = takeHalfOfDay() {
      guard (1...12).contains(hour) else { return nil }
      return Self.clock(hour: hour % 12 + half, minute: minute, second: second)
    }
    // A number alone is no time of day.
    return takeHours() || hasUnit ? Self.clock(hour: hour, minute: minute, second: second) : nil
  }

  /// Parses `Uhr` with spaces before it; otherwise the position is unchanged.
  private mutating func takeHours() -> Bool {
    var ahead = self
    _ = ahead.skipSpaces()
    guard CharacterScan.isSame(ahead.takeWord(), "uhr") else { return false }
    self = ahead
    return true
  }

  /// Parses AM, PM or P.M. in any case, with spaces before it; returns 0 for AM and 12 for PM. For
  /// other text it returns nil, and the position is unchanged.
  private mutating func takeHalfOfDay() -> Int? {
    var ahead = self
    _ = ahead.skipSpaces()
    let word = ahead.takeWord()
    if word.count == 1 {
      guard ahead.take(0x2E), case let rest = ahead.takeWord(), rest.count == 1,
        rest[0] | 0x20 == 0x6D, ahead.take(0x2E)
      else { return nil }
    } else {
      guard word.count == 2, word[1] | 0x20 == 0x6D else { return nil }
    }
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

  /// Parses `+02:00`, `+0200`, `+02`, `Z`, a name such as `EST` or `CEST`, or `UTC+2`; returns the
  /// seconds ahead of UTC.
  mutating func takeZone() -> Int? {
    if next == 0x2B || next == 0x2D { return takeOffset(hourDigits: 2...2) }
    let word = takeWord()
    if next == 0x2B || next == 0x2D {
      guard CharacterScan.isSame(word, "utc") || CharacterScan.isSame(word, "gmt") else {
        return nil
      }
      return takeOffset(hourDigits: 1...2)
    }
    guard let value = Self.zones.findValue(word, anyCase: true) else { return nil }
    let minutes = value.dropFirst().reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    return (value[0] == 0x2D ? -60 : 60) * minutes
  }

  /// Parses a sign, hours, and possibly minutes; returns the seconds.
  private mutating func takeOffset(hourDigits: ClosedRange<Int>) -> Int? {
    let sign = next == 0x2D ? -1 : 1
    _ = take(0x2B) || take(0x2D)
    let start = self
    var taken = takeDigits(2)
    if taken == nil, hourDigits.contains(1) {
      self = start
      taken = takeDigits(1)
    }
    guard let hours = taken else { return nil }
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

  /// The zones of RFC 822, section 5, and others whose names stand for one zone only, with the
  /// minutes ahead of UTC. Not among them are `BST`, `IST` and others that several countries use.
  private static var zones: StaticLookupTable {
    StaticLookupTable(
      """
      acdt+630 acst+570 aedt+660 aest+600 akdt-480 akst-540 awst+480 cat +120
      cdt -300 cest+120 cet +060 cst -360 eat +180 edt -240 eest+180 eet +120
      est -300 gmt +000 hkt +480 hst -600 jst +540 kst +540 mdt -360 mesz+120
      mez +060 msk +180 mst -420 ndt -150 nst -210 nzdt+780 nzst+720 pdt -420
      pkt +300 pst -480 sast+120 sgt +480 ut  +000 utc +000 west+060 wet +000
      wib +420 z   +000\u{20}
      """, nameWidth: 4, valueWidth: 4)
  }
}
