import Hummingbird
import OffersCore

/// Strong entity tags (RFC 9110, section 8.8.3), made of a hash of the response's body.
enum EntityTag {
  static func make(of body: ByteBuffer) -> String {
    var hash = DocumentHash()
    body.withUnsafeReadableBytes { hash.update($0) }
    return "\"\(hash.finish().hexadecimal)\""
  }

  /// Whether the value of `If-None-Match` names the tag, or is `*`, which names any tag. The field
  /// requires weak comparison (RFC 9110, section 13.1.2).
  static func isNamed(_ tag: String, in field: String) -> Bool {
    if field == tag { return true }
    if field.utf8.allSatisfy({ $0 == 0x2A || $0 == 0x20 }) { return field.utf8.contains(0x2A) }
    // The tags of this server contain no comma; a foreign tag with one cannot match.
    return field.split(scalar: ",").contains { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while part.last == " " || part.last == "\t" { part.removeLast() }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      return part == tag
    }
  }
}
