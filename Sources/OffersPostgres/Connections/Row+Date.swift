import Foundation

/// Times are stored in Unix seconds.
extension Row {
  func findDate(_ column: Int) -> Date? {
    findNumber(column).map { Date(timeIntervalSince1970: Double($0)) }
  }

  func date(_ column: Int) -> Date { Date(timeIntervalSince1970: Double(number(column))) }
}

extension Date {
  /// The time in whole Unix seconds, rounded down, as it is stored. Times that no clock shows are
  /// moved to the nearest that is exact as a `Double`.
  var storedSeconds: Int64 { Self.bounded(timeIntervalSince1970.rounded(.down)) }

  /// The first whole Unix second at the time or after it.
  var nextSeconds: Int64 { Self.bounded(timeIntervalSince1970.rounded(.up)) }

  private static func bounded(_ seconds: Double) -> Int64 {
    let limit = Double(Int64(1) << 53)
    return seconds.isNaN ? 0 : Int64(min(max(seconds, -limit), limit))
  }
}

extension Parameter {
  static func date(_ date: Date?) -> Parameter { .number(date?.storedSeconds) }
}
