/// Writes one JSON document, keys in the order given, absent values as null.
///
/// Exists because the order of keys is part of what people see, which `JSONEncoder` does not keep.
package struct JSONWriter {
  /// What was written so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// A whole document that is one object, whose members `body` writes.
  package static func document(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var json = JSONWriter()
    try json.object(body)
    return json.text
  }

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

  package mutating func value(_ number: Int?) { value(number.map(Int64.init)) }

  package mutating func value(_ flag: Bool?) {
    guard let flag else { return null() }
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

  /// Writes a member of an object: its name, then what `body` writes.
  package mutating func member(
    _ name: String, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    key(name)
    try body(&self)
  }

  /// Writes a member whose value is a text, a number, a truth value, or null.
  package mutating func member(_ name: String, _ text: String?) { member(name) { $0.value(text) } }
  package mutating func member(_ name: String, _ number: Int64?) {
    member(name) { $0.value(number) }
  }
  package mutating func member(_ name: String, _ number: Int?) { member(name) { $0.value(number) } }
  package mutating func member(_ name: String, _ flag: Bool?) { member(name) { $0.value(flag) } }

  /// Writes a member whose value is a number that is already in JSON's notation, or null.
  package mutating func member(_ name: String, number literal: String?) {
    member(name) { if let literal { $0.number(literal) } else { $0.null() } }
  }

  /// Writes a member whose value is a list, an element each time that `body` is called.
  package mutating func member<Elements: Sequence>(
    _ name: String, each elements: Elements,
    _ body: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    try member(name) { json in
      try json.array { json in
        for element in elements { try body(&json, element) }
      }
    }
  }

  /// Writes a member whose value is an object, whose members `body` writes; null for nil.
  package mutating func member<Value>(
    _ name: String, object value: Value?,
    _ body: (inout JSONWriter, Value) throws -> Void
  ) rethrows {
    try member(name) { json in
      guard let value else { return json.null() }
      try json.object { try body(&$0, value) }
    }
  }

  /// Writes a member whose value is a list of objects, whose members `body` writes.
  package mutating func member<Elements: Sequence>(
    _ name: String, objects elements: Elements,
    _ body: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    try member(name, each: elements) { json, element in
      try json.object { try body(&$0, element) }
    }
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
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{61C}", "\u{200E}", "\u{200F}",
        "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}":
        // Control characters are escaped, DEL and C1 too, and what turns a line round, so that a
        // document printed to a terminal cannot steer it.
        let hex = String(scalar.value, radix: 16)
        append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
