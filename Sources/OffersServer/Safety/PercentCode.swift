import OffersPlatform

/// Percent-encoding of URLs (RFC 3986, section 2.1).
enum PercentCode {
  /// Decodes a percent-encoded text.
  ///
  /// - Parameters:
  ///   - text: a segment of a path, or a name or value of a query or form.
  ///   - isForm: whether a plus sign is a space, as in form data.
  /// - Returns: nil for an invalid escape or bytes that are not UTF-8.
  static func decode(_ text: Substring, isForm: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == 0x25 {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(isForm && byte == 0x2B ? 0x20 : byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Encodes a text as one segment of a path, or one value of a query. All bytes but the unreserved
  /// characters and the colon are escaped.
  static func encode(_ text: String) -> String { text.percentEncoded(keeping: ":") }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
