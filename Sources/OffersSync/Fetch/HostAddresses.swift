import Dispatch
import Glibc
import OffersCore

/// The addresses of a host, as the system's resolver finds them.
enum HostAddresses {
  /// Looks a host up.
  ///
  /// A literal comes out as the address it means, also a decimal, octal or hexadecimal one
  /// (`2852039166`, `0x7f.1`) and one in brackets. The resolver blocks a thread of its own, not one
  /// that tasks run on; a cancelled task does not wait for it.
  ///
  /// - Parameter port: where the host is going to be asked: 0 to 65535.
  /// - Returns: at least one address, each once, in the order of preference (RFC 6724).
  /// - Throws: `OffersError` with `sourceFailed` when there is none, `invalidRequest` for an
  ///   impossible port; `CancellationError`.
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

  /// The address that a literal of any kind means, with or without a last dot; nil for a name. Asks
  /// nobody.
  static func literal(_ host: String) -> NetworkAddress? {
    // A last dot makes a name of it here, and not for everybody else who may look it up.
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    // Why it is no literal is of no use to anybody.
    return try? lookUp(bare, port: 0, flags: AI_NUMERICHOST).get().first
  }

  /// What to say about a failed lookup.
  ///
  /// - Parameters:
  ///   - status: what `getaddrinfo` returned.
  ///   - systemError: the `errno` after it.
  static func failure(_ host: String, status: Int32, systemError: Int32) -> OffersError {
    var cause = String(cString: gai_strerror(status))
    if status == EAI_SYSTEM { cause += ": " + String(cString: strerror(systemError)) }
    switch status {
    // These say nothing about the host.
    case EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM:
      return OffersError(
        .sourceFailed, "The host \(host) could not be looked up just now.",
        hint: "Nothing was changed. Check the network, then sync again.", cause: cause)
    default:
      return OffersError(
        .sourceFailed, "The host \(host) could not be found.",
        hint: "Nothing was changed. Check the address and the network.", cause: cause)
    }
  }

  /// The addresses that the resolver lists, each once, in its order.
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
    // Without AI_ADDRCONFIG, so that a literal means the same on every machine.
    hints.ai_flags = flags | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    if host.hasPrefix("["), host.hasSuffix("]") {
      name = String(host.dropFirst().dropLast())
      hints.ai_family = AF_INET6
      hints.ai_flags |= AI_NUMERICHOST
    }
    // There is nobody to ask for no name; C would take the part before a zero byte for the whole.
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
