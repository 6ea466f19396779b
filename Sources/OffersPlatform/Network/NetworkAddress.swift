import Foundation

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
  /// Whether the address is an IPv4 one of 32 bits, and not an IPv6 one of 128.
  package let isIPv4: Bool
  /// The address as a number; its first byte is the most significant one.
  package let value: UInt128

  package init(ipv4 value: UInt32) {
    isIPv4 = true
    self.value = UInt128(value)
  }

  package init(ipv6 value: UInt128) {
    isIPv4 = false
    self.value = value
  }

  /// Parses an address in its standard form, such as `192.0.2.1` or `2001:db8::1`.
  ///
  /// - Returns: nil for anything else, such as brackets, a zone, or an IPv4 address in hexadecimal
  ///   or with fewer than four numbers.
  package init?(_ text: String) {
    // C ends the text at a NUL byte and would accept the part before it.
    if text.utf8.contains(0) { return nil }
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(four)
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      self.init(sixteen)
    } else {
      return nil
    }
  }

  /// The address in a socket address, which must have the length of its family; nil for families
  /// other than IPv4 and IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    let bytes = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self.init(bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  private init(_ address: in_addr) {
    self.init(ipv4: UInt32(bigEndian: address.s_addr))
  }

  private init(_ address: in6_addr) {
    self.init(
      ipv6: withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
  }

  /// The address in its canonical form (for IPv6, RFC 5952).
  package var text: String {
    let family = isIPv4 ? AF_INET : AF_INET6
    let limit = Int(INET6_ADDRSTRLEN)
    return withUnsafeBytes(of: isIPv4 ? (value << 96).bigEndian : value.bigEndian) { bytes in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer in
        guard let base = buffer.baseAddress,
          let text = inet_ntop(family, bytes.baseAddress, base, socklen_t(limit))
        else { return "" }
        return String(cString: text)
      }
    }
  }
}
