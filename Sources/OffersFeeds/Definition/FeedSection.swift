import Foundation
import OffersCore

/// The section of a definition file that defines one feed.
struct FeedSection {
  private let entry: DefinitionNode.Entry
  /// The start of the paths of the offers' values; see `PathBase`.
  private let item: DefinitionNode.PathBase

  init(_ entry: DefinitionNode.Entry) {
    self.entry = entry
    item = .item(keyLevels: Self.keyLevels(of: entry.value))
  }

  /// The number of `*` in the path of the items, each of which may match a key that `@key` refers
  /// to; the largest number if there are several paths.
  private static func keyLevels(of section: DefinitionNode) -> Int {
    guard case .map(let entries) = section.content,
      let items = entries.first(where: { $0.key == "items" })
    else { return 0 }
    // A mistake in the paths is reported when `items` is parsed.
    guard let paths = try? paths(items.value, "items") else { return .max }
    return paths.map { $0.steps.count { $0 == .all } }.max() ?? 0
  }

  static let keys = [
    "title", "layout", "home", "noun", "nouns", "byline", "source", "public-only", "search",
    "headers", "every", "hold", "ttl", "format", "delimiter", "header", "encoding", "items",
    "id", "currency", "date-order", "zone", "from-text", "fields", "attributes", "shared",
    "selection", "window", "pages", "error",
  ]

  private static let example = "id: id, or id: {made-from: [name, address]} where there is none"

  func definition() throws -> FeedDefinition {
    let name = entry.key
    guard FeedName.isValid(name) else {
      throw entry.location.problem(
        "“\(name)” is not a valid feed name.",
        hint: "A name has up to 63 lower-case letters, digits and inner hyphens.")
    }
    let section = try entry.value.entries(of: name)
    var definition = FeedDefinition(name: name, id: .madeFrom([]), fields: [:])
    for entry in section {
      try read(entry, into: &definition)
    }
    try PresentationSection.read(section, into: &definition)
    if let fromText = section.first(where: { $0.key == "from-text" }) {
      try readFromText(fromText.value, into: &definition)
    }
    try PageSection.check(section, of: definition)
    guard section.contains(where: { $0.key == "id" }) else {
      throw entry.location.problem(
        "the feed “\(name)” has no id.", hint: "Say what identifies an offer: \(Self.example).")
    }
    guard let fields = section.first(where: { $0.key == "fields" }) else {
      throw entry.location.problem(
        "the feed “\(name)” has no fields.", hint: "Write fields: and below it at least a name.")
    }
    guard definition.fields[.name] != nil else {
      throw fields.location.problem(
        "the fields of “\(name)” lack a name.", hint: "Say which value it is, as in name: title.")
    }
    return definition
  }

  private func read(
    _ entry: DefinitionNode.Entry, into definition: inout FeedDefinition
  ) throws {
    let (key, value) = (entry.key, entry.value)
    switch key {
    case "title": definition.title = try title(value)
    case "layout":
      definition.presentation.layout = try value.choice(of: key, as: "layout", title: "Layouts")
    case "home": definition.home = try home(value)
    case "noun", "nouns", "byline": break  // `PresentationSection` reads them.
    case "from-text": break  // It depends on the fields.
    case "source": definition.source = try address(value, key, for: .source)
    case "public-only": definition.isPublicOnly = try value.isTrue(of: key)
    case "search": definition.search = try search(value)
    case "headers": definition.headers = try HeaderSection.headers(value)
    case "every": definition.everySeconds = try every(value)
    case "hold": definition.hold = try hold(value)
    case "ttl": definition.ttl = try value.path(of: key, in: .document)
    case "format": definition.format = try value.choice(of: key, as: "format", title: "Formats")
    case "delimiter": definition.delimiter = try delimiter(value)
    case "header": definition.header = try header(value)
    case "encoding": definition.encoding = try encoding(value)
    case "items": definition.items = try items(value)
    case "id": definition.id = try id(value)
    case "currency": definition.currency = try value.currencyCode(of: key)
    case "date-order":
      definition.dateOrder = try value.choice(of: key, as: "date order", title: "Orders")
    case "zone": definition.zone = try zone(value)
    case "fields":
      definition.fields = try fields(value, role: &definition.presentation.valueRole)
    case "attributes": definition.attributes = try attributes(value, key, from: item)
    case "shared": definition.shared = try attributes(value, key, from: .document)
    case "selection": definition.isSelection = try value.isTrue(of: key)
    case "window": definition.isWindow = try value.isTrue(of: key)
    case "pages": definition.pages = try PageSection.rule(value)
    case "error": definition.error = try Self.paths(value, key)
    default: throw unknown(entry)
    }
  }

  private func unknown(_ entry: DefinitionNode.Entry) -> OffersError {
    if OfferField(definitionName: entry.key) != nil {
      return entry.location.problem(
        "“\(entry.key)” is a field, but not in its place.", hint: "Move it below fields:.")
    }
    return entry.location.problem(
      "“\(entry.key)” is unknown here.",
      hint: NearestWord.hint(for: entry.key, among: Self.keys, title: "Allowed"))
  }

  /// Reads whether a missing reward or price and a missing end are read from an offer's texts: `false`, `true`, or
  /// `reward` or `price` for a feed without a field of either.
  private func readFromText(
    _ node: DefinitionNode, into definition: inout FeedDefinition
  ) throws {
    if let role = ValueRole(rawValue: try node.text(of: "from-text")) {
      guard definition.fields[.reward] == nil || definition.presentation.valueRole == role else {
        throw node.problem(
          "“from-text” is a \(role.rawValue), and the feed has another value.",
          hint: "Remove the line: the text is read for the field of the feed.")
      }
      definition.presentation.valueRole = role
    } else {
      definition.readsText = try node.isTrue(of: "from-text")
    }
  }

  private func home(_ node: DefinitionNode) throws -> String {
    let text = try node.filledText(of: "home")
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
      ["http", "https"].contains(url.scheme?.lowercased())
    else {
      throw node.problem(
        "“\(text.prefix(200))” is no address of a site.",
        hint: "Write it whole, such as https://www.example.com.")
    }
    return text
  }

  private func title(_ node: DefinitionNode) throws -> TextRule {
    if case .list = node.content {
      throw node.problem(
        "“title” is a text, or the path of one in the document.",
        hint: "Write {from: [feed.title, title]} for several places.")
    }
    if case .map = node.content {
      return try RuleSection(node, named: "title", in: .document).rule()
    }
    return TextRule(.constant(try node.filledText(of: "title")))
  }

  private func address(
    _ node: DefinitionNode, _ name: String, for use: Template.Use
  ) throws -> Template {
    let text = try node.filledText(of: name)
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw node.problem("“\(name)” has a line break or control character in it.")
    }
    if let scheme = Self.otherScheme(of: text) {
      throw node.problem(
        "“\(name)” has the scheme “\(scheme)”, which is not supported.",
        hint: NearestWord.hint(
          for: scheme, among: ["https", "http"],
          title: "An address begins with https:// or http://, a file is a path. Schemes"))
    }
    return try node.understand { try Template(parsing: text, for: use) }
  }

  /// The scheme that an address begins with (RFC 3986, section 3.1), if it is not supported or is
  /// HTTP or HTTPS without `//` after it; nil for other addresses and for a file's path.
  private static func otherScheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    let rest = text[colon...].dropFirst()
    let isName = scheme.utf8.enumerated().allSatisfy { place, byte in
      (0x61...0x7A).contains(byte)
        || place > 0 && ((0x30...0x39).contains(byte) || "+-.".utf8.contains(byte))
    }
    guard isName, !scheme.isEmpty else { return nil }
    if scheme == "http" || scheme == "https" { return rest.hasPrefix("//") ? nil : scheme + ":" }
    // A file's name may contain a colon, so an unknown scheme counts only before a slash.
    let isSure = rest.hasPrefix("/") || ["data", "file", "ftp", "mailto"].contains(scheme)
    return isSure ? scheme : nil
  }

  private func search(_ node: DefinitionNode) throws -> Template {
    let template = try address(node, "search", for: .search)
    guard template.hasQuery else {
      throw node.problem(
        "“search” lacks {query}.", hint: "Put it where the searched words go, as in ?q={query}.")
    }
    return template
  }

  private func every(_ node: DefinitionNode) throws -> Int {
    let text = try node.text(of: "every")
    return try node.understand { try IntervalText.seconds(parsing: text) }
  }

  private func hold(_ node: DefinitionNode) throws -> RemovalHold {
    let text = try node.text(of: "hold")
    return try node.understand { try RemovalHold(parsing: text) }
  }

  private func zone(_ node: DefinitionNode) throws -> String {
    let text = try node.text(of: "zone")
    guard DayZone(text) != nil else {
      throw node.problem(
        "“\(text)” is not a time zone.", hint: "Write its name, such as Europe/Berlin, or UTC+2.")
    }
    return text
  }

  private func delimiter(_ node: DefinitionNode) throws -> UInt8 {
    let text = try node.text(of: "delimiter")
    if text == Self.tab { return 0x09 }
    guard let byte = text.utf8.first, text.utf8.count == 1,
      byte > 0x20 && byte < 0x7F || byte == 0x09,
      byte != 0x22, !ASCII.isLetterOrDigit(byte)
    else {
      throw node.problem(
        "“\(text.prefix(20))” is not a delimiter.",
        hint: "Write the character between the cells in quotes, as in \";\", or tab.")
    }
    return byte
  }

  /// The name of the tab as a delimiter.
  static let tab = "tab"

  private func header(_ node: DefinitionNode) throws -> [String] {
    let names = try node.elements(of: "header").map { try $0.filledText(of: "header") }
    guard !names.isEmpty else { throw node.problem("“header” has no names of columns.") }
    return names
  }

  private func encoding(_ node: DefinitionNode) throws -> String {
    let text = try node.text(of: "encoding")
    guard Charset.find(text) != nil else {
      throw node.problem(
        "“\(text)” is not a supported character encoding.",
        hint: NearestWord.hint(for: text, among: Charset.knownNames, title: "Encodings"))
    }
    return text.lowercased()
  }

  private func items(_ node: DefinitionNode) throws -> [FieldPath] {
    try node.elements(of: "items").map { element in
      let path = try element.path(of: "items", in: .document)
      guard path.canSelectItems else {
        throw element.problem(
          FieldPath.itemsRefusal(path.descriptionFromRoot), hint: FieldPath.itemsHint)
      }
      return path
    }
  }

  private static func paths(_ node: DefinitionNode, _ name: String) throws -> [FieldPath] {
    try node.elements(of: name).map { try $0.path(of: name, in: .document) }
  }

  private func id(_ node: DefinitionNode) throws -> IDRule {
    if case .map(let entries) = node.content,
      let parts = entries.first(where: { $0.key == "made-from" })
    {
      if let other = entries.first(where: { $0.key != "made-from" }) {
        throw other.location.problem("“\(other.key)” cannot be combined with made-from.")
      }
      return .madeFrom(try madeFrom(parts.value))
    }
    var node = node
    var parts: [FieldPath]?
    if case .list(let elements) = node.content, elements.count > 1, let last = elements.last,
      case .map(let entries) = last.content, entries.count == 1, entries[0].key == "made-from"
    {
      parts = try madeFrom(entries[0].value)
      node = DefinitionNode(location: node.location, content: .list(Array(elements.dropLast())))
    }
    let section = RuleSection(
      node, named: "id", in: item, field: .id, otherKeys: ["made-from"])
    let rule = try section.rule()
    if rule.alternatives.contains(where: { if case .constant = $0.value { true } else { false } }) {
      throw node.problem("a constant cannot identify an offer.", hint: "Write \(Self.example).")
    }
    return parts.map { .valueOrMade(rule, from: $0) } ?? .value(rule)
  }

  private func madeFrom(_ node: DefinitionNode) throws -> [FieldPath] {
    var parts: [FieldPath] = []
    for element in try node.elements(of: "made-from") {
      let part = try element.path(of: "made-from", in: item)
      if part.isFromDocument {
        throw element.problem(
          "“\(part)” is the same for all offers, so it cannot identify one.", hint: "Remove it.")
      }
      if parts.contains(part) {
        throw element.problem("“\(part)” occurs twice in made-from.", hint: "Remove it.")
      }
      parts.append(part)
    }
    return parts
  }

  /// Reads the rules of the fields, which stand below `fields:`.
  ///
  /// - Parameter role: is set to the meaning of the value, which the fields state.
  private func fields(
    _ node: DefinitionNode, role: inout ValueRole
  ) throws -> [OfferField: FieldRule] {
    var fields: [OfferField: FieldRule] = [:]
    for entry in try node.entries(of: "fields") {
      guard let field = OfferField(definitionName: entry.key) else { throw noField(entry) }
      if field == .reward {
        guard fields[field] == nil else {
          throw entry.location.problem(
            "“reward” and “price” exclude each other.",
            hint: "Keep reward: if the offer pays the user, price: if the user pays.")
        }
        role = ValueRole(rawValue: entry.key) ?? .reward
      }
      fields[field] = try RuleSection(
        entry.value, named: entry.key, in: item, field: field
      ).rule()
    }
    return fields
  }

  private func noField(_ entry: DefinitionNode.Entry) -> OffersError {
    if Self.keys.contains(entry.key) {
      return entry.location.problem(
        "“\(entry.key)” is not a field.", hint: "It belongs beside fields:, not below it.")
    }
    let names = OfferField.definitionNames
    // Names that other formats use for these fields.
    let others = ["url": "link", "brand": "retailer", "picture": "image"]
    let all = "Fields: \(names.joined(separator: ", "))."
    let hint =
      others[entry.key].map { "Did you mean \($0)? \(all)" }
      ?? NearestWord.hint(for: entry.key, among: names, title: "Fields")
    return entry.location.problem("“\(entry.key)” is not a field.", hint: hint)
  }

  private func attributes(
    _ node: DefinitionNode, _ name: String, from base: DefinitionNode.PathBase
  ) throws -> [AttributeRule] {
    try node.entries(of: name).map { entry in
      let isFilled = entry.key.unicodeScalars.contains { !$0.properties.isWhitespace }
      guard isFilled, entry.key.count <= 100 else {
        throw entry.location.problem("a label is a text of 1 to 100 characters.")
      }
      let rule = try RuleSection(entry.value, named: entry.key, in: base).rule()
      return AttributeRule(label: entry.key, rule: rule)
    }
  }
}

/// The section of a definition with the request headers.
enum HeaderSection {
  /// Headers, in lower case, that a definition cannot set, since the HTTP client sets them.
  private static let reserved = [
    "connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  static func headers(_ node: DefinitionNode) throws -> [RequestHeader] {
    var names: Set<String> = []
    return try node.entries(of: "headers").map { entry in
      let name = entry.key
      do throws(OffersError) {
        try check(name, isNewIn: &names)
      } catch {
        throw entry.location.problem(error.message, hint: error.hint?.text)
      }
      let text = try entry.value.filledText(of: name)
      return try entry.value.understand { try header(name, text) }
    }
  }

  /// Refuses a name that a header cannot have.
  static func check(_ name: String, isNewIn names: inout Set<String>) throws(OffersError) {
    guard isToken(name) else {
      throw OffersError(
        .invalidRequest, "“\(name)” is not a valid header name.",
        hint: "Write one such as Authorization.")
    }
    guard !reserved.contains(name.lowercased()) else {
      throw OffersError(.invalidRequest, "the header “\(name)” cannot be set.")
    }
    guard names.insert(name.lowercased()).inserted else {
      throw OffersError(.invalidRequest, "the header “\(name)” is a duplicate.")
    }
  }

  static func header(_ name: String, _ text: String) throws -> RequestHeader {
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw OffersError(
        .invalidRequest, "“\(name)” has a line break or control character in it.")
    }
    return RequestHeader(name: name, value: try Template(parsing: text, for: .header))
  }

  /// Whether a text is a token (RFC 9110, section 5.6.2).
  static func isToken(_ text: String) -> Bool {
    let others = "!#$%&'*+-.^_`|~".utf8
    return !text.isEmpty
      && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || others.contains($0) }
  }
}

/// The keys of a definition that say with which words offers are counted, and what lists show
/// beside a name.
enum PresentationSection {
  /// Reads `noun:`, `nouns:` and `byline:` of a feed's section, whose attributes have been read.
  static func read(
    _ section: [DefinitionNode.Entry], into definition: inout FeedDefinition
  ) throws {
    func find(_ key: String) -> DefinitionNode.Entry? { section.first { $0.key == key } }
    let plural = try find("nouns").map { try word($0) }
    if let entry = find("noun") {
      definition.presentation.noun = OfferNoun(try word(entry), plural: plural)
    } else if let entry = find("nouns") {
      throw entry.location.problem(
        "“nouns” is the plural of a “noun”, which is missing.", hint: "Add noun: and the singular.")
    }
    if let entry = find("byline") {
      definition.presentation.byline = try labels(entry.value, among: definition.attributes)
    }
  }

  private static func word(_ entry: DefinitionNode.Entry) throws -> String {
    let text = try entry.value.filledText(of: entry.key)
    guard OfferNoun.isNoun(text) else {
      throw entry.value.problem(
        "“\(entry.key)” is not a noun.",
        hint: "Write the word for what is counted, such as album; at most "
          + "\(OfferNoun.maximumCharacters) letters.")
    }
    return text
  }

  private static func labels(
    _ node: DefinitionNode, among attributes: [AttributeRule]
  ) throws -> [String] {
    let known = attributes.map(\.label)
    let elements = try node.elements(of: "byline")
    guard elements.count <= FeedPresentation.bylineLimit else {
      throw node.problem("“byline” has more than \(FeedPresentation.bylineLimit) labels.")
    }
    var labels: [String] = []
    for element in elements {
      let label = try element.filledText(of: "byline")
      guard known.contains(label) else {
        throw element.problem(
          "“\(label)” is not the label of an attribute.",
          hint: NearestWord.hint(for: label, among: known, title: "Attributes"))
      }
      guard !labels.contains(label) else {
        throw element.problem("“\(label)” occurs twice in byline.", hint: "Remove it.")
      }
      labels.append(label)
    }
    return labels
  }
}
