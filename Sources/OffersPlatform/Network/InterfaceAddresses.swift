import Foundation

/// The addresses of this machine's network interfaces.
package enum InterfaceAddresses {
  /// Fetches the addresses by which other machines may reach this one: those of interfaces that are
  /// up, without loopback and link-local addresses.
  ///
  /// IPv4 addresses come first, and among them the one from which packets to the internet are sent.
  package static func fetch() throws(SystemError) -> [NetworkAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    if getifaddrs(&list) != 0 { throw .last("getifaddrs") }
    defer { freeifaddrs(list) }
    return ordered(addresses(in: list), usual: usualSource())
  }

  /// The addresses in a list of the system, in its order.
  static func addresses(in list: UnsafePointer<ifaddrs>?) -> [NetworkAddress] {
    let needed = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
    var result: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = UnsafePointer(entry.ifa_next)
      let flags = UInt32(entry.ifa_flags)
      guard flags & needed == needed, flags & UInt32(IFF_LOOPBACK) == 0,
        let address = entry.ifa_addr.flatMap({ NetworkAddress(UnsafePointer($0)) })
      else { continue }
      result.append(address)
    }
    return result
  }

  /// Addresses without duplicates and without those that other machines cannot use as they are: of
  /// loopback, and link-local ones (RFC 3927, RFC 4291), which need the name of an interface.
  ///
  /// - Parameters:
  ///   - addresses: the addresses of the interfaces.
  ///   - usual: the one that comes first.
  static func ordered(_ addresses: [NetworkAddress], usual: NetworkAddress?) -> [NetworkAddress] {
    var seen: Set<NetworkAddress> = []
    let usable = addresses.filter { address in
      !unusable.contains { $0.contains(address) } && seen.insert(address).inserted
    }
    let first = usable.filter { $0 == usual }
    let others = usable.filter { $0 != usual }
    return first.filter(\.isIPv4) + others.filter(\.isIPv4) + usable.filter { !$0.isIPv4 }
  }

  private static let unusable = [
    AddressRange(ipv4: 127, bits: 8), AddressRange(ipv4: 169, 254, bits: 16),
    AddressRange(ipv6: 0, bits: 127), AddressRange(ipv6: 0xFE80, bits: 10),
  ]

  /// The address from which packets to the internet are sent; nil without a route to it.
  ///
  /// Connecting a UDP socket looks up the route and sends nothing. The destination is an address of
  /// documentation (RFC 5737), which no network has.
  private static func usualSource() -> NetworkAddress? {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(9).bigEndian
    address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard connect(descriptor, pointer, length) == 0,
          getsockname(descriptor, pointer, &length) == 0
        else { return nil }
        return NetworkAddress(UnsafePointer(pointer))
      }
    }
  }
}
