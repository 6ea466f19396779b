import Glibc
import Testing

@testable import OffersPlatform

@Suite("Network addresses")
struct NetworkAddressTests {
  @Test(
    "an address is parsed and written in its canonical form",
    arguments: [
      ("0.0.0.0", "0.0.0.0"), ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"),
      ("1.2.3.4", "1.2.3.4"), ("::", "::"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
      ("2001:db8::1", "2001:db8::1"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
      ("::ffff:102:304", "::ffff:1.2.3.4"),
      ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
    ])
  func readsAddresses(text: String, expected: String) throws {
    let address = try #require(NetworkAddress(text))
    #expect(address.text == expected)
    #expect(NetworkAddress(address.text) == address)
  }

  @Test("the first byte is the most significant one")
  func ordersBytes() {
    #expect(NetworkAddress("1.2.3.4") == NetworkAddress(ipv4: 0x0102_0304))
    #expect(NetworkAddress("1::2") == NetworkAddress(ipv6: 1 << 112 | 2))
    #expect(NetworkAddress("0.0.0.1") != NetworkAddress("::1"))
  }

  @Test(
    "any other form of an address is refused",
    arguments: [
      "", " ", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1",
      "2130706433",
      "1.2.3.4 ", " 1.2.3.4", "1.2.3.4/8", "1.2.3.4:80", "[::1]", "fe80::1%lo", ":::", "1::2::3",
      "12345::", "::1\0", "127.0.0.1\0.example.com", "127.0.0.1\n", "-1.2.3.4", "١.2.3.4",
    ])
  func refusesOthers(text: String) {
    #expect(NetworkAddress(text) == nil)
  }

  @Test("an address is read from a socket address")
  func readsSocketAddresses() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = in_port_t(80).bigEndian
    four.sin_addr.s_addr = UInt32(0x0102_0304).bigEndian
    #expect(Self.address(of: &four) == NetworkAddress("1.2.3.4"))

    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = in_port_t(80).bigEndian
    six.sin6_scope_id = 3
    #expect(inet_pton(AF_INET6, "fe80::1:2", &six.sin6_addr) == 1)
    #expect(Self.address(of: &six) == NetworkAddress("fe80::1:2"))
  }

  @Test("a socket address of another family is refused")
  func refusesOtherFamilies() {
    var local = sockaddr_un()
    local.sun_family = sa_family_t(AF_UNIX)
    #expect(Self.address(of: &local) == nil)
    var nothing = sockaddr()
    #expect(NetworkAddress(&nothing) == nil)
  }

  private static func address<Value>(of value: inout Value) -> NetworkAddress? {
    withUnsafePointer(to: &value) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { NetworkAddress($0) }
    }
  }
}
