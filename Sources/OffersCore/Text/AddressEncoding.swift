import Foundation

/// Percent-encodes addresses as people and programs print them: raw, encoded, or half of each.
///
/// `URL(string:)` encodes a `%` again if any other character is invalid, so that `Caf%C3%A9 1.png`
/// becomes `Caf%25C3%25A9%201.png`. All addresses that are requested or opened are therefore encoded
/// here first.
package enum AddressEncoding {
  /// Returns the address with each character that a URL may not contain percent-encoded, and with
  /// `%25` for each `%` that begins no escape. Valid escapes stay as they are, so that encoding
  /// twice changes nothing. The host is left to the parser of URLs, which has other rules for it.
  package static func encoded(_ address: String) -> String {
    let bytes = Array(address.utf8)
    if bytes.allSatisfy(isPlain) { return address }
    let host = hostRange(in: bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    var hasFragment = false
    for (index, byte) in bytes.enumerated() {
      let stays =
        if host.contains(index) || isPlain(byte) {
          true
        } else if byte == UInt8(ascii: "%") {
          isEscape(bytes, at: index)
        } else {
          byte == UInt8(ascii: "#") && !hasFragment
        }
      if byte == UInt8(ascii: "#") { hasFragment = true }
      if stays {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Whether a byte may be anywhere in a path, query or fragment (RFC 3986, section 3.3, and the
  /// separators of these parts besides `#`).
  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isLetterOrDigit(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
  }

  private static func isEscape(_ bytes: [UInt8], at index: Int) -> Bool {
    index + 2 < bytes.count && bytes[index + 1...index + 2].allSatisfy { ASCII.hexDigit($0) != nil }
  }

  /// The place of the authority: the bytes after `//`, at the start or after a scheme, up to the
  /// next `/`, `?` or `#`. Empty if there is none.
  private static func hostRange(in bytes: [UInt8]) -> Range<Int> {
    guard let slashes = bytes.firstRange(of: "//".utf8) else { return 0..<0 }
    let scheme = bytes[..<slashes.lowerBound]
    let hasScheme =
      scheme.last == UInt8(ascii: ":")
      && scheme.allSatisfy { isPlain($0) && $0 != 0x2F && $0 != 0x3F }
    guard scheme.isEmpty || hasScheme else { return 0..<0 }
    let start = slashes.upperBound
    return start..<(bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex)
  }
}

extension URL {
  /// The URL of an address as it is printed in a feed, a page or a response: characters that a URL
  /// may not contain are percent-encoded once, as in browsers. Nil for a text that is no URL.
  package init?(printed address: String, relativeTo base: URL? = nil) {
    self.init(string: AddressEncoding.encoded(address), relativeTo: base)
  }
}
