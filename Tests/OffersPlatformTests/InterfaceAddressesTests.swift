import Glibc
import Testing

@testable import OffersPlatform

@Suite("Addresses of the network interfaces")
struct InterfaceAddressesTests {
  private static func addresses(_ texts: String...) throws -> [NetworkAddress] {
    try texts.map { try #require(NetworkAddress($0)) }
  }

  @Test("IPv4 comes first, with the usual address before the others, and nothing comes twice")
  func order() throws {
    let all = try Self.addresses(
      "2001:db8::5", "172.17.0.1", "192.168.1.5", "fd00::7", "192.168.1.5", "10.0.0.2")
    let expected = ["192.168.1.5", "172.17.0.1", "10.0.0.2", "2001:db8::5", "fd00::7"]
    let usual = NetworkAddress("192.168.1.5")
    #expect(InterfaceAddresses.ordered(all, usual: usual).map(\.text) == expected)
    #expect(
      InterfaceAddresses.ordered(all, usual: nil).map(\.text)
        == ["172.17.0.1", "192.168.1.5", "10.0.0.2", "2001:db8::5", "fd00::7"])
  }

  @Test("loopback and link-local addresses are left out")
  func leavesOut() throws {
    let all = try Self.addresses("127.0.0.1", "169.254.3.4", "::1", "::", "fe80::1", "192.0.2.1")
    #expect(InterfaceAddresses.ordered(all, usual: all[0]).map(\.text) == ["192.0.2.1"])
  }

  @Test("interfaces that are down or loopback are left out of the system's list")
  func filtersInterfaces() {
    func entry(_ flags: Int, _ address: UnsafeMutablePointer<sockaddr>?) -> ifaddrs {
      var entry = ifaddrs()
      entry.ifa_flags = UInt32(flags)
      entry.ifa_addr = address
      return entry
    }
    func socketAddress(_ last: UInt32) -> sockaddr {
      var result = sockaddr()
      result.sa_family = sa_family_t(AF_INET)
      // The address follows the family and the port.
      withUnsafeMutableBytes(of: &result) { bytes in
        bytes.storeBytes(of: (0x0A00_0000 + last).bigEndian, toByteOffset: 4, as: UInt32.self)
      }
      return result
    }
    let up = Int(IFF_UP) | Int(IFF_RUNNING)
    var sockets = [socketAddress(1), socketAddress(2), socketAddress(3), socketAddress(4)]
    sockets.withUnsafeMutableBufferPointer { buffer in
      let first = buffer.baseAddress
      var list = [
        entry(up, first), entry(Int(IFF_UP), first?.advanced(by: 1)), entry(up, nil),
        entry(up | Int(IFF_LOOPBACK), first?.advanced(by: 2)),
        entry(up, first?.advanced(by: 3)),
      ]
      list.withUnsafeMutableBufferPointer { entries in
        for index in entries.indices.dropLast() {
          entries[index].ifa_next = entries.baseAddress?.advanced(by: index + 1)
        }
        let found = InterfaceAddresses.addresses(in: UnsafePointer(entries.baseAddress))
        #expect(found.map(\.text) == ["10.0.0.1", "10.0.0.4"])
      }
    }
  }

  @Test("the addresses of this machine have no loopback among them")
  func ofThisMachine() throws {
    let found = try InterfaceAddresses.fetch()
    #expect(!found.contains { ["127.0.0.1", "::1"].contains($0.text) })
    #expect(Set(found).count == found.count)
  }
}
