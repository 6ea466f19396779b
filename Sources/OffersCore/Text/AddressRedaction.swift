/// Hides the values in addresses that may be keys: those of a query, and a user name with a password.
///
/// People put keys into queries, and a program cannot tell a key from another value. So none is shown, logged,
/// exported or kept with a run. A value that consists of placeholders, such as `{env:NAME}`, is none.
package enum AddressRedaction {
  /// The text in place of a value.
  package static let mark = "{hidden}"

  /// Whether values of an address are hidden, so that it cannot be read.
  package static func areHidden(in address: String) -> Bool {
    address.utf8.firstRange(of: mark.utf8) != nil
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
