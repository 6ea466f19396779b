import FoundationEssentials
import OffersCore

/// Resolves the relative links of a document (RFC 3986, section 5).
struct LinkResolver: Sendable {
  /// The version of the rules of this type. It must change with them, so that the next sync
  /// resolves stored links again.
  static let rules = "5"

  private let base: URL?

  /// - Parameter address: the document's URL; nil when it does not come from the web.
  init(address: String?) {
    base = address.flatMap { URL(printed: $0) }
  }

  private init(base: URL?) {
    self.base = base
  }

  /// Whether relative links can be resolved.
  var hasBase: Bool { base != nil }
  /// The address of the document.
  var address: String? { base?.absoluteString }

  /// The resolver for the scope of an `xml:base` attribute (https://www.w3.org/TR/xmlbase/), whose
  /// value may be relative to this resolver's base.
  func within(_ text: String) -> LinkResolver {
    guard let url = URL(printed: text.trimmed(), relativeTo: base)?.absoluteURL, url.scheme != nil
    else {
      return self
    }
    return LinkResolver(base: url)
  }

  /// The absolute form of a link, without whitespace around it and with `&amp;` replaced by `&`. If
  /// the document's address is unknown, only a link that begins with `//` becomes absolute, with
  /// the scheme https. A link that cannot be resolved stays relative.
  func resolve(_ link: String) -> String {
    let link = link.withBytes { bytes in
      // Some feeds break long links with line ends and tabs (WHATWG URL Standard, section 4.4).
      let kept = bytes.trimmed().filter { !Self.isLineEndOrTab($0) }
      // Some JSON contains links that were escaped for HTML, and no intended URL contains `&amp;`.
      return String(decoding: kept.replacing("&amp;".utf8, with: "&".utf8), as: UTF8.self)
    }
    if link.withBytes(Self.hasScheme) { return link }
    guard let base else {
      return link.hasPrefix("//") && link.utf8.count > 2 && !link.hasPrefix("///")
        ? "https:" + link : link
    }
    return URL(printed: link, relativeTo: base)?.absoluteString ?? link
  }

  /// Whether `resolve` would return a link unchanged, as it does most links: it has a scheme, no
  /// `&`, no line end, and no whitespace at its end.
  static func isAbsolute(_ link: UnsafeRawBufferPointer) -> Bool {
    guard let last = link.last, last > 0x20 else { return false }
    return hasScheme(link) && !link.contains { $0 == 0x26 || isLineEndOrTab($0) }
  }

  /// The first of several web addresses of pictures in a text, between which there is a comma, a semicolon, a bar or
  /// white space. An address may have these characters in it, and another address behind them. So there must be a
  /// space as well, or the part before them must end as a picture's address does.
  static func first(of links: String) -> String {
    links.withBytes { bytes -> String? in
      let bytes = bytes.trimmed()
      var index = 8
      while index + 2 < bytes.count {
        defer { index += 1 }
        guard bytes[index] == 0x3A, bytes[index + 1] == 0x2F, bytes[index + 2] == 0x2F else {
          continue
        }
        // The scheme begins behind the separators, which begin behind the first address.
        let start = (bytes[..<index].lastIndex { !CharacterScan.isLetter($0) } ?? 0) + 1
        let end = (bytes[..<start].lastIndex { !isSeparator($0) } ?? 0) + 1
        if end >= start { continue }
        let hasSpace = bytes[end..<start].contains(0x20)
        if hasSpace || MediaKind(bytes[..<end]) == .picture {
          return String(decoding: bytes[..<end], as: UTF8.self)
        }
      }
      return nil
    } ?? links
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x2C || byte == 0x3B || byte == 0x7C
  }

  private static func isLineEndOrTab(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Whether a link is no address, although it could be a relative one: a word that feeds print
  /// instead of a missing image or page, such as `self` or `none`; without a base any word.
  func isNoAddress(_ link: String) -> Bool {
    link.withBytes { isNoAddress($0.trimmed()) }
  }

  private func isNoAddress(_ link: UnsafeRawBufferPointer) -> Bool {
    guard link.count > 1, link.allSatisfy(CharacterScan.isLetter) else { return false }
    if !hasBase { return true }
    return Self.placeholders.contains(String(decoding: link, as: UTF8.self).lowercased())
  }

  private static let placeholders: Set = [
    "self", "default", "nsfw", "spoiler", "image", "none", "null", "nil", "na", "nan", "no", "yes",
    "true", "false", "undefined", "unknown", "empty", "missing", "placeholder",
  ]

  /// Whether a link begins with a scheme and a colon, as absolute URLs do.
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
