import Foundation
import OffersCore
import Testing

@testable import OffersFeeds

@Suite("The start of a period")
struct PeriodStartTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(
    "a duration is subtracted from the current time",
    arguments: [
      ("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), ("0m", 0),
      ("999999999w", 3_155_760_000),
    ] as [(String, Double)])
  func length(text: String, seconds: Double) throws {
    #expect(try PeriodStart(parsing: text, now: Self.now) == .time(Self.now - seconds))
    #expect(try PeriodStart.seconds(parsing: text) == seconds)
  }

  @Test(
    "a time with a zone is exact",
    arguments: [
      ("2026-11-01T08:15:00Z", 1_793_520_900.0), ("2026-11-01T08:15Z", 1_793_520_900),
      ("2026-11-01T10:15:00+02:00", 1_793_520_900), ("2026-11-01 03:15:00-05:00", 1_793_520_900),
    ])
  func zoned(text: String, seconds: Double) throws {
    #expect(
      try PeriodStart(parsing: text, now: Self.now) == .time(Date(timeIntervalSince1970: seconds)))
  }

  @Test("a day is its local midnight, and a time without a zone is local", arguments: [1, 7])
  func local(month: Int) throws {
    let day = DateComponents(year: 2026, month: month, day: 9, hour: 0, minute: 0)
    let midnight = try #require(Calendar(identifier: .gregorian).date(from: day))
    #expect(try PeriodStart(parsing: "2026-0\(month)-09", now: Self.now) == .time(midnight))
    #expect(
      try PeriodStart(parsing: "2026-0\(month)-09T08:15", now: Self.now)
        == .time(midnight + 8.25 * 3600))
  }

  @Test("last means the time of the last read")
  func last() throws {
    #expect(try PeriodStart(parsing: "last", now: Self.now) == .last)
    #expect(throws: OffersError.self) { try PeriodStart.seconds(parsing: "last") }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "7", "d", "-7d", "+7d", "7 d", "7y", "1.5d", "٣d", "1234567890d", "LAST", "2026-02-30",
      "2026-13-01", "2026-11-01T25:00", "01-11-2026", "1793520900", "1 Nov 2026", "20261101",
    ])
  func refuses(text: String) {
    let error = #expect(throws: OffersError.self) { try PeriodStart(parsing: text, now: Self.now) }
    #expect(error?.code == .invalidRequest)
  }
}
