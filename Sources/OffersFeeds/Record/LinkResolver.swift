import FoundationEssentials

/// Makes links absolute that a document writes relative to itself (RFC 3986, section 5).
struct LinkResolver: Sendable {
  private let base: URL?

  /// - Parameter address: where the document came from; nil where it has no address on the web.
  init(address: String?) {
    base = address.flatMap { URL(string: $0) }
  }

  /// The absolute link. A link that stays relative is kept as printed: nothing is made up.
  func resolve(_ link: UnsafeRawBufferPointer, in arena: TextArena) -> UnsafeRawBufferPointer {
    let link = link.trimmed()
    if Self.hasScheme(link) { return link }
    guard let base else { return link }
    let text = String(decoding: link, as: UTF8.self)
    guard let resolved = URL(string: text, relativeTo: base)?.absoluteString else { return link }
    return arena.copy(Array(resolved.utf8))
  }

  /// Whether a link begins with a scheme and a colon, as every absolute one does.
  static func hasScheme(_ link: UnsafeRawBufferPointer) -> Bool {
    for (index, byte) in link.enumerated() {
      switch byte {
      case 0x3A: return index > 0
      case 0x41...0x5A, 0x61...0x7A: continue
      case 0x30...0x39, 0x2B, 0x2D, 0x2E: if index == 0 { return false }
      default: return false
      }
    }
    return false
  }
}
