import OffersCore

/// The reason why scanning stopped before the end of a value.
package enum JSONStop: Error {
  /// The value continues after the available bytes.
  case needsMore
  /// The bytes are not JSON. `byAddress` is the address of the error, which is never dereferenced.
  case syntax(byAddress: UInt, JSONSyntaxError)
}

/// The errors of a JSON text (RFC 8259), with their descriptions for messages.
package enum JSONSyntaxError: String, Sendable {
  case expectedValue = "expected a value"
  case expectedKey = "expected a key in double quotes"
  case expectedColon = "expected a colon after the key"
  case expectedCommaOrEnd = "expected a comma or the end of the list"
  case expectedCommaOrBrace = "expected a comma or the end of the object"
  case controlCharacter = "a control character inside a text must be escaped"
  case badEscape = "an unknown escape inside a text"
  case badNumber = "a malformed number"
  case badLiteral = "expected true, false or null"
  case tooDeep = "values are nested more than 128 deep"
  case trailing = "unexpected text after the end of the document"
}

/// Scans JSON tokens in memory, strictly according to RFC 8259, without decoding them.
///
/// At least `ByteBlock.byteCount` zero bytes must follow the text. A zero byte is not valid in
/// JSON, so that it serves as a sentinel: the loops need no other bounds check, and a zero at the
/// end means that more bytes are needed.
package struct JSONScanner {
  package typealias Position = UnsafePointer<UInt8>

  /// The end of the available bytes, where the zero bytes begin.
  package let end: Position
  /// True when no more bytes will follow.
  package let isFinal: Bool
  /// The greatest depth to which values may be nested.
  package static let depthLimit = 128

  package init(end: Position, isFinal: Bool) {
    self.end = end
    self.isFinal = isFinal
  }

  /// How a scanned text has to be decoded.
  package struct TextTraits {
    package var hasEscapes = false
    package var hasNonASCII = false
  }

  @inline(__always)
  package func skipWhitespace(_ p: inout Position) {
    while p.pointee <= 0x20 {
      switch p.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: p += 1
      default: return
      }
    }
  }

  /// The error to throw at `p`: more bytes are needed, or the syntax is wrong.
  package func stop(_ p: Position, _ reason: JSONSyntaxError) -> JSONStop {
    p >= end && !isFinal ? .needsMore : .syntax(byAddress: UInt(bitPattern: p), reason)
  }

  /// Moves from after an opening quote to the closing one, and validates escapes.
  @inline(__always)
  package func scanText(
    _ p: inout Position, _ traits: inout TextTraits
  ) throws(JSONStop) {
    skipPlainText(&p, &traits)
    // Escapes are scanned by a separate function, so that the common case, a text without escapes,
    // can be inlined.
    if p.pointee != 0x22 { try scanEscapedText(&p, &traits) }
  }

  /// Moves to the next quote, backslash or control character.
  @inline(__always)
  private func skipPlainText(_ p: inout Position, _ traits: inout TextTraits) {
    var block = ByteBlock(at: p)
    var seen = ByteBlock.Marks()
    while block.textEnds.isEmpty {
      seen.formUnion(block.nonASCII)
      p += ByteBlock.byteCount
      block = ByteBlock(at: p)
    }
    let count = block.textEnds.countBefore
    seen.formUnion(block.nonASCII.prefix(count))
    p += count
    if !seen.isEmpty { traits.hasNonASCII = true }
  }

  /// Moves from an escape to the closing quote; throws for a control character, which must be
  /// escaped.
  private func scanEscapedText(
    _ p: inout Position, _ traits: inout TextTraits
  ) throws(JSONStop) {
    traits.hasEscapes = true
    repeat {
      guard p.pointee == 0x5C else { throw stop(p, .controlCharacter) }
      // An escape often follows directly on another.
      repeat { try skipEscape(&p) } while p.pointee == 0x5C
      skipPlainText(&p, &traits)
    } while p.pointee != 0x22
  }

  @inline(__always)
  private func skipEscape(_ p: inout Position) throws(JSONStop) {
    switch p[1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
      p += 2
    case 0x75:
      for index in 2..<6 where ASCII.hexDigit(p[index]) == nil { throw stop(p + index, .badEscape) }
      p += 6
    default:
      throw stop(p + 1, .badEscape)
    }
  }

  /// Moves past a number.
  package func scanNumber(_ p: inout Position) throws(JSONStop) {
    if p.pointee == 0x2D { p += 1 }
    switch p.pointee {
    case 0x30: p += 1
    case 0x31...0x39: skipDigits(&p)
    default: throw stop(p, .badNumber)
    }
    if p.pointee == 0x2E {
      p += 1
      guard isDigit(p.pointee) else { throw stop(p, .badNumber) }
      skipDigits(&p)
    }
    if p.pointee | 0x20 == 0x65 {
      p += 1
      if p.pointee == 0x2B || p.pointee == 0x2D { p += 1 }
      guard isDigit(p.pointee) else { throw stop(p, .badNumber) }
      skipDigits(&p)
    }
    // A number at the end of the bytes may continue in the next ones.
    if p >= end, !isFinal { throw .needsMore }
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  private func skipDigits(_ p: inout Position) {
    while isDigit(p.pointee) { p += 1 }
  }

  /// Moves past `true`, `false` or `null`.
  package func scanLiteral(_ p: inout Position) throws(JSONStop) {
    let word: StaticString
    switch p.pointee {
    case 0x74: word = "true"
    case 0x66: word = "false"
    case 0x6E: word = "null"
    default: throw stop(p, .expectedValue)
    }
    for index in 0..<word.utf8CodeUnitCount where p[index] != word.utf8Start[index] {
      throw stop(p + index, .badLiteral)
    }
    p += word.utf8CodeUnitCount
  }

  /// Moves past a value, which is nested in `depth` other values.
  package func skipValue(_ p: inout Position, depth: Int) throws(JSONStop) {
    switch p.pointee {
    case 0x22:
      p += 1
      var traits = TextTraits()
      try scanText(&p, &traits)
      p += 1
    case 0x7B:
      try skipObject(&p, depth: depth)
    case 0x5B:
      try skipArray(&p, depth: depth)
    case 0x2D, 0x30...0x39:
      try scanNumber(&p)
    default:
      try scanLiteral(&p)
    }
  }

  /// Moves from the opening byte of a list or object to its first element. Returns false for an
  /// empty one, and moves past it.
  ///
  /// - Parameters:
  ///   - p: the opening byte; afterwards the first element, or the end of an empty list or object.
  ///   - end: the closing byte of the list or object.
  @inline(__always)
  func enter(_ p: inout Position, until end: UInt8) -> Bool {
    p += 1
    skipWhitespace(&p)
    if p.pointee != end { return true }
    p += 1
    return false
  }

  /// Moves past the comma after an element. Returns false at the closing byte, and moves past
  /// that.
  @inline(__always)
  func goOn(_ p: inout Position, until end: UInt8) throws(JSONStop) -> Bool {
    skipWhitespace(&p)
    if p.pointee == 0x2C {
      p += 1
      return true
    }
    guard p.pointee == end else {
      throw stop(p, end == 0x5D ? .expectedCommaOrEnd : .expectedCommaOrBrace)
    }
    p += 1
    return false
  }

  private func skipArray(_ p: inout Position, depth: Int) throws(JSONStop) {
    if depth >= Self.depthLimit { throw stop(p, .tooDeep) }
    guard enter(&p, until: 0x5D) else { return }
    repeat {
      skipWhitespace(&p)
      try skipValue(&p, depth: depth + 1)
    } while try goOn(&p, until: 0x5D)
  }

  private func skipObject(_ p: inout Position, depth: Int) throws(JSONStop) {
    if depth >= Self.depthLimit { throw stop(p, .tooDeep) }
    guard enter(&p, until: 0x7D) else { return }
    repeat {
      skipWhitespace(&p)
      var traits = TextTraits()
      _ = try scanKey(&p, &traits)
      try skipValue(&p, depth: depth + 1)
    } while try goOn(&p, until: 0x7D)
  }

  /// Moves from a key to its value; returns the key's text, undecoded.
  @inline(__always)
  package func scanKey(
    _ p: inout Position, _ traits: inout TextTraits
  ) throws(JSONStop) -> UnsafeRawBufferPointer {
    guard p.pointee == 0x22 else { throw stop(p, .expectedKey) }
    p += 1
    let start = p
    try scanText(&p, &traits)
    let key = UnsafeRawBufferPointer(start: start, count: p - start)
    p += 1
    try scanColon(&p)
    return key
  }

  /// Moves past a key's colon and the whitespace around it.
  @inline(__always)
  func scanColon(_ p: inout Position) throws(JSONStop) {
    skipWhitespace(&p)
    guard p.pointee == 0x3A else { throw stop(p, .expectedColon) }
    p += 1
    skipWhitespace(&p)
  }
}
