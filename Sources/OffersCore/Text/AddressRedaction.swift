import Foundation

/// Hides the values in addresses that may be keys: those of a query, and a user name with a password.
///
/// People put keys into queries, and a program cannot tell a key from another value. So none is shown, logged,
/// exported or kept with a run. A value that consists of placeholders, such as `{env:NAME}`, is none.
package enum AddressRedaction {
  /// The text in place of a value.
  package static let mark = "{hidden}"

  /// The sign in place of a value, for people.
  private static let shortMark = "…"

  /// Whether values of an address are hidden, so that it cannot be read.
  package static func areHidden(in address: String) -> Bool {
    [mark, shortMark].contains { address.utf8.firstRange(of: $0.utf8) != nil }
  }

  /// A text with hidden values as a page shows it: with a sign that people know in place of the mark.
  package static func readable(_ text: String) -> String {
    text.replacing(bytes: mark, with: shortMark)
  }

  /// A source with its values hidden, in which the names stay. A path of a file has none.
  package static func hidden(in source: String) -> String {
    guard let scheme = source.utf8.firstRange(of: "://".utf8) else { return source }
    return hidden(from: scheme.upperBound, in: source[...])
  }

  /// A text with the values of all addresses in it hidden. An address ends at white space, at `<` and `>`,
  /// or at a double quotation mark.
  package static func hidden(inText text: String) -> String {
    var result = ""
    var rest = text[...]
    while let scheme = rest.utf8.firstRange(of: "://".utf8) {
      let end = rest[scheme.upperBound...].unicodeScalars.firstIndex(where: isEnd) ?? rest.endIndex
      var address = rest[..<end]
      while let last = address.unicodeScalars.last, ".,;:!?)'’".unicodeScalars.contains(last),
        address.endIndex > scheme.upperBound
      {
        address.unicodeScalars.removeLast()
      }
      result += hidden(from: scheme.upperBound, in: address)
      rest = rest[address.endIndex...]
    }
    return result + rest
  }

  private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || "\"<>“”„«»".unicodeScalars.contains(scalar)
  }

  /// An address with a mark in place of its user and password, and of the values behind its path.
  ///
  /// - Parameter start: the place behind the scheme and its slashes.
  private static func hidden(from start: String.Index, in address: Substring) -> String {
    let bytes = address.utf8
    let authorityEnd = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    var result = String(address[..<start])
    if let at = bytes[start..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) {
      result += mark + address[at..<authorityEnd]
    } else {
      result += address[start..<authorityEnd]
    }
    let query = bytes[authorityEnd...].firstIndex(where: isSeparator) ?? bytes.endIndex
    result += address[authorityEnd..<query]
    var rest = address[query...]
    while let separator = rest.utf8.first {
      result.unicodeScalars.append(Unicode.Scalar(separator))
      rest = rest[rest.utf8.index(after: rest.startIndex)...]
      let end = rest.utf8.firstIndex(where: isSeparator) ?? rest.endIndex
      result += hidden(inPair: rest[..<end])
      rest = rest[end...]
    }
    return result
  }

  /// Whether a byte behind the path begins a query, a fragment or another pair of them.
  private static func isSeparator(_ byte: UInt8) -> Bool { "?#&".utf8.contains(byte) }

  /// A pair of a name and a value. A text without a name is a value.
  private static func hidden(inPair pair: Substring) -> String {
    guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      return isPlaceholder(pair) ? String(pair) : mark
    }
    // Not `...equals`, which would take in a combining character behind the sign.
    let start = pair.utf8.index(after: equals)
    return isPlaceholder(pair[start...]) ? String(pair) : pair[..<start] + mark
  }

  /// Whether a value is empty, or consists of placeholders of a source and of marks.
  private static func isPlaceholder(_ value: Substring) -> Bool {
    value.wholeMatch(of: /(\{(page|query|hidden|env:[A-Za-z_][A-Za-z0-9_]*)\})*/) != nil
  }
}

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
