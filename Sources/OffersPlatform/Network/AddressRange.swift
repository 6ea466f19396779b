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
