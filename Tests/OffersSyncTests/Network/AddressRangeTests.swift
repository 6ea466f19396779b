import OffersPlatform
import Testing

@testable import OffersSync

@Suite("Ranges of addresses")
struct AddressRangeTests {
  @Test(
    "a range contains the addresses with its prefix",
    arguments: [
      ("10.0.0.0/8", "10.0.0.0", true), ("10.0.0.0/8", "10.255.255.255", true),
      ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "9.255.255.255", false),
      ("10.1.2.3/8", "10.9.9.9", true), ("0.0.0.0/0", "255.255.255.255", true),
      ("0.0.0.0/0", "::1", false), ("192.0.2.1/32", "192.0.2.1", true),
      ("192.0.2.1/32", "192.0.2.0", false), ("192.0.2.1", "192.0.2.1", true),
      ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true),
      ("192.0.2.0/31", "192.0.2.2", false), ("fd00::/8", "fdff::1", true),
      ("fd00::/8", "fc00::1", false), ("fd00::/8", "253.0.0.0", false), ("::/0", "ffff::", true),
      ("::/0", "1.2.3.4", false), ("::1/128", "::1", true), ("::1/128", "::2", false),
      ("::1", "::1", true), ("2001:db8::/127", "2001:db8::1", true),
      ("2001:db8::/127", "2001:db8::2", false),
    ])
  func containsItsOwn(range: String, address: String, expected: Bool) throws {
    let address = try #require(NetworkAddress(address))
    #expect(try #require(AddressRange(range)).contains(address) == expected)
  }

  @Test(
    "an invalid range is refused",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
      "10.0.0.0/x", "10/8", "::/129", "::/99999999999999999999", "example.com/8", "[::1]/128",
      "10.0.0.0/255.0.0.0",
    ])
  func refusesOthers(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("ranges from numbers and from text are equal")
  func agrees() {
    #expect(AddressRange(ipv4: 192, 0, 2, 1, bits: 24) == AddressRange("192.0.2.1/24"))
    #expect(
      AddressRange(ipv6: 1, 2, 3, 4, 5, 6, 7, 8, bits: 100) == AddressRange("1:2:3:4:5:6:7:8/100"))
  }
}
