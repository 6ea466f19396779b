import Foundation

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
