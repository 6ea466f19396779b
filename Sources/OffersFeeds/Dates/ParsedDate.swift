import OffersCore

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
