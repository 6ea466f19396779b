/// Writes one JSON document, keys in the order given, absent values as null.
///
/// Exists because the order of keys is part of what people see, which `JSONEncoder` does not keep.
package struct JSONWriter {
  package private(set) var text = ""
  private var needsComma = false

  package init() {}

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container("{", "}", body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container("[", "]", body)
  }

  package mutating func key(_ name: String) {
    separate()
    appendString(name)
    text += ":"
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
    text += String(number)
  }

  package mutating func value(_ number: Int) { value(Int64(number)) }

  package mutating func value(_ flag: Bool) {
    separate()
    text += flag ? "true" : "false"
  }

  /// Writes a number that is already in JSON's notation, such as `2.5`.
  package mutating func number(_ literal: String) {
    separate()
    text += literal
  }

  package mutating func null() {
    separate()
    text += "null"
  }

  private mutating func container(
    _ open: String, _ close: String, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    text += open
    needsComma = false
    try body(&self)
    text += close
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { text += "," }
    needsComma = true
  }

  private mutating func appendString(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}":
        // Control characters are escaped, DEL and C1 too, so that a document printed to a
        // terminal cannot steer it.
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
