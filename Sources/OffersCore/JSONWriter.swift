/// Writes one JSON document, keys in the order given, absent values as null.
///
/// Exists because the order of keys is part of what people see, which `JSONEncoder` does not keep.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// What was written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container("{", "}", body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container("[", "]", body)
  }

  package mutating func key(_ name: String) {
    separate()
    appendString(name)
    append(":")
    needsComma = false
  }

  package mutating func value(_ string: String?) {
    guard let string else { return null() }
    separate()
    appendString(string)
  }

  package mutating func value(_ number: Int64?) {
    guard let number else { return null() }
    separate()
    append(String(number))
  }

  package mutating func value(_ number: Int) { value(Int64(number)) }

  package mutating func value(_ flag: Bool) {
    separate()
    append(flag ? "true" : "false")
  }

  /// Writes a number that is already in JSON's notation, such as `2.5`.
  package mutating func number(_ literal: String) {
    separate()
    append(literal)
  }

  package mutating func null() {
    separate()
    append("null")
  }

  private mutating func container(
    _ open: String, _ close: String, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    append(open)
    needsComma = false
    try body(&self)
    append(close)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { append(",") }
    needsComma = true
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func appendString(_ string: String) {
    append("\"")
    defer { append("\"") }
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      append(string)
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}":
        // Control characters are escaped, DEL and C1 too, so that a document printed to a
        // terminal cannot steer it.
        let hex = String(scalar.value, radix: 16)
        append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
