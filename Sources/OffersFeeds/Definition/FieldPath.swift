import OffersCore

/// A path to a value, from an item or from the document's root.
///
/// Written as keys separated by dots, such as `location.address`. `[0]` is the first element,
/// `[-1]` the last, `[*]` every element, and `[rel=self]` the first element whose `rel` is `self`.
/// `[picture]` and `[page]` are the elements of an `LinkTargetKind`.
/// `*` in the place of a key is every member of an object.
/// `@name` is an XML attribute, `@key` the key of the item within its parent object. A leading `$.`
/// starts at the document's root. A key that contains one of `. [ ] { } * " '` or begins with `$`
/// is quoted.
package struct FieldPath: Sendable, Hashable {
  /// One step of a path.
  package enum Step: Sendable, Hashable {
    /// A member of a JSON object, an XML element by its name, or an XML attribute as `@name`.
    case key(String)
    /// An element of a list or of repeated elements, counted from 0, or from the end if negative
    /// (-1 is the last).
    case index(Int)
    /// Every element or member.
    case all
    /// The elements whose value at a path of keys equals the text, of which a single value takes
    /// the first. The case of ASCII letters is ignored; an empty text also matches an element
    /// without the value.
    case matching(key: [String], value: String)
    /// The elements that are of a kind by what they state, in the order of `LinkTargetKind.rank`.
    case kind(LinkTargetKind)
    /// The key of the item within its parent object: 1 for its own key, 2 for its parent's. Always
    /// the only step of its path.
    case ownKey(Int)
  }

  /// True when the path starts at the document's root, false when it starts at the item.
  package var isFromDocument: Bool
  package var steps: [Step]

  package init(isFromDocument: Bool = false, _ steps: [Step] = []) {
    self.isFromDocument = isFromDocument
    self.steps = steps
  }

  /// Creates a path of plain keys from the item.
  package init(keys: [String]) {
    self.init(keys.map(Step.key))
  }

  /// The path of the item itself.
  package static let itself = FieldPath()
  /// The path of the document's root.
  package static let root = FieldPath(isFromDocument: true)

  /// The largest number of steps; documents are not nested deeper.
  package static let stepLimit = 128
}

/// Paths of items.
extension FieldPath {
  /// Whether the path can lead to items, which are read one after the other: a condition
  /// (`[key=value]`) and an index from the end (`[-1]`) are only known after the whole list.
  package var canSelectItems: Bool {
    steps.allSatisfy { step in
      switch step {
      case .matching, .kind: false
      case .index(let index): index >= 0
      case .key, .all, .ownKey: true
      }
    }
  }

  static func itemsRefusal(_ path: String) -> String {
    "“\(path)” cannot lead to items: it has a condition or an index from the end."
  }

  static let itemsHint = "Use keys, [*] and indexes from the start, such as groups[0].offers."
}

extension FieldPath: CustomStringConvertible {
  /// The path as written in a definition; parsing it gives an equal path.
  package var description: String {
    if steps.isEmpty { return isFromDocument ? "$" : "." }
    if case .ownKey(let level) = steps[0] { return level == 1 ? "@key" : "@key\(level)" }
    var text = isFromDocument ? "$" : ""
    for (position, step) in steps.enumerated() {
      switch step {
      case .key(let key):
        if !text.isEmpty { text += "." }
        let isSpecial = !isFromDocument && position == 0 && isSpecialStart(key)
        let isBare = Self.isBareKey(key) && !isSpecial
        text += isBare ? key : Self.quoted(key)
      case .index(let index):
        text += "[\(index)]"
      case .all:
        text += text.isEmpty ? "*" : "[*]"
      case .matching(let keys, let value):
        let path = keys.map { Self.isBareKey($0, isInBrackets: true) ? $0 : Self.quoted($0) }
        let right = Self.isBareValue(value) ? value : Self.quoted(value)
        text += "[\(path.joined(separator: "."))=\(right)]"
      case .kind(let kind):
        text += "[\(kind.rawValue)]"
      case .ownKey:
        break
      }
    }
    return text
  }

  /// The path as written where all paths start at the document's root, without the `$`.
  package var descriptionFromRoot: String {
    var path = self
    path.isFromDocument = false
    return path.description
  }

  /// Whether a key can be written without quotes.
  private static func isBareKey(_ key: String, isInBrackets: Bool = false) -> Bool {
    let scalars = key.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, key != "@" else { return false }
    if first == " " || last == " " { return false }
    return scalars.allSatisfy { scalar in
      !FieldPathScanner.reserved.contains(scalar) && scalar.value >= 0x20
        && !(isInBrackets && scalar == "=")
    }
  }

  /// Whether a key has another meaning at the start of a path or of a template's placeholder.
  private func isSpecialStart(_ key: String) -> Bool {
    if key.unicodeScalars.first == "$" || key.hasPrefix("env:") { return true }
    return steps.count == 1 && key.hasPrefix("@key")
      && key.unicodeScalars.dropFirst(4).allSatisfy { ("0"..."9").contains($0) }
  }

  private static func isBareValue(_ value: String) -> Bool {
    let scalars = value.unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { return false }
    let isOpen = scalars.allSatisfy { scalar in
      scalar.value >= 0x20 && (scalar == "." || !FieldPathScanner.reserved.contains(scalar))
    }
    return first != " " && last != " " && isOpen
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}

extension FieldPath {
  /// Parses a path.
  ///
  /// - Throws: `OffersError` with `invalidRequest`; most messages name the character at fault.
  package init(parsing text: String) throws {
    var scanner = FieldPathScanner(text)
    self = try scanner.path()
  }
}

/// Parses the text of a path, one step at a time.
struct FieldPathScanner {
  /// The characters that a key can contain only in quotes.
  static let reserved: [Unicode.Scalar] = [".", "[", "]", "{", "}", "*", "\"", "'"]

  private let text: String
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  mutating func path() throws -> FieldPath {
    passSpaces()
    var end = scalars.count
    while end > position, scalars[end - 1] == " " { end -= 1 }
    if position == end || (peek == "." && position + 1 == end) { return .itself }
    if let level = try ownKeyLevel(end: end) { return FieldPath([.ownKey(level)]) }
    var path = FieldPath()
    if peek == "$" {
      path.isFromDocument = true
      position += 1
      if position == end { return path }
      if peek == "." {
        position += 1
      } else if peek != "[" {
        throw problem("a dot must follow the $", hint: "A key that begins with $ is quoted.")
      }
    }
    repeat {
      try step(into: &path, end: end)
      if path.steps.count > FieldPath.stepLimit {
        throw problem("it has more than \(FieldPath.stepLimit) steps")
      }
    } while position < end
    return path
  }

  /// Parses a key, the brackets after it and the dot before the next key.
  private mutating func step(into path: inout FieldPath, end: Int) throws {
    if peek != "[" {
      path.steps.append(try name(end: end))
    }
    while position < end, peek == "[" {
      path.steps.append(try bracket())
    }
    if position == end { return }
    guard peek == "." else {
      throw problem("a dot is missing before character \(position + 1)")
    }
    position += 1
    if position == end { throw problem("nothing follows the last dot") }
  }

  private mutating func name(end: Int) throws -> FieldPath.Step {
    if peek == "*" {
      position += 1
      guard position == end || peek == "." || peek == "[" else {
        throw problem("the * at character \(position) is part of a key", hint: Self.quoteHint)
      }
      return .all
    }
    if isAtQuote { return .key(try quoted()) }
    let start = position
    let key = try bareKey(end: end)
    guard key != "@" else { throw problem("no name follows the @ at character \(start + 1)") }
    return .key(key)
  }

  /// Parses a key without quotes.
  private mutating func bareKey(end: Int) throws -> String {
    let start = position
    let key = try bare("key", until: [".", "["], end: end)
    guard let first = key.unicodeScalars.first, let last = key.unicodeScalars.last else {
      throw problem("there is no key at character \(start + 1)")
    }
    if first == " " || last == " " {
      throw problem(
        "the key at character \(start + 1) has a space around it",
        hint: "Remove the space, or quote the key.")
    }
    return key
  }

  /// Parses a key or value without quotes, up to one of some characters or to the end.
  private mutating func bare(
    _ part: String, until stops: [Unicode.Scalar], end: Int
  ) throws -> String {
    var text = ""
    while position < end, let scalar = peek, !stops.contains(scalar) {
      // A value may contain dots; a key ends at one.
      if scalar != ".", Self.reserved.contains(scalar) {
        let place = "the \(scalar) at character \(position + 1)"
        throw problem("\(place) is in a \(part) without quotes", hint: Self.quoteHint)
      }
      text.unicodeScalars.append(scalar)
      position += 1
    }
    return text
  }

  /// Parses a step in brackets, such as `[0]`, `[*]`, `["a.b"]` or `[rel=self]`.
  private mutating func bracket() throws -> FieldPath.Step {
    let start = position
    position += 1
    passSpaces()
    if peek == "*" {
      position += 1
      try close(from: start)
      return .all
    }
    var keys: [String] = []
    var isQuoted = false
    while true {
      isQuoted = isAtQuote
      keys.append(
        isQuoted ? try quoted() : try bracketed("key", until: [".", "=", "]"], from: start))
      passSpaces()
      guard peek == "." else { break }
      position += 1
    }
    if peek == "=" {
      position += 1
      passSpaces()
      let value = isAtQuote ? try quoted() : try bracketed("value", until: ["]"], from: start)
      try close(from: start)
      return .matching(key: keys, value: value)
    }
    try close(from: start)
    if keys.count == 1, isQuoted { return .key(keys[0]) }
    if keys.count == 1, let kind = LinkTargetKind(rawValue: keys[0]) { return .kind(kind) }
    guard keys.count == 1, let index = Int32(keys[0]) else {
      throw problem(
        "[\(keys.joined(separator: "."))] at character \(start + 1) is not a number, * or key=value",
        hint: "An element is [0], all of them are [*], one of them is [rel=self].")
    }
    return .index(Int(index))
  }

  /// Parses a key or value in brackets, without quotes.
  private mutating func bracketed(
    _ part: String, until stops: [Unicode.Scalar], from start: Int
  ) throws -> String {
    var text = try bare(part, until: stops + ["["], end: scalars.count)
    if peek == nil || peek == "[" { throw unclosed(start) }
    while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
    if text.isEmpty { throw problem("there is no \(part) at character \(position + 1)") }
    return text
  }

  private mutating func close(from start: Int) throws {
    passSpaces()
    guard peek == "]" else { throw unclosed(start) }
    position += 1
  }

  /// Parses a quoted text. A quote within it is doubled or preceded by a backslash.
  private mutating func quoted() throws -> String {
    let start = position
    let quote = scalars[start]
    var result = ""
    position += 1
    while let scalar = peek {
      position += 1
      if scalar == "\\" {
        guard let next = peek, next == "\\" || next == "\"" || next == "'" else {
          throw problem(
            "the \\ at character \(position) precedes neither a quote nor a \\",
            hint: "Write \\\\ for one \\.")
        }
        result.unicodeScalars.append(next)
        position += 1
      } else if scalar == quote {
        guard peek == quote else { return result }
        result.unicodeScalars.append(quote)
        position += 1
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    throw problem("the quote at character \(start + 1) is never closed")
  }

  /// The level of `@key` (1) or `@key2` (2); nil for another path.
  private func ownKeyLevel(end: Int) throws -> Int? {
    let name = Array("@key".unicodeScalars)
    guard end - position >= name.count, Array(scalars[position..<position + name.count]) == name
    else { return nil }
    let rest = scalars[(position + name.count)..<end]
    if rest.isEmpty { return 1 }
    guard rest.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    var digits = ""
    digits.unicodeScalars.append(contentsOf: rest)
    guard let level = Int(digits), (1...FieldPath.stepLimit).contains(level) else {
      throw problem("@key counts from 1 to \(FieldPath.stepLimit)")
    }
    return level
  }

  private var peek: Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  private var isAtQuote: Bool { peek == "\"" || peek == "'" }

  private mutating func passSpaces() {
    while peek == " " { position += 1 }
  }

  private func unclosed(_ start: Int) -> OffersError {
    problem("the [ at character \(start + 1) is never closed")
  }

  private static let quoteHint = "A key or value with one of . [ ] { } * \" ' in it is quoted."

  private func problem(
    _ what: String,
    hint: String = "Keys are separated by dots, as in location.address or genres[0].name."
  ) -> OffersError {
    OffersError(.invalidRequest, "“\(text)” is not a path: \(what).", hint: hint)
  }
}
