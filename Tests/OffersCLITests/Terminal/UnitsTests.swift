import Foundation
import OffersCore
import OffersFeeds
import Testing

@testable import OffersCLI
@testable import OffersSync

@Suite("Numbers formatted for people")
struct UnitsTests {
  @Test(
    "Counts have a comma between groups of three digits",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"),
    ])
  func count(number: Int, text: String) {
    #expect(Units.count(number) == text)
  }

  @Test(
    "Amounts have their currency's decimals, and a symbol only if it is unambiguous",
    arguments: [
      (Reward.Value.amount(minorUnits: 125, currency: "USD"), "$1.25"),
      (.amount(minorUnits: 5, currency: "EUR"), "€0.05"), (.percent(hundredths: 250), "2.5%"),
      (.amount(minorUnits: 123_456, currency: "GBP"), "£1,234.56"),
      (.amount(minorUnits: 500, currency: "JPY"), "¥500"),
      (.amount(minorUnits: -125, currency: "CAD"), "-1.25 CAD"),
      (.amount(minorUnits: 1234, currency: "KWD"), "1.234 KWD"),
      (.amount(minorUnits: .min, currency: "USD"), "-$92,233,720,368,547,758.08"),
    ])
  func value(value: Reward.Value, text: String) {
    #expect(Units.value(value) == text)
  }

  @Test(
    "Sizes use powers of 1000, and a decimal only for small values",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (48_123, "48 kB"), (21_300_000, "21 MB"),
      (2_500_000_000, "2.5 GB"), (5_000_000_000_000, "5000 GB"),
    ])
  func size(bytes: Int, text: String) {
    #expect(Units.size(bytes) == text)
  }

  @Test(
    "Durations range from hundredths of a second to minutes",
    arguments: [(0.0, "0.00 s"), (0.0213, "0.02 s"), (12.4, "12 s"), (75.0, "1 min 15 s")])
  func duration(seconds: Double, text: String) {
    #expect(Units.duration(seconds) == text)
  }

  @Test(
    "Ages of less than a day are printed relative to now",
    arguments: [(0, "just now"), (59, "just now"), (60, "1 min ago"), (3600, "1 h ago")])
  func age(seconds: Int, text: String) {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    #expect(Units.age(of: now - Double(seconds), at: now) == text)
  }

  @Test("Older and future times are printed as absolute times")
  func olderAge() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    for date in [now - 86_400, now + 60] {
      #expect(Units.age(of: date, at: now) == Units.time(date))
    }
  }

  @Test("The progress line has the share, the size, the records and the remaining time")
  func progress() {
    let reading = SyncProgress(
      feed: "ibotta", bytes: 21_300_000, totalBytes: 42_600_000, records: 61_000, isWriting: false)
    #expect(
      ProgressBar.line(reading, seconds: 4)
        == "ibotta  [##########··········] 50 %  21 MB  61,000 read  4.00 s left")
    let unknown = SyncProgress(
      feed: "ibotta", bytes: 900, totalBytes: nil, records: 3, isWriting: false)
    #expect(ProgressBar.line(unknown, seconds: 1) == "ibotta  900 B  3 read")
    let writing = SyncProgress(
      feed: "ibotta", bytes: 900, totalBytes: 900, records: 3, isWriting: true)
    #expect(ProgressBar.line(writing, seconds: 1) == "ibotta  writing  900 B  3 read")
  }
}
