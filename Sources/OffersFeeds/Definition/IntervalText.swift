import OffersCore

/// An interval between syncs as text, such as `30m`, `6h`, `1d` or `2w`.
package enum IntervalText {
  private static let units: [(letter: Character, seconds: Int)] = [
    ("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60),
  ]
  /// The longest interval: a leap year.
  private static let limitSeconds = 366 * 86_400

  /// Parses an interval; returns seconds.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another form, less than a minute, or more
  ///   than 366 days.
  package static func seconds(parsing text: String) throws -> Int {
    let digits = text.dropLast()
    guard let unit = units.first(where: { $0.letter == text.last }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw OffersError(
        .invalidRequest, "“\(text)” is not an interval between syncs.",
        hint: "Write a number and m, h, d or w, as in 30m, 6h, 1d or 2w.")
    }
    let number = Int(digits) ?? .max
    guard number >= 1 else {
      throw OffersError(
        .invalidRequest, "“\(text)” is too short an interval between syncs.",
        hint: "The shortest interval is 1m.")
    }
    let (seconds, isTooLarge) = number.multipliedReportingOverflow(by: unit.seconds)
    guard !isTooLarge, seconds <= limitSeconds else {
      throw OffersError(
        .invalidRequest, "“\(text)” is too long an interval between syncs.",
        hint: "The longest interval is 52w."
      )
    }
    return seconds
  }

  /// - Throws: `OffersError` with `invalidRequest` for an interval that is not whole minutes from
  ///   one minute to 366 days.
  package static func check(_ seconds: Int) throws {
    if seconds >= 60, seconds <= limitSeconds, seconds % 60 == 0 { return }
    throw OffersError(
      .invalidRequest, "\(seconds) seconds is not an interval between syncs.",
      hint: "Give whole minutes, from one minute to a year.")
  }

  /// The shortest text of an interval, in the largest unit that divides it; part of a minute is
  /// rounded up.
  package static func text(seconds: Int) -> String {
    for unit in units where seconds >= unit.seconds && seconds % unit.seconds == 0 {
      return "\(seconds / unit.seconds)\(unit.letter)"
    }
    return "\(max(1, (seconds + 59) / 60))m"
  }
}
