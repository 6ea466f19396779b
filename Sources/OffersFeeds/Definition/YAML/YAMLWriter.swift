/// Writes readable YAML: two spaces a level, quotes only where they are needed, short lists and
/// mappings on one line.
struct YAMLWriter {
  /// A value to write.
  indirect enum Value {
    /// A text, quoted where YAML would parse it as another type or as syntax.
    case text(String)
    /// A number, a Boolean or an interval, such as `20`, `true` or `6h`, written without quotes.
    case word(String)
    case list([Value])
    /// A mapping, on one line where it fits.
    case map([(key: String, value: Value)])
    /// A mapping with one key per line.
    case block([(key: String, value: Value)])
  }

  private(set) var text = ""
  private static let widthLimit = 96

  mutating func write(_ entries: [(key: String, value: Value)], indent: Int = 0) {
    for (key, value) in entries {
      let start = String(repeating: " ", count: indent) + Self.scalar(key, isInFlow: false) + ":"
      write(value, after: start, indent: indent + 2)
    }
  }

  private mutating func write(_ value: Value, after start: String, indent: Int) {
    switch value {
    case .text(let text):
      self.text += "\(start) \(Self.scalar(text, isInFlow: false))\n"
    case .word(let word):
      text += "\(start) \(word)\n"
    case .block(let entries):
      text += start + "\n"
      write(entries, indent: indent)
    case .list(let elements):
      if let line = fittingLine(value, after: start) {
        text += line
        return
      }
      text += start + "\n"
      for element in elements {
        let dash = String(repeating: " ", count: indent) + "-"
        if let line = fittingLine(element, after: dash) {
          text += line
        } else if case .map(let entries) = element {
          writeElement(entries, dash: dash, indent: indent + 2)
        } else {
          write(element, after: dash, indent: indent + 2)
        }
      }
    case .map(let entries):
      if let line = fittingLine(value, after: start) {
        text += line
        return
      }
      text += start + "\n"
      write(entries, indent: indent)
    }
  }

  /// Writes a mapping whose first key follows the dash of a list element.
  private mutating func writeElement(
    _ entries: [(key: String, value: Value)], dash: String, indent: Int
  ) {
    for (position, entry) in entries.enumerated() {
      let start = position == 0 ? dash + " " : String(repeating: " ", count: indent)
      write(
        entry.value, after: start + Self.scalar(entry.key, isInFlow: false) + ":",
        indent: indent + 2)
    }
  }

  /// The value on one line; nil for a block, and for a line longer than `widthLimit`. A text is
  /// always on one line.
  private func fittingLine(_ value: Value, after start: String) -> String? {
    switch value {
    case .block: return nil
    case .text(let text): return "\(start) \(Self.scalar(text, isInFlow: false))\n"
    default:
      let line = "\(start) \(Self.flow(value))"
      return line.count <= Self.widthLimit ? line + "\n" : nil
    }
  }

  private static func flow(_ value: Value) -> String {
    switch value {
    case .text(let text): scalar(text, isInFlow: true)
    case .word(let word): word
    case .list(let elements): "[\(elements.map(flow).joined(separator: ", "))]"
    case .map(let entries), .block(let entries):
      "{"
        + entries.map { "\(scalar($0.key, isInFlow: true)): \(flow($0.value))" }
        .joined(separator: ", ") + "}"
    }
  }

  /// A text as a YAML scalar: plain, in single quotes, or in double quotes with escapes.
  static func scalar(_ text: String, isInFlow: Bool) -> String {
    if isPlain(text, isInFlow: isInFlow) { return text }
    let scalars = text.unicodeScalars
    let isPrintable = scalars.allSatisfy { !needsEscape($0) }
    if isPrintable, scalars.contains(where: { $0 == "\"" || $0 == "\\" }) {
      var result = "'"
      for scalar in scalars {
        if scalar == "'" { result += "'" }
        result.unicodeScalars.append(scalar)
      }
      return result + "'"
    }
    return doubleQuoted(text)
  }

  private static func doubleQuoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where needsEscape(scalar):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let isLong = scalar.value > 0xFFFF
        let zeros = String(repeating: "0", count: (isLong ? 8 : 4) - digits.utf8.count)
        result += (isLong ? "\\U" : "\\u") + zeros + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Whether a character can be written only as an escape: a control character, a line separator, a
  /// byte order mark or a noncharacter.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF: true
    default: scalar.value & 0xFFFE == 0xFFFE
    }
  }

  /// Characters with a meaning at the beginning of a scalar.
  private static let indicators: Set<Unicode.Scalar> = [
    "-", "?", ":", ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`",
    "=",
  ]
  /// Characters with a meaning anywhere within flow collections (`[…]`, `{…}`).
  private static let flowIndicators: Set<Unicode.Scalar> = [",", "[", "]", "{", "}", "?"]
  private static let wordsOfOtherTypes: Set<String> = [
    "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", ".nan", ".inf",
  ]

  private static func isPlain(_ text: String, isInFlow: Bool) -> Bool {
    let scalars = Array(text.unicodeScalars)
    guard let first = scalars.first, let last = scalars.last else { return false }
    if scalars.contains(where: needsEscape) || isOtherType(text) { return false }
    if first.properties.isWhitespace || last.properties.isWhitespace || last == ":" { return false }
    if indicators.contains(first) || text.hasPrefix("...") { return false }
    for (scalar, next) in zip(scalars, scalars.dropFirst()) {
      if scalar == ":" && next == " " || scalar == " " && next == "#" { return false }
    }
    return !isInFlow || !scalars.contains(where: flowIndicators.contains)
  }

  /// Whether a YAML parser may take the text for another type: null, a Boolean, a number, a time or
  /// a merge key.
  private static func isOtherType(_ text: String) -> Bool {
    if wordsOfOtherTypes.contains(text.lowercased()) { return true }
    guard let first = text.utf8.first else { return true }
    let startsLikeNumber =
      (0x30...0x39).contains(first) || first == UInt8(ascii: "+") || first == UInt8(ascii: ".")
    return startsLikeNumber
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || "+-._:eExXoabcdfABCDFTZ ".utf8.contains(byte)
      } && text != "."
  }
}
