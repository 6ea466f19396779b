import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("ISO 8601 times")
struct ISOTimeTests {
  @Test(
    "a time is written in UTC, with a signed year outside 0 to 9999",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (1_795_252_042, "2026-11-21T09:07:22Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
      (253_402_300_800, "+10000-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
      (-62_167_219_200, "0000-01-01T00:00:00Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
    ])
  func texts(seconds: Int64, text: String) {
    #expect(ISOTime.text(seconds) == text)
    #expect(ISOTime.seconds(parsing: text) == seconds)
  }

  @Test("every Int64 of seconds survives a round trip, including the extremes")
  func comesBack() {
    var random = SeededGenerator(number: 7)
    var numbers: [Int64] = [.min, .min + 1, .max, .max - 1]
    for _ in 0..<TestSize.scaled(20_000) {
      numbers.append(.random(in: .min ... .max, using: &random))
      numbers.append(.random(in: -100_000_000_000...400_000_000_000, using: &random))
    }
    for number in numbers { #expect(ISOTime.seconds(parsing: ISOTime.text(number)) == number) }
  }

  @Test("the text equals that of Foundation")
  func agrees() {
    var random = SeededGenerator(number: 8)
    for _ in 0..<TestSize.scaled(500) {
      let seconds = Int64.random(in: 0...4_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(ISOTime.text(seconds) == date.formatted(.iso8601))
    }
  }

  @Test(
    "any other text is refused",
    arguments: [
      "", "Z", "2026", "2026-11-21", "2026-11-21T09:07:22", "2026-11-21T09:07:22z",
      "2026-11-21 09:07:22Z", "2026-11-21T09:07:22+00:00", "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z",
      "2026-11-21T09:07:60Z", "02026-11-21T09:07:22Z", "+2026-11-21T09:07:22Z",
      "-0000-01-01T00:00:00Z", "26-11-21T09:07:22Z", "2026-1-21T09:07:22Z",
      "2026-11-21T09:07:22Zx", "+99999999999999-01-01T00:00:00Z", "٢٠٢٦-11-21T09:07:22Z",
      "+999999999999-01-01T00:00:00Z",
    ])
  func refuses(text: String) {
    #expect(ISOTime.seconds(parsing: text) == nil)
  }

  @Test("a date beyond the range of Int64 seconds is clamped")
  func farAway() {
    var json = JSONWriter()
    json.array { json in
      for seconds in [Double(Int64.max), -.infinity] {
        json.value(Date(timeIntervalSince1970: seconds))
      }
    }
    #expect(
      json.text
        == #"["+31690708-07-05T01:46:40Z","-31686769-06-29T22:13:20Z"]"#)
  }
}
