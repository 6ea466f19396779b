import OffersPlatform
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Hosts without a proxy")
struct ProxyExceptionsTests {
  private static func contains(_ list: String, _ host: String, port: Int = 443) -> Bool {
    ProxyExceptions(list).contains(host: host, address: NetworkAddress(host), port: port)
  }

  @Test(
    "a name matches a host and its subdomains",
    arguments: [
      ("example.com", "example.com", true), ("example.com", "www.example.com", true),
      ("example.com", "a.b.example.com", true), (".example.com", "example.com", true),
      (".example.com", "www.example.com", true), ("*.example.com", "www.example.com", true),
      ("EXAMPLE.com.", "example.com", true), ("example.com", "badexample.com", false),
      (".example.com", "badexample.com", false), ("example.com", "example.com.bad", false),
      ("example.com", "com", false), ("com", "example.com", true),
      ("www.example.com", "example.com", false), ("0.0.1", "10.0.0.1", false),
    ])
  func matchesNames(list: String, host: String, expected: Bool) {
    #expect(Self.contains(list, host) == expected)
  }

  @Test(
    "entries are separated by commas or white space",
    arguments: [
      "a.example,example.com", " a.example , example.com ", "a.example example.com",
      ",,example.com,", "a.example\texample.com\n", "10.0.0.0/8,example.com:443",
    ])
  func separatesEntries(list: String) {
    #expect(Self.contains(list, "example.com"))
    #expect(!Self.contains(list, "example.org"))
  }

  @Test(
    "a port restricts an entry",
    arguments: [
      ("example.com:8080", "example.com", 8080, true),
      ("example.com:8080", "a.example.com", 8080, true),
      ("example.com:8080", "example.com", 443, false),
      (".example.com:443", "a.example.com", 443, true),
      ("10.0.0.1:8080", "10.0.0.1", 8080, true), ("10.0.0.1:8080", "10.0.0.1", 80, false),
      ("[2001:db8::1]:8080", "2001:db8::1", 8080, true),
      ("[2001:db8::1]:8080", "2001:db8::1", 80, false),
      ("example.com", "example.com", 8080, true),
    ])
  func matchesPorts(list: String, host: String, port: Int, expected: Bool) {
    #expect(Self.contains(list, host, port: port) == expected)
  }

  @Test(
    "addresses and ranges match addresses",
    arguments: [
      ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.10", false),
      ("10.0.0.0/8", "10.200.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
      ("10.0.0.0/8", "10.example.com", false), ("2001:db8::/32", "2001:db8::5", true),
      ("2001:db8::1", "2001:db8::1", true), ("[2001:DB8::1]", "2001:db8::1", true),
      ("2001:db8::/32", "2001:db9::", false), ("0.0.0.0/0", "2001:db8::1", false),
      ("10.0.0.0/33", "10.0.0.0", false), ("10.0.0.0/x", "10.0.0.0", false),
    ])
  func matchesAddresses(list: String, host: String, expected: Bool) {
    #expect(Self.contains(list, host) == expected)
  }

  @Test("an asterisk matches every host", arguments: ["*", " * ", "a.example,*", "*,a.example"])
  func matchesAll(list: String) {
    #expect(ProxyExceptions(list).isEverything)
    #expect(Self.contains(list, "example.com"))
    #expect(Self.contains(list, "10.0.0.1"))
  }

  @Test(
    "an invalid entry matches nothing",
    arguments: [
      "", " ", ",", ".", "*.", "**", "a:b", "example.com:0", "example.com:x", "[",
      "http://example.com",
    ])
  func ignoresOthers(list: String) {
    #expect(!ProxyExceptions(list).isEverything)
    #expect(!Self.contains(list, "example.com"))
    #expect(!Self.contains(list, "10.0.0.1"))
  }
}
