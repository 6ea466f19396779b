import Mustache

/// Escapes texts for HTML, in elements and in quoted attributes.
///
/// The escaping works on bytes. Mustache's own escaping works on characters: a quote followed by a
/// combining accent is a single character that differs from a quote, would not be escaped, and
/// would end an attribute.
struct PageEscaping: MustacheContentType {
  /// The name of the content type in templates.
  static let name = "PAGE"

  func escapeText(_ text: String) -> String {
    guard text.utf8.contains(where: Self.isSpecial) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0x09, 0x0A, 0x0D: bytes.append(byte)
      // HTML forbids all other control characters.
      case ..<0x20, 0x7F: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), 0x7F:
      true
    case 0x09, 0x0A, 0x0D: false
    default: byte < 0x20
    }
  }
}
