import OffersCore
import Yams

/// A value in a definition file, with its location.
struct DefinitionNode {
  /// The kinds of values. Numbers and Booleans are kept as the text in the file.
  enum Content {
    /// `isPlain` is true for a plain scalar: neither quoted nor a block scalar (`|` or `>`).
    case text(String, isPlain: Bool)
    case list([DefinitionNode])
    case map([Entry])
  }

  /// A key of a mapping and its value.
  struct Entry {
    let key: String
    let location: Location
    let value: DefinitionNode
  }

  /// A line of a file, counted from 1.
  struct Location {
    let file: String
    let line: Int

    /// Returns an error whose message begins with this location.
    func problem(
      _ what: String, hint: String? = nil, code: OffersError.Code = .invalidRequest
    ) -> OffersError {
      OffersError(code, "\(file):\(line): \(what)", hint: hint)
    }
  }

  let location: Location
  let content: Content

  /// True for an empty value, and for `~` and `null` without quotes.
  var isAbsent: Bool {
    guard case .text(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// The kind of value, as named in messages.
  var kind: String {
    switch content {
    case .text: isAbsent ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a mapping"
    }
  }

  /// Returns the value as a text.
  ///
  /// - Parameter name: the name of the value in messages.
  /// - Throws: `OffersError` with `invalidRequest` for a list, a mapping, and an absent value.
  func text(of name: String) throws -> String {
    guard case .text(let text, _) = content else {
      throw problem("“\(name)” is a text, not \(kind).")
    }
    if isAbsent {
      throw problem(
        "“\(name)” has no value.", hint: "Remove the line, or quote a word like null.")
    }
    return text
  }

  /// Returns the value as a text that is not blank.
  func filledText(of name: String) throws -> String {
    let text = try text(of: name)
    guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      throw problem("“\(name)” is empty.")
    }
    return text
  }

  func entries(of name: String) throws -> [Entry] {
    guard case .map(let entries) = content else {
      throw problem("“\(name)” is a mapping of names to values, not \(kind).")
    }
    return entries
  }

  /// Returns the elements of a list, or a value that is not a list as the only element. Throws for
  /// an empty list.
  func elements(of name: String) throws -> [DefinitionNode] {
    guard case .list(let elements) = content else { return [self] }
    guard !elements.isEmpty else { throw problem("“\(name)” is an empty list.") }
    return elements
  }

  func number(of name: String, in range: ClosedRange<Int>) throws -> Int {
    let text = try text(of: name)
    guard let number = Int(text), range.contains(number) else {
      throw problem(
        "“\(name)” is a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”."
      )
    }
    return number
  }

  func isTrue(of name: String) throws -> Bool {
    let text = try text(of: name)
    switch text.lowercased() {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw problem("“\(name)” is true or false, not “\(text)”.")
    }
  }

  /// Returns the result of `read`, which parses this value. Its error gets the location of the
  /// value, and the code `invalidRequest`.
  func understand<Value>(_ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch let error as OffersError {
      throw problem(error.message, hint: error.hint?.text)
    }
  }

  func problem(
    _ what: String, hint: String? = nil, code: OffersError.Code = .invalidRequest
  ) -> OffersError {
    location.problem(what, hint: hint, code: code)
  }
}

/// The YAML text of a definition file, parsed into nodes.
///
/// The file may come from a stranger. Its size, depth and aliases are bounded, so that a small file
/// cannot expand to a huge one.
struct DefinitionSource {
  let yaml: String
  let file: String

  /// The largest number of aliases, counting those within the values that aliases expand to.
  static let aliasLimit = 100
  /// The largest number of values, with all aliases expanded.
  static let valueLimit = 100_000
  static let depthLimit = 64
  /// The number of aliases in a file up to which a key cannot expand to a harmful size. The parser
  /// compares keys with everything that they expand to.
  private static let harmlessAliases = 12

  /// Parses the only document of the file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for invalid YAML, an empty file and a second
  ///   document; `limitExceeded` for a file beyond one of the limits.
  func root() throws -> DefinitionNode {
    try Self.checkSize(of: yaml, name: file)
    try checkKeys()
    do {
      // No values are constructed from nodes here. The encoding is given, since Yams looks up its
      // default in the environment.
      let parser = try Parser(
        yaml: yaml, resolver: .basic, constructor: Constructor([:], [:], [:]), encoding: .utf8)
      var counter = Counter()
      guard let first = try parser.nextRoot(),
        case let root = try node(first, counter: &counter, depth: 0), !root.isAbsent
      else { throw location(1).problem("the file holds nothing.", hint: Self.startHint) }
      if let second = try parser.nextRoot() {
        throw location(second.mark?.line ?? 1).problem(
          "a second YAML document begins here; a file holds one.",
          hint: "Remove the line with ---, and put all feeds under one feeds:.")
      }
      return root
    } catch let error as YamlError {
      throw YAMLProblem(yaml: yaml, file: file).describe(error)
    }
  }

  /// Refuses a file that is too large.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a file larger than
  ///   `DefinitionFile.limitBytes`.
  static func checkSize(of yaml: String, name file: String) throws {
    guard yaml.utf8.count <= DefinitionFile.limitBytes else {
      throw OffersError(
        .limitExceeded,
        "\(file):1: the file is larger than \(DefinitionFile.limitBytes >> 20) MiB.",
        hint: DefinitionFile.sizeHint)
    }
  }

  static let startHint = "It begins with feeds: and the feeds' names below."

  /// The anchors found so far, and the numbers of values and aliases.
  private struct Counter {
    var anchors: Set<ObjectIdentifier> = []
    var aliases = 0
    var values = 0
  }

  private func node(_ node: Node, counter: inout Counter, depth: Int) throws -> DefinitionNode {
    let location = location(node.mark?.line ?? 1)
    counter.values += 1
    // The parser replaces an alias by the node that it refers to, so a second meeting with an
    // anchor is an alias.
    if let anchor = node.anchor, !counter.anchors.insert(ObjectIdentifier(anchor)).inserted {
      counter.aliases += 1
    }
    if counter.aliases > Self.aliasLimit {
      throw tooMany("\(Self.aliasLimit) aliases", at: location)
    }
    if counter.values > Self.valueLimit { throw tooMany("\(Self.valueLimit) values", at: location) }
    if depth > Self.depthLimit {
      throw location.problem(
        "this is nested more than \(Self.depthLimit) deep.", code: .limitExceeded)
    }
    switch node {
    case .scalar(let scalar):
      return DefinitionNode(
        location: location, content: .text(scalar.markless, isPlain: scalar.style == .plain))
    case .sequence(let sequence):
      let elements = try sequence.map { try self.node($0, counter: &counter, depth: depth + 1) }
      return DefinitionNode(location: location, content: .list(elements))
    case .mapping(let mapping):
      let entries = try entries(mapping, counter: &counter, depth: depth)
      return DefinitionNode(location: location, content: .map(entries))
    case .alias:
      throw location.problem("an alias refers to nothing.")
    }
  }

  private func entries(
    _ mapping: Node.Mapping, counter: inout Counter, depth: Int
  ) throws -> [DefinitionNode.Entry] {
    var entries: [DefinitionNode.Entry] = []
    var lines: [String: Int] = [:]
    for (key, value) in mapping {
      let location = location(key.mark?.line ?? mapping.mark?.line ?? 1)
      guard case .scalar(let scalar) = key else {
        throw location.problem("a key is a text, not a list or a mapping.")
      }
      if scalar.markless == "<<", scalar.style == .plain {
        throw location.problem(
          "“<<” does not merge mappings here.",
          hint: "Use an alias for a whole value, as in fields: *common.")
      }
      if let line = lines.updateValue(location.line, forKey: scalar.markless) {
        throw location.problem(
          "“\(scalar.markless)” is a duplicate; it is in line \(line) already.")
      }
      let node = try node(value, counter: &counter, depth: depth + 1)
      entries.append(DefinitionNode.Entry(key: scalar.markless, location: location, value: node))
    }
    return entries
  }

  /// Refuses a file with more than `harmlessAliases` aliases and a key that may be an alias, a list
  /// or a mapping, since the parser compares keys before anything can be counted. The text is
  /// scanned without being parsed, so that some harmless files are refused as well.
  private func checkKeys() throws {
    var aliases = 0
    var line = 1
    var keyLine: Int?
    var isInAlias = false
    var beforeLast: UInt8 = 0x0A
    var last: UInt8 = 0x0A
    var lastInk: UInt8 = 0x0A
    for byte in yaml.utf8 {
      let isSpace = ASCII.isSpace(byte)
      if last == UInt8(ascii: "*"), Self.isAnchorByte(byte) {
        aliases += 1
        isInAlias = true
      } else if isInAlias {
        isInAlias = Self.isAnchorByte(byte)
        if byte == UInt8(ascii: ":") { keyLine = keyLine ?? line }
      }
      if byte == UInt8(ascii: ":"), last == 0x20 || last == 0x09 || Self.isCloser(lastInk) {
        keyLine = keyLine ?? line
      }
      if isSpace, last == UInt8(ascii: "?"), !Self.isAnchorByte(beforeLast) {
        keyLine = keyLine ?? line
      }
      if byte == 0x0A { line += 1 }
      if !isSpace { lastInk = byte }
      (beforeLast, last) = (last, byte)
    }
    if aliases > Self.harmlessAliases, let keyLine {
      throw location(keyLine).problem(
        "with more than \(Self.harmlessAliases) aliases in the file, a key may not be a list, mapping "
          + "or alias, and no space may precede its colon.",
        hint: "Write out the values of the aliases.", code: .limitExceeded)
    }
  }

  private static func isCloser(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private static func isAnchorByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == 0x2D || byte == 0x5F || ASCII.isLetterOrDigit(byte)
  }

  private func tooMany(_ what: String, at location: DefinitionNode.Location) -> OffersError {
    location.problem(
      "the file expands to more than \(what).", hint: "Write out the values of the aliases.",
      code: .limitExceeded)
  }

  private func location(_ line: Int) -> DefinitionNode.Location {
    DefinitionNode.Location(file: file, line: line)
  }
}

extension Node.Scalar {
  /// The text without leading byte order marks, of which the parser removes only some.
  fileprivate var markless: String {
    guard string.unicodeScalars.first == "\u{FEFF}" else { return string }
    return String(String.UnicodeScalarView(string.unicodeScalars.drop { $0 == "\u{FEFF}" }))
  }
}

/// Converts an error of the YAML parser to an `OffersError` with its location and a hint.
struct YAMLProblem {
  let yaml: String
  let file: String

  func describe(_ error: YamlError) -> OffersError {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      return syntax(problem, context: context, mark: mark)
    case .duplicatedKeysInMapping(let keys, let context):
      return duplicate(keys.first ?? "", mark: context.mark)
    case .reader(let problem, let offset, _, _):
      let before = yaml.prefix(offset ?? 0)
      return location(before.count(where: \.isNewline) + 1).problem(
        "this is not text for YAML: \(problem).", hint: "Save the file as plain UTF-8 text.")
    default:
      return location(1).problem("the file cannot be read as YAML: \(error).")
    }
  }

  private func syntax(
    _ problem: String, context: YamlError.Context?, mark: Mark
  ) -> OffersError {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let first = max(1, min(context?.mark.line ?? mark.line, mark.line))
    // The parser often reports a tab one line too late.
    for line in first...max(first, mark.line) where line <= lines.count {
      if lines[line - 1].prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
        return location(line).problem(
          "the line is indented with a tab.", hint: "YAML wants spaces, two a level.")
      }
    }
    // The parser reports a missing closing character at the end of the file, and a missing colon
    // one line too late.
    let rest = lines.dropFirst(mark.line - 1).joined().dropFirst(mark.column - 1)
    let isLate = rest.allSatisfy(\.isWhitespace) || problem.contains("expected ':'")
    let last = lines.lastIndex { !$0.allSatisfy(\.isWhitespace) } ?? 0
    let line = isLate ? min(first, last + 1) : mark.line
    let around = context.map { ", \($0.text)" } ?? ""
    let start = context.map { $0.mark.line == line ? "" : " of line \($0.mark.line)" } ?? ""
    return location(line).problem(
      "this is not valid YAML: \(problem)\(around)\(start).", hint: Self.hint(for: problem))
  }

  /// The probable cause of a common mistake.
  private static func hint(for problem: String) -> String? {
    let hints = [
      ("cannot start any token", "A text that begins with @ or ` or % is quoted, as in \"@href\"."),
      ("alphabetic or numeric", "A text that begins with * or & is quoted, as in \"*\"."),
      ("undefined alias", "A text that begins with * is quoted, as in \"*\"."),
      (
        "expected ',' or",
        "Within { } or [ ] a text with brackets or braces is quoted: {from: \"genres[*].name\"}."
      ),
      ("<document start>", "A text that begins with [ or { is quoted, as in \"[0].name\"."),
      ("block end", "A text that begins with [ or { is quoted, as in \"{title}\"."),
      (
        "expected key",
        "Check the indentation; a text that begins with a bracket or quote is quoted as a whole."
      ),
      (
        "mapping values",
        "A colon and a space follow each key; a text that has them in it is quoted."
      ),
      ("could not find expected ':'", "A key is followed by a colon and a space."),
    ]
    return hints.first { problem.contains($0.0) }?.1
  }

  /// The parser reports the line of the first key; the second one is searched for in the text.
  private func duplicate(_ key: String, mark: Mark) -> OffersError {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for line in mark.line..<max(mark.line, lines.count) {
      let rest = lines[line].drop { $0 == " " }
      if rest.isEmpty || rest.first == "#" { continue }
      let column = lines[line].count - rest.count + 1
      if column < mark.column { break }
      let names = [key, "\"\(key)\"", "'\(key)'"]
      let isKey = names.contains { rest.hasPrefix($0) && rest.dropFirst($0.count).first == ":" }
      if column == mark.column, isKey {
        return location(line + 1).problem(
          "“\(key)” is a duplicate; it is in line \(mark.line) already.")
      }
    }
    return location(mark.line).problem("“\(key)” occurs twice in the same mapping.")
  }

  private func location(_ line: Int) -> DefinitionNode.Location {
    DefinitionNode.Location(file: file, line: line)
  }
}
