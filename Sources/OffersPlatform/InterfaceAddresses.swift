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
  /// - Parameter usual: the one that comes first.
  static func ordered(_ addresses: [NetworkAddress], usual: NetworkAddress?) -> [NetworkAddress] {
    var seen: Set<NetworkAddress> = []
    let usable = addresses.filter { address in
      !unusable.contains { $0.contains(address) } && seen.insert(address).inserted
    }
    let first = usable.filter { $0 == usual }
    let others = usable.filter { $0 != usual }
    return first.filter(\.isIPv4) + others.filter(\.isIPv4) + usable.filter { !$0.isIPv4 }
  }

  /// Whether packets to the internet have a way out of this machine, by IPv4 or IPv6.
  package static var haveWayOut: Bool {
    if usualSource() != nil { return true }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = in_port_t(9).bigEndian
    // 2001:db8::1, of documentation (RFC 3849).
    withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
      bytes.copyBytes(from: [0x20, 0x01, 0x0D, 0xB8])
      bytes[15] = 1
    }
    return withSocket(connectedTo: &address, AF_INET6) { _ in true } ?? false
  }

  private static let unusable = [
    AddressRange(ipv4: 127, bits: 8), AddressRange(ipv4: 169, 254, bits: 16),
    AddressRange(ipv6: 0, bits: 127), AddressRange(ipv6: 0xFE80, bits: 10),
  ]

  /// The address from which packets to the internet are sent; nil without a route to it.
  private static func usualSource() -> NetworkAddress? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(9).bigEndian
    // 192.0.2.1, of documentation (RFC 5737).
    address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    return withSocket(connectedTo: &address, AF_INET) { descriptor in
      var source = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      return withUnsafeMutablePointer(to: &source) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          guard getsockname(descriptor, pointer, &length) == 0 else { return nil }
          return NetworkAddress(UnsafePointer(pointer))
        }
      }
    }
  }

  /// Runs a closure with a UDP socket that is connected to an address; nil without a route to it.
  /// Connecting looks up the route and sends nothing.
  private static func withSocket<Address, Result>(
    connectedTo address: inout Address, _ family: Int32, _ body: (Int32) -> Result?
  ) -> Result? {
    #if canImport(Glibc)
      let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(family, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let length = socklen_t(MemoryLayout<Address>.size)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
    }
    return isConnected ? body(descriptor) : nil
  }
}

/// The name by which other machines of the local network find this one by multicast DNS (RFC 6762).
package enum MulticastName {
  /// Finds the name, such as `kitchen.local`.
  ///
  /// - Parameter responder: the socket of Avahi, the program that answers for the name.
  /// - Returns: nil if no such program runs, or the machine has no name.
  package static func find(responder: String = "/run/avahi-daemon/socket") -> String? {
    guard access(responder, F_OK) == 0 else { return nil }
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    return name(of: String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
  }

  /// The name for a host name, which may have a domain; nil for one that is no label of letters,
  /// digits and hyphens, and for that of every machine, `localhost`.
  static func name(of host: String) -> String? {
    let label = host.utf8.prefix { $0 != UInt8(ascii: ".") }
    let isLabel = label.allSatisfy { byte in
      0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 || byte == UInt8(ascii: "-")
    }
    guard isLabel, !label.isEmpty else { return nil }
    let text = String(Substring(label)).lowercased()
    return text == "localhost" ? nil : "\(text).local"
  }
}
