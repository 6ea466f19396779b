import OffersCore
import Yams

/// The YAML text of a definition file, turned into nodes.
///
/// The file comes from a person, perhaps from a stranger: its size, depth and aliases are bounded,
/// so that a small file cannot stand for a huge one.
struct DefinitionSource {
  let yaml: String
  let file: String

  /// How often an alias may stand for something, counting those in what it stands for.
  static let aliasLimit = 100
  /// How many values a file may hold, with all aliases followed.
  static let valueLimit = 100_000
  static let depthLimit = 64
  /// So few aliases cannot make a key large enough to matter; the parser compares whole keys.
  private static let harmlessAliases = 12

  /// Reads the only document of the file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for what is no YAML, `limitExceeded` for what is
  ///   too large.
  func root() throws -> DefinitionNode {
    try Self.checkSize(of: yaml, name: file)
    try checkKeys()
    do {
      // Values are not made of nodes here, and asking for the default encoding looks at the
      // environment.
      let parser = try Parser(
        yaml: yaml, resolver: .basic, constructor: Constructor([:], [:], [:]), encoding: .utf8)
      var counter = Counter()
      guard let first = try parser.nextRoot(),
        case let root = try node(first, counter: &counter, depth: 0), !root.isAbsent
      else { throw place(1).problem("the file holds nothing.", hint: Self.startHint) }
      if let second = try parser.nextRoot() {
        throw place(second.mark?.line ?? 1).problem(
          "a second YAML document begins here; a file holds one.",
          hint: "Remove the line with ---, and put all feeds under one feeds:.")
      }
      return root
    } catch let error as YamlError {
      throw YAMLProblem(yaml: yaml, file: file).describe(error)
    }
  }

  /// - Throws: `OffersError` with `limitExceeded` for a file that is too large.
  static func checkSize(of yaml: String, name file: String) throws {
    guard yaml.utf8.count <= DefinitionFile.limitBytes else {
      throw OffersError(
        .limitExceeded,
        "\(file):1: the file is larger than \(DefinitionFile.limitBytes >> 20) MiB.",
        hint: DefinitionFile.sizeHint)
    }
  }

  static let startHint = "It begins with feeds: and the feeds' names below."

  /// What was met so far.
  private struct Counter {
    var anchors: Set<ObjectIdentifier> = []
    var aliases = 0
    var values = 0
  }

  private func node(_ node: Node, counter: inout Counter, depth: Int) throws -> DefinitionNode {
    let place = place(node.mark?.line ?? 1)
    counter.values += 1
    // The parser hands over what an alias stands for; it is one when the anchor was met before.
    if let anchor = node.anchor, !counter.anchors.insert(ObjectIdentifier(anchor)).inserted {
      counter.aliases += 1
    }
    if counter.aliases > Self.aliasLimit {
      throw tooMany("\(Self.aliasLimit) aliases", at: place)
    }
    if counter.values > Self.valueLimit { throw tooMany("\(Self.valueLimit) values", at: place) }
    if depth > Self.depthLimit {
      throw place.problem(
        "this is nested more than \(Self.depthLimit) deep.", code: .limitExceeded)
    }
    switch node {
    case .scalar(let scalar):
      return DefinitionNode(
        place: place, content: .text(scalar.markless, isPlain: scalar.style == .plain))
    case .sequence(let sequence):
      let elements = try sequence.map { try self.node($0, counter: &counter, depth: depth + 1) }
      return DefinitionNode(place: place, content: .list(elements))
    case .mapping(let mapping):
      let entries = try entries(mapping, counter: &counter, depth: depth)
      return DefinitionNode(place: place, content: .map(entries))
    case .alias:
      throw place.problem("an alias refers to nothing.")
    }
  }

  private func entries(
    _ mapping: Node.Mapping, counter: inout Counter, depth: Int
  ) throws -> [DefinitionNode.Entry] {
    var entries: [DefinitionNode.Entry] = []
    var lines: [String: Int] = [:]
    for (key, value) in mapping {
      let place = place(key.mark?.line ?? mapping.mark?.line ?? 1)
      guard case .scalar(let scalar) = key else {
        throw place.problem("a key is a text, not a list or a mapping.")
      }
      if scalar.markless == "<<", scalar.style == .plain {
        throw place.problem(
          "“<<” does not merge mappings here.",
          hint: "Use an alias for a whole value, as in fields: *common.")
      }
      if let line = lines.updateValue(place.line, forKey: scalar.markless) {
        throw place.problem(
          "“\(scalar.markless)” is a duplicate; it is in line \(line) already.")
      }
      let node = try node(value, counter: &counter, depth: depth + 1)
      entries.append(DefinitionNode.Entry(key: scalar.markless, place: place, value: node))
    }
    return entries
  }

  /// Refuses aliases within keys where they could blow one up, since the parser compares keys
  /// before anything can be counted. Looks at the text only and rather refuses too much.
  private func checkKeys() throws {
    var aliases = 0
    var line = 1
    var keyLine: Int?
    var isInAlias = false
    var beforeLast: UInt8 = 0x0A
    var last: UInt8 = 0x0A
    var lastInk: UInt8 = 0x0A
    for byte in yaml.utf8 {
      let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
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
      throw place(keyLine).problem(
        "with more than \(Self.harmlessAliases) aliases in the file, a key may not be a list, mapping "
          + "or alias, and no space may precede its colon.",
        hint: "Write out the values of the aliases.", code: .limitExceeded)
    }
  }

  private static func isCloser(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private static func isAnchorByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == 0x2D || byte == 0x5F || isAlphanumeric(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private func tooMany(_ what: String, at place: DefinitionNode.Place) -> OffersError {
    place.problem(
      "the file expands to more than \(what).", hint: "Write out the values of the aliases.",
      code: .limitExceeded)
  }

  private func place(_ line: Int) -> DefinitionNode.Place {
    DefinitionNode.Place(file: file, line: line)
  }
}

extension Node.Scalar {
  /// The text without the byte order marks it begins with, of which the parser loses only some.
  fileprivate var markless: String {
    guard string.unicodeScalars.first == "\u{FEFF}" else { return string }
    return String(String.UnicodeScalarView(string.unicodeScalars.drop { $0 == "\u{FEFF}" }))
  }
}
