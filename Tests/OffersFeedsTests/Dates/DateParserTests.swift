import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Dates as feeds write them")
struct DateParserTests {
  /// Parses a text and formats the result; nil if it is refused.
  static func parse(_ text: String, _ order: DateOrder? = nil) -> String {
    var text = text
    guard let date = text.withUTF8({ DateParser.parse(UnsafeRawBufferPointer($0), order: order) })
    else {
      return "nil"
    }
    return DateParser.write(date.seconds, isWholeDay: date.isWholeDay)
  }

  static let iso: [(text: String, value: String)] = [
    ("2026-08-21T01:00:00Z", "2026-08-21T01:00:00Z"),
    ("2026-08-21t01:00:00z", "2026-08-21T01:00:00Z"),
    ("2026-08-21 01:00:00", "2026-08-21T01:00:00Z"),
    ("2026-08-21T01:00", "2026-08-21T01:00:00Z"),
    ("2026-08-21T01:00Z", "2026-08-21T01:00:00Z"),
    ("2026-08-21T01:00:00.5Z", "2026-08-21T01:00:00Z"),
    ("2026-08-21T01:00:00,999999999999999999999Z", "2026-08-21T01:00:00Z"),
    ("2026-08-21T01:00:00+02:00", "2026-08-20T23:00:00Z"),
    ("2026-08-21T01:00:00+0200", "2026-08-20T23:00:00Z"),
    ("2026-08-21T01:00:00+02", "2026-08-20T23:00:00Z"),
    ("2026-08-21T01:00:00.25-05:30", "2026-08-21T06:30:00Z"),
    ("2026-08-21 01:00:00 +0200", "2026-08-20T23:00:00Z"),
    ("2026-08-21 01:00:00 UTC", "2026-08-21T01:00:00Z"),
    ("20260821T010000Z", "2026-08-21T01:00:00Z"), ("20260821T0100", "2026-08-21T01:00:00Z"),
    ("20260821T010000.5+0200", "2026-08-20T23:00:00Z"),
    ("2026-08-21", "2026-08-21"), ("20260821", "2026-08-21"), ("2026/08/21", "2026-08-21"),
    ("2026/08/21 18:15:24", "2026-08-21T18:15:24Z"), ("  2026-08-21\r\n", "2026-08-21"),
    ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"), ("2026-12-31T24:00", "2027-01-01T00:00:00Z"),
    ("20261231T240000.000Z", "2027-01-01T00:00:00Z"),
    ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"), ("2024-02-29", "2024-02-29"),
    ("2000-02-29", "2000-02-29"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
    ("19000101", "1900-01-01"), ("22001231", "2200-12-31"),
  ]

  static let written: [(text: String, value: String)] = [
    ("Fri, 21 Aug 2015 01:00:00 +0200", "2015-08-20T23:00:00Z"),
    ("21 Aug 2015 01:00:00 GMT", "2015-08-21T01:00:00Z"),
    ("Fri, 21 Aug 15 01:00 EST", "2015-08-21T06:00:00Z"),
    ("1 Jan 68 00:00 UT", "2068-01-01T00:00:00Z"), ("1 Jan 69 00:00 UT", "1969-01-01T00:00:00Z"),
    ("1 jan 00 00:00 Z", "2000-01-01T00:00:00Z"),
    ("Fri, 21 Aug 2015 1:00:00 EDT", "2015-08-21T05:00:00Z"),
    ("21 Aug 2015 01:00 CST", "2015-08-21T07:00:00Z"),
    ("21 Aug 2015 01:00 CDT", "2015-08-21T06:00:00Z"),
    ("21 Aug 2015 01:00 MST", "2015-08-21T08:00:00Z"),
    ("21 Aug 2015 01:00 MDT", "2015-08-21T07:00:00Z"),
    ("21 Aug 2015 01:00 PST", "2015-08-21T09:00:00Z"),
    ("21 Aug 2015 01:00 pdt", "2015-08-21T08:00:00Z"),
    ("21 Aug 2015 01:00 UTC", "2015-08-21T01:00:00Z"),
    ("21 Aug 2015 01:00", "2015-08-21T01:00:00Z"),
    ("FRIDAY, 21 AUGUST 2015 01:00:00 +0000", "2015-08-21T01:00:00Z"),
    ("Fri,21 Aug 2015 01:00:00 GMT", "2015-08-21T01:00:00Z"),
    ("Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)", "1969-02-14T03:02:00Z"),
    ("Mon, 21 Aug 2015 01:00:00 GMT", "2015-08-21T01:00:00Z"),
    ("Aug 21, 2015 1:00:00 AM", "2015-08-21T01:00:00Z"),
    ("Aug 21, 2015 1:00:00 pm", "2015-08-21T13:00:00Z"),
    ("Aug 21, 2015 12:00 AM", "2015-08-21T00:00:00Z"),
    ("Aug 21, 2015 12:30PM EST", "2015-08-21T17:30:00Z"), ("Aug 21, 2015", "2015-08-21"),
    ("August 21, 2015 13:00", "2015-08-21T13:00:00Z"),
    ("August 21, 2015, 13:00", "2015-08-21T13:00:00Z"), ("Aug 21 2015", "2015-08-21"),
    ("Fri, Aug 21, 2015", "2015-08-21"), ("Aug. 21, 2015", "2015-08-21"),
    ("21 Aug 2015", "2015-08-21"), ("1 sept 2015", "2015-09-01"), ("June 24, 2013", "2013-06-24"),
    ("21-Aug-2015", "2015-08-21"), ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
    ("Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"),
    ("Sun Nov  6 08:49:37 EST 1994", "1994-11-06T13:49:37Z"),
    ("31 Dec 2016 23:59:60 GMT", "2016-12-31T23:59:59Z"),
  ]

  static let unix: [(text: String, value: String)] = [
    ("1440154800", "2015-08-21T11:00:00Z"), ("1440154800.5", "2015-08-21T11:00:00Z"),
    ("1440154800999", "2015-08-21T11:00:00Z"), ("999999999", "2001-09-09T01:46:39Z"),
    ("999999999999", "2001-09-09T01:46:39Z"), (" 1440154800 ", "2015-08-21T11:00:00Z"),
  ]

  static let numeric: [(text: String, value: String)] = [
    ("31.12.2026", "2026-12-31"), ("1.2.2026", "2026-02-01"), ("31.12.26", "2026-12-31"),
    ("31.12.2026 18:30", "2026-12-31T18:30:00Z"), ("31-12-2026", "2026-12-31"),
    ("12/31/2026", "2026-12-31"), ("31/12/2026", "2026-12-31"), ("13/09/2015", "2015-09-13"),
    ("12-31-2026", "2026-12-31"), ("05/05/2026", "2026-05-05"),
    ("12/31/2026 11:59 PM", "2026-12-31T23:59:00Z"),
    ("/Date(1798675200000)/", "2026-12-31T00:00:00Z"),
    ("/Date(1798675200999+0100)/", "2026-12-31T00:00:00Z"),
    ("/Date(-1)/", "1969-12-31T23:59:59Z"), ("/Date(0)/", "1970-01-01T00:00:00Z"),
    ("2026/12/31", "2026-12-31"), ("2026年12月31日", "2026-12-31"), ("2026年1月5日", "2026-01-05"),
    ("2026年12月31日 10:00", "2026-12-31T10:00:00Z"),
  ]

  static let worded: [(text: String, value: String)] = [
    ("Thurs, 11 Oct 2012 08:00:00 GMT", "2012-10-11T08:00:00Z"),
    ("Fri, Oct 7 2022 10:15:00 -0400", "2022-10-07T14:15:00Z"),
    ("Tues, 2 June 2026 09:00:00 GMT", "2026-06-02T09:00:00Z"),
    ("Weds. 3 June 2026", "2026-06-03"), ("Thur 4 Jun 2026", "2026-06-04"),
    ("Mo, 30.11.2026", "nil"), ("June 2nd, 2026", "2026-06-02"), ("2nd June 2026", "2026-06-02"),
    ("the 3rd of May 2026", "2026-05-03"), ("Saturday, November 21st, 2026", "2026-11-21"),
    ("30. November 2026", "2026-11-30"), ("1.März 2026", "2026-03-01"),
    ("Montag, den 30. NOVEMBER 2026", "2026-11-30"), ("Mo. 30. Nov. 2026", "2026-11-30"),
    ("5. Mrz 2026", "2026-03-05"), ("24. Dez. 2026, 18:30 Uhr", "2026-12-24T18:30:00Z"),
    ("31. Januar 2026 um 23:59 Uhr MEZ", "2026-01-31T22:59:00Z"), ("1. JÄNNER 2026", "2026-01-01"),
    ("1er août 2026", "2026-08-01"), ("lundi 30 novembre 2026", "2026-11-30"),
    ("mar. 3 mars 2026", "2026-03-03"), ("le 14 févr. 2026", "2026-02-14"),
    ("30 DÉCEMBRE 2026 à 23h59", "2026-12-30T23:59:00Z"), ("15 juil. 2026", "2026-07-15"),
    ("30 de noviembre de 2026", "2026-11-30"), ("lunes, 30 de noviembre de 2026", "2026-11-30"),
    ("miércoles 2 dic 2026", "2026-12-02"), ("el 5 de enero del 2026", "2026-01-05"),
    ("mercoledì 2 dicembre 2026", "2026-12-02"), ("5 gen. 2026", "2026-01-05"),
    ("5 mei 2026", "2026-05-05"), ("5 de março de 2026", "2026-03-05"),
    ("zondag 6 december 2026", "2026-12-06"), ("za 5 december 2026", "2026-12-05"),
    ("segunda-feira, 7 de dezembro de 2026", "2026-12-07"),
    ("terça, 8 de dezembro de 2026", "2026-12-08"),
    ("sexta feira 4 de dezembro de 2026", "2026-12-04"),
    ("segunda parte 7 de dezembro de 2026", "nil"),
    ("Mar 3, 2026", "2026-03-03"), ("Aug 21, 2015 1 PM", "2015-08-21T13:00:00Z"),
    ("Aug 21, 2015 at 1:00 p.m.", "2015-08-21T13:00:00Z"),
    ("November 30, 2026 at 11:59pm PST", "2026-12-01T07:59:00Z"),
    ("30\u{A0}novembre\u{202F}2026", "2026-11-30"),
    ("21 Aug 2015 01:00:00 CEST", "2015-08-20T23:00:00Z"),
    ("2026-08-21T01:00:00 CET", "2026-08-21T00:00:00Z"),
    ("21 Aug 2015 01:00 EEST", "2015-08-20T22:00:00Z"),
    ("21 Aug 2015 01:00 JST", "2015-08-20T16:00:00Z"),
    ("21 Aug 2015 01:00 ACST", "2015-08-20T15:30:00Z"),
    ("21 Aug 2015 01:00:00 GMT+2", "2015-08-20T23:00:00Z"),
    ("21 Aug 2015 01:00 UTC-03:30", "2015-08-21T04:30:00Z"),
    ("2026-08-21 01:00 UTC+0530", "2026-08-20T19:30:00Z"),
    ("30.11.2026, 23:59 Uhr", "2026-11-30T23:59:00Z"),
    ("30.11.2026 um 8 Uhr", "2026-11-30T08:00:00Z"),
    ("Thu, 02 Sep 2021 20:0:0 GMT", "2021-09-02T20:00:00Z"),
    ("2 Sep 2021 8:5:9", "2021-09-02T08:05:09Z"), ("2 Sep 2021 8:5", "nil"),
  ]

  @Test(
    "weekdays, ordinals and months of seven languages, and unambiguous zones", arguments: worded)
  func readsWords(text: String, value: String) {
    #expect(Self.parse(text) == value)
  }

  @Test("dates of numbers are parsed if the day is unambiguous", arguments: numeric)
  func readsNumbers(text: String, value: String) {
    #expect(Self.parse(text) == value)
  }

  @Test(
    "an ambiguous date is parsed in the feed's order",
    arguments: [
      ("01/02/2026", "2026-02-01", "2026-01-02"), ("1-2-2026", "2026-02-01", "2026-01-02"),
      ("1/2/26", "2026-02-01", "2026-01-02"), ("01.02.2026", "2026-02-01", "2026-02-01"),
      ("12/31/2026", "2026-12-31", "2026-12-31"), ("2026-01-02", "2026-01-02", "2026-01-02"),
      ("13/13/2026", "nil", "nil"),
    ])
  func readsByOrder(text: String, dmy: String, mdy: String) {
    #expect(Self.parse(text, .dmy) == dmy)
    #expect(Self.parse(text, .mdy) == mdy)
  }

  @Test(
    "impossible or malformed dates of numbers are refused",
    arguments: [
      "31.13.2026", "30.02.2026", "32.01.2026", "0.1.2026", "31.12", "31.12.", "31.12.026",
      "1.2.26", "31.12-2026", "31/12.2026", "31-12-26", "12/31/26", "31.12.2026x", "192.168.0.1",
      "1.2.3", "/Date(x)/", "/Date()/", "/Date(1798675200000)", "/Date(1798675200000+1)/",
      "/Date(999999999999999)/", "2026年13月1日", "2026年12月", "2026年12月31", "26年12月31日", "/12/31/2026",
    ])
  func refusesNumbers(text: String) {
    #expect(Self.parse(text) == "nil")
  }

  @Test(
    "ISO 8601, dates with month names and Unix times are parsed", arguments: iso + written + unix)
  func reads(text: String, value: String) {
    #expect(Self.parse(text) == value)
  }

  static let refused = [
    "", " ", "today", "never", "0", "2026", "2026-08", "2026-8-21", "2026-13-01", "2026-00-01",
    "2026-02-30", "2026-02-00", "2023-02-29", "1900-02-29", "2026-04-31", "2026-08-21T25:00:00Z",
    "2026-08-21T24:00:01Z", "2026-08-21T24:00:00.1Z", "2026-08-21T23:60:00Z",
    "2026-08-21T23:00:61Z", "2026-08-21T1:00:00Z", "2026-08-21T01", "2026-08-21T", "2026-08-21T01:",
    "2026-08-21T01:00:", "2026-08-21T01:00:00.", "2026-08-21T01:00:00.Z", "2026-08-21T01:00.5Z",
    "2026-08-21T01:00:00+2", "2026-08-21T01:00:00+02:", "2026-08-21T01:00:00+24:00",
    "2026-08-21T01:00:00+02:60", "2026-08-21T01:00:00+020", "2026-08-21T01:00:00ZZ",
    "2026-08-21T01:00:00Z x", "2026-08-21T01:00:00 BST", "2026-08-21Z", "2026-08-21 x",
    "2026-08/21", "2026.08.21", "-2026-08-21", "+2026-08-21", "2026-W34-5", "2026-233",
    "20260230", "18991231", "22010101", "20260821T01", "20260821T010", "20260821T01:00:00Z",
    "20260821010000", "08/09/2015", "8/9/15", "09-08-2015", "15 Aug 21",
    "21 Aug 215", "21 Aug 20155", "30 Feb 2015", "0 Aug 2015", "32 Aug 2015", "121 Aug 2015",
    "21 Avg 2015", "21 Augu 2015", "21Aug2015", "21-Aug 2015", "21 Aug-2015", "Aug 2015",
    "Aug 21", "Aug 21, 15", "Aug 21,2015", "Aug 21, 2015 25:00", "Aug 21, 2015 24:00:00",
    "Aug 21, 2015 13:00 PM", "Aug 21, 2015 0:30 AM", "Aug 21, 2015 1", "Aug 21, 2015 1:0",
    "Aug 21, 2015 1:00 XM", "Aug 21, 2015 at", "Aug 21, 2015 x", "Aug 21, 2015,",
    "21 Aug 2015 01:00:00 IST", "21 Aug 2015 01:00:00 A", "21 Aug 2015 01:00:00 EST+2",
    "21 Aug 2015 01:00 UTC+", "21 Aug 2015 01:00 UTC+25", "21xx Aug 2015", "2 of of May 2026",
    "Mar 3", "mar. 3", "lun", "1er 2026", "30 de 2026", "30. 2026", "November 2026",
    "5 de 11 de 2026",
    "21 Aug 2015 01:00:00 +0200 x", "21 Aug 2015 01:00 (x)y", "21 Aug 2015 01:00 +0200 (a)(b)",
    "Fri", "Fri,", "Fri, ", "Frid, 21 Aug 2015", "Fri21 Aug 2015", "Sun Nov  6 08:49:37 94",
    "Sun Nov  6, 08:49:37 1994", "Sun Nov  6 08:49:37 XYZ 1994", "Sun Nov  6 08:49:37",
    "Sun Nov 31 08:49:37 1994", "12345678901", "14401548009999", "12345678", "-1440154800",
    "1.4e9", "1440154800e0", "1440154800.", "1440154800,5", "1440154800999.5", "0000000001",
    "1440154800 x", "2026\u{2212}08\u{2212}21", "2026-08-21T01:00:00\u{2212}02:00",
  ]

  @Test("impossible and ambiguous dates are refused", arguments: refused)
  func refuses(text: String) {
    #expect(Self.parse(text) == "nil")
  }

  @Test("a whole day is its midnight in UTC, and a time is not a whole day")
  func tellsDaysFromTimes() {
    func parse(_ text: StaticString) -> ParsedDate? {
      DateParser.parse(
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    #expect(parse("1970-01-02") == ParsedDate(seconds: 86_400, isWholeDay: true))
    #expect(
      parse("1970-01-02T00:00") == ParsedDate(seconds: 86_400, isWholeDay: false, lacksZone: true))
    #expect(parse("1970-01-02T00:00Z") == ParsedDate(seconds: 86_400, isWholeDay: false))
    #expect(parse("Jan 2, 1970") == ParsedDate(seconds: 86_400, isWholeDay: true))
    #expect(parse("100000000") == ParsedDate(seconds: 100_000_000, isWholeDay: false))
    #expect(parse("0000-01-01") == ParsedDate(seconds: -62_167_219_200, isWholeDay: true))
  }

  /// By default one day of each 19, which reaches every day of every month.
  @Test("the days of 900 years survive formatting and parsing")
  func roundTrips() {
    var random = SeededGenerator(number: 12)
    let step = TestSize.isLong ? 1 : 19
    let first = -150_000 + Int.random(in: 0..<step, using: &random)
    var day = 0
    for number in stride(from: Int64(first), through: 180_000, by: step) {
      let seconds = number * 86_400 + Int64(day % 86_400)
      day += 7919
      for isWholeDay in [true, false] {
        var text = DateParser.write(seconds, isWholeDay: isWholeDay)
        let date = text.withUTF8 { DateParser.parse(UnsafeRawBufferPointer($0)) }
        let expected = isWholeDay ? number * 86_400 : seconds
        if date != ParsedDate(seconds: expected, isWholeDay: isWholeDay) {
          Issue.record("\(seconds) was written as \(text)")
          return
        }
      }
    }
  }

  @Test("a day is written without a time, also beyond four-digit years")
  func writesDays() {
    #expect(DateParser.write(0, isWholeDay: true) == "1970-01-01")
    #expect(DateParser.write(253_402_300_800, isWholeDay: true) == "+10000-01-01")
    #expect(DateParser.write(-62_167_219_201, isWholeDay: true) == "-0001-12-31")
  }

  @Test("no text crashes the parser")
  func survivesAnyText() {
    var random = SeededGenerator(number: 11)
    let parts = [
      "2026", "-08", "-21", "T", "01", ":00", "Z", "+02", " ", "Aug", "21", ",", "Fri", "PM", "GMT",
      "/", ".", "1440154800", "9", "99999999999999999999", "é", "(", ")",
    ]
    for _ in 0..<TestSize.scaled(30_000) {
      let count = Int.random(in: 0...9, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      let value = Self.parse(text)
      if value != "nil" { #expect(Self.parse(value) == value, "\(text)") }
    }
    for _ in 0..<TestSize.scaled(30_000) {
      let count = Int.random(in: 0...24, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if let date = bytes.withUnsafeBytes({ DateParser.parse($0) }) {
        #expect(abs(date.seconds) < 400_000_000_000, "\(bytes)")
      }
    }
  }
}
