import Foundation
import Testing

@testable import OffersCore

@Suite("Stored numbers")
struct StoredTimeTests {
  @Test(
    "any time has a stored number, and any stored number a time",
    arguments: [
      0, -0.5, 1.9, 1e300, -1e300, .infinity, -.infinity, .nan,
      Double(Int64.max), Double(Int64.min),
    ])
  func anyTime(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    let stored = date.storedSeconds
    #expect(stored <= date.nextSeconds && date.nextSeconds <= stored + 1)
    #expect(abs(date.storedMilliseconds) <= 1 << 53)
    #expect(abs(stored) <= 1 << 53)
    if abs(seconds) < 10 { #expect(Double(stored) == seconds.rounded(.down)) }
  }

  @Test("a stored number outside of the years 1 to 9999 becomes the nearest time in them")
  func bounds() {
    #expect(ISOTime.text(Date(storedSeconds: .min).storedSeconds) == "0001-01-01T00:00:00Z")
    #expect(ISOTime.text(Date(storedSeconds: .max).storedSeconds) == "9999-12-31T23:59:59Z")
    #expect(Date(storedSeconds: 1_790_000_000).storedSeconds == 1_790_000_000)
    for number in [Int64.min, .max, 0] {
      #expect(Units.time(Date(storedSeconds: number)) != "")
    }
    #expect(Units.time(Date(timeIntervalSince1970: .infinity)) != "")
  }

  @Test("arithmetic ends at the bounds of the type")
  func arithmetic() {
    #expect(Int.max.adding(clamped: 1) == .max && Int.min.adding(clamped: -1) == .min)
    #expect(Int.min.subtracting(clamped: 1) == .min && 0.subtracting(clamped: Int.min) == .max)
    #expect(Int.min.multiplied(clamped: -1) == .max && Int.max.multiplied(clamped: -2) == .min)
    #expect(2.adding(clamped: 3) == 5 && 2.subtracting(clamped: 3) == -1)
    #expect(2.multiplied(clamped: -3) == -6)
    #expect(Int(clamped: .infinity) == .max && Int(clamped: -.infinity) == .min)
    #expect(Int(clamped: .nan) == 0 && Int(clamped: -1.5) == -2 && Int(clamped: 1e19) == .max)
  }

  @Test("numbers, sizes and durations of any size have a text")
  func texts() {
    #expect(Units.count(Int.min) == "-9,223,372,036,854,775,808")
    for number in [Int.min, -1, 0, .max] { #expect(Units.size(number) != "") }
    for seconds in [-1e300, -1, .nan, .infinity, 1e300] {
      #expect(Units.duration(seconds) != "" && Units.wait(seconds) != "")
      let dates = (Date(timeIntervalSince1970: seconds), Date(timeIntervalSince1970: 0))
      #expect(Units.age(of: dates.0, at: dates.1) != "")
    }
  }
}
