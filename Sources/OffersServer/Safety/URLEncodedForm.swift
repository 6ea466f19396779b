import OffersCore
import OffersPlatform

/// A parser of form data and queries in the format application/x-www-form-urlencoded
/// (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum URLEncodedForm {
  /// The maximum size of a field's name in bytes. No form of this server has a longer one, and a
  /// dictionary normalizes its keys, in time that grows with the square of their combining marks.
  private static let nameBytes = 64

  /// The fields by name. The last field of a name counts; fields with invalid percent-encoding and those
  /// with long names are left out.
  static func parse(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in pairs(text) {
      if let name, let value, name.utf8.count <= nameBytes { fields[name] = value }
    }
    return fields
  }

  /// The fields in their order, with nil for a name or value with invalid percent-encoding.
  static func pairs(_ text: String) -> [(name: String?, value: String?)] {
    text.split(scalar: "&").map { pair in
      let end = pair.firstIndex(of: "=") ?? pair.endIndex
      return (
        PercentCode.decode(pair[..<end], isForm: true),
        PercentCode.decode(pair[end...].dropFirst(), isForm: true)
      )
    }
  }
}

/// Percent-encoding of URLs (RFC 3986, section 2.1).
enum PercentCode {
  /// Decodes a percent-encoded text.
  ///
  /// - Parameter isForm: whether a plus sign is a space, as in form data.
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
