import Glibc
import Testing

@testable import OffersPlatform

@Suite("Lookups of addresses")
struct AddressLookupTests {
  @Test("a literal yields its address, and a name none without a lookup")
  func literals() throws {
    #expect(try AddressLookup.find("0x7f.1", isLiteral: true).map(\.text) == ["127.0.0.1"])
    #expect(try AddressLookup.find("[::1]").map(\.text) == ["::1"])
    let failure = #expect(throws: AddressLookup.Failure.self) {
      try AddressLookup.find("localhost", isLiteral: true)
    }
    #expect(failure?.status == EAI_NONAME)
  }

  @Test(
    "an empty name and one with a NUL are refused", arguments: ["", "[]", "127.0.0.1\0.example"])
  func refusals(host: String) {
    #expect(throws: AddressLookup.Failure(status: EAI_NONAME)) {
      try AddressLookup.find(host)
    }
  }

  @Test("addresses keep the resolver's order, without duplicates and other families")
  func listsAddresses() {
    func socketAddress(_ last: UInt32, family: Int32 = AF_INET) -> sockaddr {
      var result = sockaddr()
      result.sa_family = sa_family_t(family)
      // The address follows the family and the port.
      withUnsafeMutableBytes(of: &result) { bytes in
        bytes.storeBytes(of: (0x0A00_0000 + last).bigEndian, toByteOffset: 4, as: UInt32.self)
      }
      return result
    }
    var addresses = [
      socketAddress(2), socketAddress(1), socketAddress(9, family: AF_UNIX), socketAddress(2),
      socketAddress(3),
    ]
    // The last one has no address.
    var entries = [addrinfo](repeating: addrinfo(), count: addresses.count + 1)
    let found = addresses.withUnsafeMutableBufferPointer { addresses in
      entries.withUnsafeMutableBufferPointer { entries in
        for index in addresses.indices {
          entries[index].ai_addr = addresses.baseAddress.map { $0 + index }
          entries[index].ai_next = entries.baseAddress.map { $0 + index + 1 }
        }
        return AddressLookup.addresses(in: entries.baseAddress.map { UnsafePointer($0) })
      }
    }
    #expect(found.map(\.text) == ["10.0.0.2", "10.0.0.1", "10.0.0.3"])
    #expect(AddressLookup.addresses(in: nil).isEmpty)
  }

  @Test(
    "a failure of the resolver is distinguished from an unknown host",
    arguments: [
      (EAI_AGAIN, true), (EAI_MEMORY, true), (EAI_SYSTEM, true), (EAI_NONAME, false),
      (EAI_FAIL, false),
    ])
  func tellsFailuresApart(status: Int32, isOfResolver: Bool) {
    let failure = AddressLookup.Failure(status: status, systemError: ENETUNREACH)
    #expect(failure.isOfResolver == isOfResolver)
    #expect(failure.text.hasPrefix(String(cString: gai_strerror(status))))
    #expect(failure.text.contains("unreachable") == (status == EAI_SYSTEM))
  }
}
