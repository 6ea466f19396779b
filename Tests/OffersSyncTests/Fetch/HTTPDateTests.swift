import Foundation
import Testing

@testable import OffersSync

@Suite("HTTP dates")
struct HTTPDateTests {
  /// 2026-01-15 12:00:00.
  private static let now = Date(timeIntervalSince1970: 1_768_478_400)

  private static func seconds(_ text: String, now: Date = now) -> Double? {
    HTTPDate.parse(text, now: now)?.timeIntervalSince1970
  }

  @Test(
    "all three forms are parsed",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Wed Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Wednesday, 01-Jan-70 00:00:00 GMT", 3_155_760_000),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
  func readsAllForms(text: String, expected: Double) {
    #expect(Self.seconds(text) == expected)
  }

  @Test(
    "harmless deviations are accepted",
    arguments: [
      "06 Nov 1994 08:49:37 GMT", "6 Nov 1994 08:49:37 GMT", "06-Nov-94 08:49:37 GMT",
      "Nov  6 08:49:37 1994", "Nov 06 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sunday, 06-Nov-94 08:49:37 UTC",
      "sun, 06 nov 1994 08:49:37 gmt", "SUN NOV  6 08:49:37 1994", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
      "  Sun,  06 Nov 1994\t08:49:37 GMT ", "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
  func readsDeviations(text: String) {
    #expect(Self.seconds(text) == 784_111_777)
  }

  @Test(
    "a leap second yields the following second",
    arguments: ["Sat, 31 Dec 2016 23:59:60 GMT", "Sun, 01 Jan 2017 00:00:00 GMT"])
  func readsLeapSeconds(text: String) {
    #expect(Self.seconds(text) == 1_483_228_800)
  }

  @Test(
    "days and times that do not exist are refused",
    arguments: [
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 32 Dec 1994 08:49:37 GMT", "Mon, 30 Feb 2000 00:00:00 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Mon, 29 Feb 1900 00:00:00 GMT",
      "Sunday, 29-Feb-23 08:49:37 GMT", "Wed Feb 29 00:00:00 2023", "Sun Apr 31 08:49:37 1994",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 23:59:61 GMT",
      "Sun, 06 Nov 1994 99:99:99 GMT",
    ])
  func refusesImpossible(text: String) {
    #expect(Self.seconds(text) == nil)
  }

  @Test(
    "any other text is refused",
    arguments: [
      "", " ", "0", "-1", "now", "Sun", "Sun,", "784111777", "1994-11-06T08:49:37Z",
      "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
      "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 06 Nov 1994 08:49:37 -0000",
      "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 06 Nov 01994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
      "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
      "Son, 06 Nov 1994 08:49:37 GMT", "Sund, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT",
      "Sunday, 06-Nov-94-1 08:49:37 GMT", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
      "Sun, 06 Nov 1994 08:49:37 GMT\n", "Sun,\n06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT\0", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:4\u{301}9:37 GMT",
      "Sun," + String(repeating: " ", count: 64) + "06 Nov 1994 08:49:37 GMT",
    ])
  func refusesOthers(text: String) {
    #expect(Self.seconds(text) == nil)
  }

  @Test(
    "a year of two digits is the latest one at most 50 years ahead",
    arguments: [
      ("Thu, 15 Jan 2026 12:00:00 GMT", "15-Jan-26 12:00:00 GMT", 2026),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "15-Jan-75 12:00:00 GMT", 2075),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "15-Jan-76 12:00:00 GMT", 2076),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "15-Jan-76 12:00:01 GMT", 1976),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "16-Jan-76 00:00:00 GMT", 1976),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "01-Feb-76 00:00:00 GMT", 1976),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "15-Jan-77 12:00:00 GMT", 1977),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "31-Dec-99 23:59:59 GMT", 1999),
      ("Thu, 15 Jan 2026 12:00:00 GMT", "01-Jan-00 00:00:00 GMT", 2000),
      ("Fri, 31 Dec 1999 23:59:59 GMT", "01-Jan-00 00:00:00 GMT", 2000),
      ("Fri, 31 Dec 1999 23:59:59 GMT", "06-Nov-94 08:49:37 GMT", 1994),
      ("Mon, 01 Jan 2080 00:00:00 GMT", "01-Jan-10 00:00:00 GMT", 2110),
      ("Mon, 01 Jan 2080 00:00:00 GMT", "01-Jan-94 00:00:00 GMT", 2094),
    ])
  func choosesCenturies(now: String, text: String, year: Int) throws {
    let now = try #require(HTTPDate.parse(now))
    let date = try #require(HTTPDate.parse(text, now: now))
    #expect(HTTPDate.text(date).contains(" \(year) "))
  }

  @Test("a leap day with a year of two digits is checked in the resolved century")
  func readsShortLeapDays() throws {
    let earlier = try #require(HTTPDate.parse("Sat, 01 Jan 2050 00:00:00 GMT"))
    let later = try #require(HTTPDate.parse("Wed, 01 Jan 2060 00:00:00 GMT"))
    #expect(Self.seconds("29-Feb-00 00:00:00 GMT", now: earlier) == 951_782_400)
    #expect(Self.seconds("29-Feb-00 00:00:00 GMT", now: later) == nil)
  }

  @Test(
    "a clock that is far off does not prevent parsing",
    arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)])
  func toleratesClocks(now: Date) {
    #expect(Self.seconds("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == 784_111_777)
    let short = HTTPDate.parse("06-Nov-94 08:49:37 GMT", now: now)
    #expect(short.map(HTTPDate.text)?.hasSuffix("94 08:49:37 GMT") != false)
  }

  @Test(
    "dates are written in the preferred form",
    arguments: [
      (784_111_777.0, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (784_111_777.999, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"),
      (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"),
      (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Double, String)])
  func writesDates(seconds: Double, expected: String) {
    #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == expected)
  }

  @Test("a NaN date is written as a valid date")
  func writesNoNumber() {
    #expect(HTTPDate.parse(HTTPDate.text(Date(timeIntervalSince1970: .nan))) != nil)
  }

  @Test("every written date is parsed to the same time, weekly over 400 years")
  func readsWhatItWrites() {
    for day in stride(from: -73_000, to: 73_100, by: 7) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + Double((day + 73_000) % 86_400))
      #expect(HTTPDate.parse(HTTPDate.text(date), now: Self.now) == date)
    }
  }
}
