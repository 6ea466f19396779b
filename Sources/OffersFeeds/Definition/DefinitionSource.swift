import OffersCore
import Yams

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
