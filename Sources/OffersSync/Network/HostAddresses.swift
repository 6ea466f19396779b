import Dispatch
import Glibc
import OffersCore

/// Resolves host names with the system's resolver.
enum HostAddresses {
  /// Resolves a host.
  ///
  /// An address literal yields its address, including decimal, octal and hexadecimal forms
  /// (`2852039166`, `0x7f.1`) and one in brackets. The resolver blocks a Dispatch thread, not one
  /// of the concurrency pool; a cancelled task does not wait for it.
  ///
  /// - Parameter port: the port to connect to, 0 to 65535.
  /// - Returns: at least one address, without duplicates, in the order of preference (RFC 6724).
  /// - Throws: `OffersError` with `sourceFailed` when no address is found, `invalidRequest` for a
  ///   port out of range; `CancellationError`.
  static func resolve(_ host: String, port: Int) async throws -> [NetworkAddress] {
    guard let port = UInt16(exactly: port) else {
      throw OffersError(
        .invalidRequest, "The port \(port) of \(host) is not between 0 and 65535.",
        hint: "Check the address.")
    }
    let (results, sender) = AsyncStream.makeStream(of: Result<[NetworkAddress], OffersError>.self)
    DispatchQueue.global().async {
      sender.yield(lookUp(host, port: port))
      sender.finish()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// The address of a literal of any kind, with or without a final dot; nil for a name. Sends no
  /// query.
  static func literal(_ host: String) -> NetworkAddress? {
    // With a final dot `getaddrinfo` takes the text for a name, but a proxy may take it for an
    // address.
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    // The error of a text that is no literal is not needed.
    return try? lookUp(bare, port: 0, flags: AI_NUMERICHOST).get().first
  }

  /// The error of a failed lookup.
  ///
  /// - Parameters:
  ///   - status: the result of `getaddrinfo`.
  ///   - systemError: `errno` after the call.
  static func failure(_ host: String, status: Int32, systemError: Int32) -> OffersError {
    var cause = String(cString: gai_strerror(status))
    if status == EAI_SYSTEM { cause += ": " + String(cString: strerror(systemError)) }
    switch status {
    // These are failures of the resolver, not facts about the host.
    case EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM:
      return OffersError(
        .sourceFailed, "The host \(host) could not be looked up.",
        hint: "Nothing was changed. Check the network, then sync again.", cause: cause)
    default:
      return OffersError(
        .sourceFailed, "The host \(host) could not be found.",
        hint: "Nothing was changed. Check the address and the network.", cause: cause)
    }
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

  private static func lookUp(
    _ host: String, port: UInt16, flags: Int32 = 0
  ) -> Result<[NetworkAddress], OffersError> {
    var name = host
    var hints = addrinfo()
    // No AI_ADDRCONFIG: a literal must yield the same address on every machine.
    hints.ai_flags = flags | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    if host.hasPrefix("["), host.hasSuffix("]") {
      name = String(host.dropFirst().dropLast())
      hints.ai_family = AF_INET6
      hints.ai_flags |= AI_NUMERICHOST
    }
    // An empty name cannot be looked up, and C would end a name at its first NUL byte.
    if name.isEmpty || name.utf8.contains(0) {
      return .failure(failure(host, status: EAI_NONAME, systemError: 0))
    }
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, String(port), &hints, &list)
    if status != 0 { return .failure(failure(host, status: status, systemError: errno)) }
    defer { freeaddrinfo(list) }
    let result = addresses(in: list)
    if result.isEmpty { return .failure(failure(host, status: EAI_NONAME, systemError: 0)) }
    return .success(result)
  }
}
