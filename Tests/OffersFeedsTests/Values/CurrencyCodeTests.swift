import OffersFeeds
import Testing

@Suite("The currencies of ISO 4217")
struct CurrencyCodeTests {
  static let digits: [(code: String, digits: Int)] = [
    ("AED", 2), ("USD", 2), ("EUR", 2), ("ZWG", 2), ("JPY", 0), ("KRW", 0), ("CLP", 0), ("XPF", 0),
    ("BHD", 3), ("KWD", 3), ("TND", 3), ("CLF", 4), ("UYW", 4), ("MGA", 2), ("BGN", 2),
  ]

  @Test("each currency has its minor unit", arguments: digits)
  func knowsUnits(code: String, digits: Int) {
    #expect(CurrencyCode(code)?.unitDigits == digits)
  }

  @Test(
    "a historical or unknown currency is not found",
    arguments: ["", "US", "USDX", "usd", "XXX", "XAU", "DEM", "ZZZ", "   ", "U D", "€", "AE\u{0}"])
  func refusesOthers(code: String) {
    #expect(CurrencyCode(code) == nil)
  }

  @Test("each code finds its own currency")
  func findsEachOnce() {
    let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { $0 }
    var count = 0
    for a in letters {
      for b in letters {
        for c in letters {
          guard let found = CurrencyCode(String(decoding: [a, b, c], as: UTF8.self)) else {
            continue
          }
          #expect(found.letters == (a, b, c))
          count += 1
        }
      }
    }
    #expect(count == 166)
  }
}
