import Foundation

/// Writes a JSON document, with its members in the given order and nil values as null.
///
/// `JSONEncoder` does not preserve the order of members, which is part of the documented output.
package struct JSONWriter {
  /// The bytes written so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false
  /// The feeds whose values are written as prices.
  package var pricedFeeds: Set<String> = []

  /// - Parameter capacity: the number of bytes to reserve.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// A document whose root is one object; `body` writes its members.
  package static func document(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var json = JSONWriter()
    try json.object(body)
    return json.text
  }

  /// The text written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container(0x7B, 0x7D, body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container(0x5B, 0x5D, body)
  }

  package mutating func key(_ name: String) {
    separate()
    appendString(name)
    bytes.append(0x3A)
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

  /// Writes a number, given in JSON notation, such as `2.5`.
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

  /// Writes a member whose value is a string, a number, a Boolean, or null.
  package mutating func member(_ name: String, _ text: String?) { member(name) { $0.value(text) } }
  package mutating func member(_ name: String, _ number: Int64?) {
    member(name) { $0.value(number) }
  }
  package mutating func member(_ name: String, _ number: Int?) { member(name) { $0.value(number) } }
  package mutating func member(_ name: String, _ flag: Bool?) { member(name) { $0.value(flag) } }

  /// Writes a member whose value is a number in JSON notation, or null.
  package mutating func member(_ name: String, number literal: String?) {
    member(name) { if let literal { $0.number(literal) } else { $0.null() } }
  }

  /// Writes a member whose value is a list; `body` is called once per element to write it.
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

  /// Writes a member whose value is an object; `body` writes its members. Nil is null.
  package mutating func member<Value>(
    _ name: String, object value: Value?,
    _ body: (inout JSONWriter, Value) throws -> Void
  ) rethrows {
    try member(name) { json in
      guard let value else { return json.null() }
      try json.object { try body(&$0, value) }
    }
  }

  /// Writes a member whose value is a list of objects; `body` writes the members of each.
  package mutating func member<Elements: Sequence>(
    _ name: String, objects elements: Elements,
    _ body: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    try member(name, each: elements) { json, element in
      try json.object { try body(&$0, element) }
    }
  }

  private mutating func container(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    bytes.append(open)
    needsComma = false
    try body(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  private mutating func appendString(_ string: String) {
    var string = string
    string.withUTF8 { appendQuoted($0) }
  }

  private mutating func appendQuoted(_ utf8: UnsafeBufferPointer<UInt8>) {
    bytes.append(0x22)
    appendEscaped(utf8)
    bytes.append(0x22)
  }

  /// Writes a string, copying the runs between escaped characters in one piece.
  private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    let mayNeedEscape = Self.mayNeedEscape
    var start = 0
    var place = 0
    while place < utf8.count {
      guard mayNeedEscape[Int(utf8[place])], let escape = Self.escape(at: place, of: utf8)
      else {
        place += 1
        continue
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<place]))
      append(escape.text)
      place += escape.count
      start = place
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
  }

  /// A lookup table of the bytes that can begin an escaped character.
  private static let mayNeedEscape = (0..<256).map { byte in
    byte < 0x20 || [0x22, 0x5C, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF].contains(byte)
  }

  /// A character's escape sequence and its length in UTF-8; nil for a character that needs none.
  ///
  /// Beyond what JSON requires, DEL, the C1 controls, the byte order mark, line separators and
  /// bidirectional controls are escaped, so that a printed document cannot control the terminal.
  private static func escape(
    at place: Int, of utf8: UnsafeBufferPointer<UInt8>
  ) -> (text: String, count: Int)? {
    func byte(_ offset: Int) -> UInt32 {
      place + offset < utf8.count ? UInt32(utf8[place + offset]) : 0
    }
    let scalar: UInt32
    let count: Int
    switch byte(0) {
    case 0x22: return (#"\""#, 1)
    case 0x5C: return (#"\\"#, 1)
    case 0x0A: return (#"\n"#, 1)
    case 0x0D: return (#"\r"#, 1)
    case 0x09: return (#"\t"#, 1)
    case let first where first < 0x80: (scalar, count) = (first, 1)
    case let first where first < 0xE0: (scalar, count) = ((first & 0x1F) << 6 | byte(1) & 0x3F, 2)
    case let first:
      (scalar, count) = ((first & 0xF) << 12 | (byte(1) & 0x3F) << 6 | byte(2) & 0x3F, 3)
    }
    switch scalar {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      let hex = String(scalar, radix: 16)
      return ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex, count)
    default: return nil
    }
  }
}

extension JSONWriter {
  /// Writes a member whose value is a time, or null.
  package mutating func member(_ name: String, _ date: Date?) { member(name) { $0.value(date) } }

  /// Writes a member whose value is an error, or null.
  package mutating func member(_ name: String, _ error: OffersError?) {
    member(name, object: error) { json, error in
      json.member("code", error.code.rawValue)
      json.member("message", error.message)
      json.member("hint", error.hint?.text)
      if let words = error.serverWords { json.member("server_words", words) }
    }
  }

  /// Writes a time as ISO 8601 in UTC, to the second. Times beyond ±10^15 seconds are
  /// clamped.
  package mutating func value(_ date: Date?) {
    value(
      date.map {
        ISOTime.text(max(-Self.lastSecond, min(Self.lastSecond, $0.storedSeconds)))
      })
  }

  /// The longest time before or after 1970 that is written, in seconds. A time further away is written as this
  /// one.
  private static let lastSecond: Int64 = 1_000_000_000_000_000

  /// The exact decimal notation of a number of hundredths: 500 is `5`, 250 is `2.5`.
  package static func decimal(hundredths: Int64) -> String {
    let sign = hundredths < 0 ? "-" : ""
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(sign)\(whole)" }
    if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// Extracts the strings of a JSON list of strings, or of a list of lists of strings.
///
/// Reads what `JSONWriter` wrote; anything else is not validated.
package enum JSONTexts {
  /// All strings of a JSON document, in document order.
  package static func parse(_ json: String) -> [String] {
    var json = json
    var texts: [String] = []
    json.withUTF8 {
      forEach(in: UnsafeRawBufferPointer($0)) { texts.append(String(decoding: $0, as: UTF8.self)) }
    }
    return texts
  }

  /// Calls `body` with all strings of a JSON document, in document order. They and the document are in UTF-8.
  package static func forEach(
    in json: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var place = 0
    while place < json.count {
      defer { place += 1 }
      if json[place] != 0x22 { continue }
      let start = place + 1
      place = start
      var hasEscapes = false
      while place < json.count, json[place] != 0x22 {
        if json[place] == 0x5C {
          hasEscapes = true
          place += 1
        }
        place += 1
      }
      let text = UnsafeRawBufferPointer(rebasing: json[start..<min(place, json.count)])
      if hasEscapes { JSONEscapes.decode(text).text.withUnsafeBytes(body) } else { body(text) }
    }
  }
}

/// Decodes the escapes of JSON texts.
package enum JSONEscapes {
  /// The text with its escapes replaced by their characters.
  ///
  /// - Parameter raw: the text between its quotes, with valid escapes.
  /// - Returns: the decoded bytes, in which U+FFFD replaces unpaired surrogates, and whether there were
  ///   none.
  package static func decode(_ raw: UnsafeRawBufferPointer) -> (text: [UInt8], isValid: Bool) {
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var isValid = true
    var place = 0
    while place < raw.count {
      guard raw[place] == 0x5C, place + 1 < raw.count else {
        text.append(raw[place])
        place += 1
        continue
      }
      place += 2
      switch raw[place - 1] {
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75:
        let scalar = scalar(raw, &place)
        if scalar == nil { isValid = false }
        text += UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
      case let other: text.append(other)
      }
    }
    return (text, isValid)
  }

  /// The character of the four digits at `place`, or of two escapes that are a surrogate pair, and moves
  /// past them; nil for an unpaired surrogate.
  private static func scalar(_ raw: UnsafeRawBufferPointer, _ place: inout Int) -> Unicode.Scalar? {
    let first = unit(raw, &place)
    guard first & 0xFC00 == 0xD800, place + 1 < raw.count, raw[place] == 0x5C,
      raw[place + 1] == 0x75
    else { return Unicode.Scalar(first) }
    var end = place + 2
    let second = unit(raw, &end)
    guard second & 0xFC00 == 0xDC00 else { return nil }
    place = end
    return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
  }

  private static func unit(_ raw: UnsafeRawBufferPointer, _ place: inout Int) -> UInt32 {
    let digits = raw[place..<min(place + 4, raw.count)]
    place += digits.count
    return digits.reduce(0) { $0 << 4 | (ASCII.hexDigit($1) ?? 0) }
  }
}
