import OffersPlatform

extension NetworkAddress {
  /// Whether the address is globally reachable.
  ///
  /// False for loopback, private networks, documentation, benchmarks and multicast, and for all
  /// other addresses that IANA's special-purpose address registries (RFC 6890) contain, but do not
  /// list as globally reachable. Of IPv6 only global unicast addresses (RFC 3587) can be reachable.
  /// An IPv6 address that embeds an IPv4 address (IPv4-mapped, NAT64, 6to4) counts as the latter.
  package var isPublic: Bool {
    if let inner = embeddedIPv4 { return inner.isPublic }
    if !isIPv4, !Self.globalUnicast.contains(self) { return false }
    let isSpecial = (isIPv4 ? Self.specialIPv4 : Self.specialIPv6).contains { $0.contains(self) }
    return !isSpecial || Self.reachable.contains { $0.contains(self) }
  }

  /// Whether the address is a loopback address, `127.0.0.0/8` or `::1`, also if it is IPv4-mapped.
  package var isLoopback: Bool {
    Self.loopback.contains { $0.contains(unmapped) }
  }

  /// The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`); otherwise the address
  /// itself.
  package var unmapped: NetworkAddress {
    Self.mapped.contains(self) ? NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value)) : self
  }

  /// The IPv4 address that this IPv6 address embeds (IPv4-mapped, NAT64, 6to4), to which packets
  /// may be delivered; nil if there is none.
  private var embeddedIPv4: NetworkAddress? {
    if Self.endingInIPv4.contains(where: { $0.contains(self) }) {
      return NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value))
    }
    return Self.sixToFour.contains(self)
      ? NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value >> 80)) : nil
  }

  private static let loopback = [
    AddressRange(ipv4: 127, bits: 8), AddressRange(ipv6: 0, 0, 0, 0, 0, 0, 0, 1, bits: 128),
  ]

  /// The IPv4-mapped addresses, `::ffff:0:0/96` (RFC 4291, section 2.5.5.2).
  private static let mapped = AddressRange(ipv6: 0, 0, 0, 0, 0, 0xffff, bits: 96)

  private static let endingInIPv4 = [
    mapped,
    // The well-known prefix of NAT64, `64:ff9b::/96` (RFC 6052).
    AddressRange(ipv6: 0x64, 0xff9b, bits: 96),
  ]

  /// The 6to4 addresses, `2002::/16` (RFC 3056), with the IPv4 address after these 16 bits.
  private static let sixToFour = AddressRange(ipv6: 0x2002, bits: 16)

  private static let specialIPv4 = [
    AddressRange(ipv4: 0, bits: 8),  // this network (RFC 791)
    AddressRange(ipv4: 10, bits: 8),  // private (RFC 1918)
    AddressRange(ipv4: 100, 64, bits: 10),  // carrier-grade NAT (RFC 6598)
    AddressRange(ipv4: 127, bits: 8),  // loopback (RFC 1122)
    AddressRange(ipv4: 169, 254, bits: 16),  // link-local (RFC 3927)
    AddressRange(ipv4: 172, 16, bits: 12),  // private (RFC 1918)
    AddressRange(ipv4: 192, 0, 0, bits: 24),  // protocol assignments (RFC 6890)
    AddressRange(ipv4: 192, 0, 2, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 192, 88, 99, bits: 24),  // 6to4 relays (RFC 7526)
    AddressRange(ipv4: 192, 168, bits: 16),  // private (RFC 1918)
    AddressRange(ipv4: 198, 18, bits: 15),  // benchmarks (RFC 2544)
    AddressRange(ipv4: 198, 51, 100, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 203, 0, 113, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 224, bits: 4),  // multicast (RFC 5771)
    AddressRange(ipv4: 240, bits: 4),  // reserved, broadcast (RFC 1112, RFC 919)
  ]

  /// The global unicast addresses of IPv6, `2000::/3` (RFC 3587).
  private static let globalUnicast = AddressRange(ipv6: 0x2000, bits: 3)

  private static let specialIPv6 = [
    AddressRange(ipv6: 0x2001, bits: 23),  // protocols, incl. Teredo (RFC 2928, RFC 4380)
    AddressRange(ipv6: 0x2001, 0xdb8, bits: 32),  // documentation (RFC 3849)
    AddressRange(ipv6: 0x3fff, bits: 20),  // documentation (RFC 9637)
  ]

  /// The ranges within `specialIPv4` and `specialIPv6` that are globally reachable.
  private static let reachable = [
    AddressRange(ipv4: 192, 0, 0, 9, bits: 32),  // port control anycast (RFC 7723)
    AddressRange(ipv4: 192, 0, 0, 10, bits: 32),  // TURN anycast (RFC 8155)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 1, bits: 128),  // port control (RFC 7723)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 2, bits: 128),  // TURN (RFC 8155)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 3, bits: 128),  // DNS-SD (RFC 9665)
    AddressRange(ipv6: 0x2001, 3, bits: 32),  // multicast tunnels (RFC 7450)
    AddressRange(ipv6: 0x2001, 4, 0x112, bits: 48),  // AS112 (RFC 7535)
    AddressRange(ipv6: 0x2001, 0x20, bits: 28),  // ORCHIDv2 (RFC 7343)
    AddressRange(ipv6: 0x2001, 0x30, bits: 28),  // drones (RFC 9374)
  ]
}
