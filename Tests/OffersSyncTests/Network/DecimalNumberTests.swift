import Testing

@testable import OffersSync

@Suite("Decimal numbers")
struct DecimalNumberTests {
  @Test(
    "digits are parsed and clamped to the limit",
    arguments: [
      ("0", 0), ("7", 7), ("0010", 10), ("2147483646", 2_147_483_646),
      ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_647),
      ("99999999999999999999999999999999999999999", 2_147_483_647),
      ("00000000000000000000000000000000000000005", 5),
    ])
  func readsDigits(text: String, expected: Int) {
    #expect(DecimalNumber.parse(text) == expected)
  }

  @Test(
    "anything but digits is refused",
    arguments: [
      "", " ", " 60", "60\t", "-1", "+1", "1.5", "1e3", "0x10", "1 0", "1,0", "abc", "12s", "٣",
      "1\u{301}", "1\n",
      "99999999999999999999999999x", "\"60\"",
    ])
  func refusesOthers(text: String) {
    #expect(DecimalNumber.parse(text) == nil)
  }
}
