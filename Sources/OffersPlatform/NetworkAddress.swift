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

/// A range of IP addresses with a common prefix, such as `10.0.0.0/8` (RFC 4632, RFC 4291).
package struct AddressRange: Hashable, Sendable {
  package let first: NetworkAddress
  /// The length of the prefix in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
  package let bitCount: Int

  /// The IPv4 range of an address of these four bytes, with a prefix of `bits` bits.
  package init(ipv4 a: UInt8, _ b: UInt8 = 0, _ c: UInt8 = 0, _ d: UInt8 = 0, bits: Int) {
    let value = [a, b, c, d].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(NetworkAddress(ipv4: value), bits: bits)
  }

  /// The IPv6 range of an address of these eight groups of 16 bits, with a prefix of `bits` bits.
  package init(
    ipv6 a: UInt16, _ b: UInt16 = 0, _ c: UInt16 = 0, _ d: UInt16 = 0, _ e: UInt16 = 0,
    _ f: UInt16 = 0, _ g: UInt16 = 0, _ h: UInt16 = 0, bits: Int
  ) {
    let value = [a, b, c, d, e, f, g, h].reduce(UInt128(0)) { $0 << 16 | UInt128($1) }
    self.init(NetworkAddress(ipv6: value), bits: bits)
  }

  /// Parses CIDR notation such as `10.0.0.0/8` or `fd00::/8`; a single address is a range of one.
  ///
  /// - Returns: nil for anything else, and for a prefix of more than 32 bits (IPv4) or 128 bits
  ///   (IPv6). Bits of the address after the prefix are ignored.
  package init?(_ text: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ NetworkAddress(String(Substring($0))) }) else {
      return nil
    }
    let width = address.isIPv4 ? 32 : 128
    guard parts.count == 2 else {
      self.init(address, bits: width)
      return
    }
    guard (1...3).contains(parts[1].count), parts[1].allSatisfy({ 0x30...0x39 ~= $0 }),
      let bits = Int(Substring(parts[1])), bits <= width
    else { return nil }
    self.init(address, bits: bits)
  }

  private init(_ first: NetworkAddress, bits: Int) {
    self.first = first
    bitCount = bits
  }

  package func contains(_ address: NetworkAddress) -> Bool {
    let width = address.isIPv4 ? 32 : 128
    return address.isIPv4 == first.isIPv4
      && (address.value ^ first.value) >> (width - bitCount) == 0
  }
}

/// Lookups by the system's resolver. They block the calling thread.
package enum AddressLookup {
  /// A failed lookup.
  package struct Failure: Error, Hashable, Sendable {
    /// The result of `getaddrinfo`, such as `EAI_NONAME`.
    package let status: Int32
    /// The value of `errno` if the status is `EAI_SYSTEM`.
    package let systemError: Int32

    package init(status: Int32, systemError: Int32 = 0) {
      self.status = status
      self.systemError = systemError
    }

    /// Whether the resolver failed, which says nothing about the host.
    package var isOfResolver: Bool { [EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM].contains(status) }

    /// The system's text for the status.
    package var text: String {
      let text = String(cString: gai_strerror(status))
      return status == EAI_SYSTEM ? "\(text): \(String(cString: strerror(systemError)))" : text
    }
  }

  /// Finds the addresses of a host.
  ///
  /// - Parameters:
  ///   - host: a name, or an address literal, including decimal, octal and hexadecimal forms
  ///     (`2852039166`, `0x7f.1`) and one in brackets.
  ///   - isLiteral: whether only literals are resolved, without a lookup.
  /// - Returns: at least one address, without duplicates, in the order of preference (RFC 6724).
  package static func find(
    _ host: String, isLiteral: Bool = false
  ) throws(Failure) -> [NetworkAddress] {
    var name = host
    var hints = addrinfo()
    // No AI_ADDRCONFIG: a literal must yield the same address on every machine.
    if isLiteral { hints.ai_flags = AI_NUMERICHOST }
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    if host.hasPrefix("["), host.hasSuffix("]") {
      name = String(host.dropFirst().dropLast())
      hints.ai_family = AF_INET6
      hints.ai_flags |= AI_NUMERICHOST
    }
    // An empty name cannot be looked up, and C would end a name at its first NUL byte.
    if name.isEmpty || name.utf8.contains(0) { throw Failure(status: EAI_NONAME) }
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &hints, &list)
    if status != 0 { throw Failure(status: status, systemError: errno) }
    defer { freeaddrinfo(list) }
    let result = addresses(in: list)
    if result.isEmpty { throw Failure(status: EAI_NONAME) }
    return result
  }

  /// The addresses in a list of the resolver, in its order, without duplicates.
  static func addresses(in list: UnsafePointer<addrinfo>?) -> [NetworkAddress] {
    var result: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = UnsafePointer(entry.ai_next)
      guard let address = entry.ai_addr.flatMap({ NetworkAddress(UnsafePointer($0)) }),
        !result.contains(address)
      else { continue }
      result.append(address)
    }
    return result
  }
}
