import OffersPlatform
import Testing

@testable import OffersSync

@Suite("Which addresses the internet can reach")
struct NetworkAddressReachTests {
  /// A range that is not public, and the addresses before and behind it that are.
  struct Border: Sendable, CustomTestStringConvertible {
    let before: String?
    let first: String
    let last: String
    let after: String?

    init(_ before: String?, _ first: String, _ last: String, _ after: String?) {
      self.before = before
      self.first = first
      self.last = last
      self.after = after
    }

    var testDescription: String { "\(first)-\(last)" }
  }

  private static func isPublic(_ text: String) throws -> Bool {
    try #require(NetworkAddress(text), "\(text) is no address").isPublic
  }

  private static let borders = [
    Border(nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
    Border("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
    Border("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
    Border("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
    Border("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
    Border("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
    Border("191.255.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.9"),
    Border("192.0.0.10", "192.0.0.11", "192.0.0.255", "192.0.1.0"),
    Border("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
    Border("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
    Border("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
    Border("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
    Border("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
    Border("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
    Border("223.255.255.255", "224.0.0.0", "239.255.255.255", nil),
    Border(nil, "240.0.0.0", "255.255.255.255", nil),
  ]

  private static let longBorders = [
    // Before and behind all that is given out.
    Border(nil, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
    Border(
      "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::",
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
    // Teredo, whatever stands in it.
    Border(
      "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
      nil),
    Border(nil, "2001:1::", "2001:1::", "2001:1::1"),
    Border("2001:1::3", "2001:1::4", "2001:2:ffff:ffff:ffff:ffff:ffff:ffff", "2001:3::"),
    Border(
      "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", "2001:4::", "2001:4:111:ffff:ffff:ffff:ffff:ffff",
      "2001:4:112::"),
    Border(
      "2001:4:112:ffff:ffff:ffff:ffff:ffff", "2001:4:113::",
      "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:20::"),
    Border(
      "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:40::",
      "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
    Border(
      "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
      "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
    Border(
      "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
      "3fff:1000::"),
  ]

  @Test("special ranges begin and end where the registries say", arguments: borders + longBorders)
  func keepsBorders(border: Border) throws {
    #expect(try !Self.isPublic(border.first))
    #expect(try !Self.isPublic(border.last))
    if let before = border.before { #expect(try Self.isPublic(before)) }
    if let after = border.after { #expect(try Self.isPublic(after)) }
  }

  @Test("an address that stands for an IPv4 address is judged by that one", arguments: borders)
  func judgesInnerAddresses(border: Border) throws {
    for text in [border.before, border.first, border.last, border.after].compactMap({ $0 }) {
      let inner = try #require(NetworkAddress(text))
      let bytes = UInt32(truncatingIfNeeded: inner.value)
      let groups = "\(String(bytes >> 16, radix: 16)):\(String(bytes & 0xffff, radix: 16))"
      for outer in [
        "::ffff:\(text)", "64:ff9b::\(text)", "2002:\(groups)::", "2002:\(groups)::1:2",
      ] {
        #expect(try Self.isPublic(outer) == inner.isPublic, "\(outer)")
      }
      #expect(try !Self.isPublic("0:0:0:0:0:0:\(groups)"))
      #expect(try !Self.isPublic("2001:0:\(groups)::"))
    }
  }

  @Test(
    "the borders of ranges with IPv4 addresses in them are their own",
    arguments: [
      // Before and behind the mapped ones.
      ("::fffe:808:808", false), ("::1:0:808:808", false), ("::ffff:808:808", true),
      // Before and behind the translated ones.
      ("64:ff9a:ffff:ffff:ffff:ffff:808:808", false), ("64:ff9b::1:808:808", false),
      ("64:ff9b::808:808", true),
      // Before and behind 6to4.
      ("2001:ffff:7f00:1::", true), ("2003:7f00:1::", true),
      ("2002:7f00:1:ffff:ffff:ffff:ffff:ffff", false), ("2002:808:808::", true),
    ])
  func keepsInnerBorders(text: String, expected: Bool) throws {
    #expect(try Self.isPublic(text) == expected)
  }

  @Test(
    "well-known servers are public, and well-known traps are not",
    arguments: [
      ("8.8.8.8", true), ("1.1.1.1", true), ("93.184.216.34", true), ("192.31.196.1", true),
      ("192.52.193.1", true), ("192.175.48.1", true), ("2001:4860:4860::8888", true),
      ("2606:4700:4700::1111", true), ("2620:4f:8000::1", true), ("2a00:1450::1", true),
      ("2001:1::1", true), ("2001:1::2", true), ("2001:1::3", true), ("2001:20::", true),
      ("2001:30::", true),
    ]
      + [
        "127.0.0.1", "169.254.169.254", "::1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1", "::a9fe:a9fe", "fd00:ec2::254", "fe80::1", "255.255.255.255",
        "0.0.0.0",
        "192.0.0.170", "192.0.0.171", "ff02::1", "64:ff9b:1::808:808", "100::1", "5f00::1",
        "fec0::1", "ff0e::1", "::808:808", "4000::1", "abcd::1", "fe00::1",
      ].map { ($0, false) })
  func knowsServersAndTraps(text: String, expected: Bool) throws {
    #expect(try Self.isPublic(text) == expected)
  }

  @Test(
    "loopback addresses are recognized",
    arguments: [
      ("127.0.0.0", true), ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true),
      ("::ffff:127.0.0.1", true), ("126.255.255.255", false), ("128.0.0.0", false), ("::", false),
      ("::2", false), ("::ffff:128.0.0.1", false), ("::7f00:1", false), ("10.0.0.1", false),
    ])
  func tellsLoopback(text: String, expected: Bool) throws {
    #expect(try #require(NetworkAddress(text)).isLoopback == expected)
  }

  @Test(
    "an IPv4-mapped address yields the IPv4 address",
    arguments: [
      ("::ffff:1.2.3.4", "1.2.3.4"), ("1.2.3.4", "1.2.3.4"), ("::1", "::1"),
      ("::1.2.3.4", "::1.2.3.4"), ("2001:db8::1", "2001:db8::1"),
    ])
  func unmaps(text: String, expected: String) throws {
    #expect(try #require(NetworkAddress(text)).unmapped.text == expected)
  }
}
