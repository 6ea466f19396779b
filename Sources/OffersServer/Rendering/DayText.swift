import OffersCore

/// Days as people write them. The scripts of the pages write them anew in the time zone of the
/// browser.
enum DayText {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  /// The days of a week, from that of 1970-01-01.
  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  /// A text that is an ISO 8601 date, such as `2025-01-05`, as `5 January 2025`; any other text as it
  /// is.
  static func words(_ text: String) -> String {
    guard let day = day(text) else { return text }
    return "\(day.day) \(months[Int(day.month) - 1]) \(day.year)"
  }

  /// The heading of a day: `Today`, `Yesterday`, `Tuesday, 24 November`, and in another year
  /// `24 November 2025`.
  ///
  /// - Parameters:
  ///   - text: the day as an ISO 8601 date.
  ///   - today: the current day, in the same time zone.
  static func heading(_ text: String, today: String) -> String {
    guard let day = day(text), let current = Self.day(today) else { return text }
    switch current.number - day.number {
    case 0: return "Today"
    case 1: return "Yesterday"
    case -1: return "Tomorrow"
    default: break
    }
    guard day.year == current.year else { return words(text) }
    let weekday = weekdays[Int(((day.number % 7) + 7) % 7)]
    return "\(weekday), \(day.day) \(months[Int(day.month) - 1])"
  }

  /// The day of a text that is an ISO 8601 date and nothing else; nil for any other text.
  private static func day(_ text: String) -> CivilDay? {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count == 10, parts.map(\.count) == [4, 2, 2],
      parts.allSatisfy({ $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let year = Int(String(parts[0]) ?? ""), let month = Int(String(parts[1]) ?? ""),
      let day = Int(String(parts[2]) ?? "")
    else { return nil }
    return CivilDay(year: year, month: month, day: day)
  }
}
