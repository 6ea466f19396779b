import Foundation

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
