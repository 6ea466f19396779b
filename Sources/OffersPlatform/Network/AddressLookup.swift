import Foundation

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
