import Hummingbird
import OffersCore

/// Names the bytes of an answer (RFC 9110, section 8.8.3): a strong one, made of their hash.
enum EntityTag {
  static func make(of body: ByteBuffer) -> String {
    var hash = DocumentHash()
    body.withUnsafeReadableBytes { hash.update($0) }
    var text = "\""
    for byte in hash.finish() {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text + "\""
  }

  private static let digits = Array("0123456789abcdef")

  /// Whether `If-None-Match` names the tag, compared weakly as that field wants it.
  static func isNamed(_ tag: String, in field: String) -> Bool {
    if field == tag { return true }
    if field.utf8.allSatisfy({ $0 == 0x2A || $0 == 0x20 }) { return field.utf8.contains(0x2A) }
    // Tags of ours have no comma in them; a strange one that has is not ours.
    return field.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while part.last == " " || part.last == "\t" { part.removeLast() }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      return part == tag
    }
  }
}
