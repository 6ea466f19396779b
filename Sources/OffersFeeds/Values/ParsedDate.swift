import OffersCore

/// A moment or a day that a feed gives.
package struct ParsedDate: Hashable, Sendable {
  /// Unix seconds; for a whole day those of its beginning in UTC.
  package var seconds: Int64
  /// Whether only a day was given, and no time.
  package var isWholeDay: Bool

  package init(seconds: Int64, isWholeDay: Bool) {
    self.seconds = seconds
    self.isWholeDay = isWholeDay
  }
}

extension ParsedDate {
  init(day: CivilDay) {
    self.init(seconds: day.number * 86_400, isWholeDay: true)
  }

  /// - Parameters:
  ///   - clock: seconds since midnight.
  ///   - offset: how many seconds the clock is ahead of UTC.
  init(day: CivilDay, clock: Int, offset: Int) {
    self.init(seconds: day.number * 86_400 + Int64(clock - offset), isWholeDay: false)
  }
}
