/// Reads the links of a `Link` header one after another, in one pass over its bytes (RFC 8288,
/// section 3).
struct LinkHeaderReader {
  private var rest: ArraySlice<UInt8>

  init(_ header: some Sequence<UInt8>) { rest = Array(header)[...] }

  /// The target of the next link and its relation types in lower case; nil after the last link.
  mutating func next() -> (target: String, relations: [String])? {
    guard let open = rest.firstIndex(of: UInt8(ascii: "<")),
      let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let target = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
    rest = rest[(close + 1)...]
    var relations: [String] = []
    while skip(UInt8(ascii: ";")) {
      let name = token()
      guard skip(UInt8(ascii: "=")) else { continue }
      let value = skip(UInt8(ascii: "\"")) ? quoted() : token()
      // Only the first `rel` of a link counts.
      if name == "rel", relations.isEmpty {
        relations = value.split { " \t".utf8.contains($0.utf8.first ?? 0) }.map(String.init)
      }
    }
    return (target, relations)
  }

  /// Skips white space, and then `byte` if it follows. Returns whether it did.
  private mutating func skip(_ byte: UInt8) -> Bool {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  /// Skips white space, and reads up to more white space or one of `; , = " <`. Returns the text in
  /// lower case.
  private mutating func token() -> String {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    let bytes = rest.prefix { !" \t;,=\"<".utf8.contains($0) }
    rest = rest.dropFirst(bytes.count)
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// Reads up to the closing quotation mark, and returns the text in lower case. Without such a
  /// mark the header is invalid: the result is empty, and the rest is skipped.
  private mutating func quoted() -> String {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else {
      rest = []
      return ""
    }
    defer { rest = rest[(end + 1)...] }
    return String(decoding: rest[..<end], as: UTF8.self).lowercased()
  }
}
