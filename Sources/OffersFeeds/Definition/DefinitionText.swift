import OffersCore
import Yams

/// Writes a definition as a YAML file: two spaces a level, quotes only where they are needed, short
/// lists and mappings on one line.
package enum DefinitionText {
  private typealias Entries = [(key: String, value: Node)]

  /// The longest list or mapping on one line, in bytes.
  private static let lineBytes = 80

  /// Returns a file with this one feed. Parsing it gives an equal definition. Default values are
  /// left out.
  package static func yaml(for definition: FeedDefinition) -> String {
    let feed = block([(definition.name, block(entries(of: definition)))])
    // Texts, lists and mappings without anchors and tags can always be written.
    return
      (try? Yams.serialize(
        node: block([("feeds", feed)]), width: -1, allowUnicode: true)) ?? ""
  }

  /// Returns the nodes of a definition without their style: the length and the text of each scalar,
  /// and the number of elements of each list and mapping. Different for different definitions, and
  /// the same whatever library writes the YAML.
  package static func nodes(of definition: FeedDefinition) -> String {
    var text = ""
    append(block([(definition.name, block(entries(of: definition)))]), to: &text)
    return text
  }

  private static func append(_ node: Node, to text: inout String) {
    switch node {
    case .scalar(let scalar): text += "\(scalar.string.utf8.count):\(scalar.string)"
    case .sequence(let list):
      text += "[\(list.count):"
      for value in list { append(value, to: &text) }
    case .mapping(let map):
      text += "{\(map.count):"
      for (key, value) in map {
        append(key, to: &text)
        append(value, to: &text)
      }
    case .alias: break
    }
  }

  // MARK: Nodes

  private static func text(_ text: String) -> Node {
    // Plain words for no value or for a merge would be read as such, and the breaks of a text over
    // several lines are easier to see as escapes.
    let isQuoted =
      ["", "~", "null", "Null", "NULL", "<<"].contains(text)
      || text.unicodeScalars.contains {
        $0.value < 0x20 || [0x85, 0x2028, 0x2029].contains($0.value)
      }
    return Node(text, .implicit, isQuoted ? .doubleQuoted : .any)
  }

  private static func list(_ nodes: [Node]) -> Node {
    let isShort = nodes.reduce(0) { $0 + bytes(of: $1) } <= lineBytes
    return Node(nodes, Tag(.seq), isShort ? .flow : .block)
  }

  /// A mapping on one line where it fits.
  private static func map(_ entries: Entries) -> Node {
    let isShort =
      entries.reduce(0) { $0 + $1.key.utf8.count + 2 + bytes(of: $1.value) } <= lineBytes
    return Node(pairs(entries), Tag(.map), isShort ? .flow : .block)
  }

  /// A mapping with one key per line.
  private static func block(_ entries: Entries) -> Node {
    Node(pairs(entries), Tag(.map), .block)
  }

  private static func pairs(_ entries: Entries) -> [(Node, Node)] {
    entries.map { (text($0.key), $0.value) }
  }

  /// The length of a value on one line.
  private static func bytes(of node: Node) -> Int {
    switch node {
    case .scalar(let scalar): scalar.string.utf8.count + 2
    case .sequence(let list): list.reduce(2) { $0 + bytes(of: $1) }
    case .mapping(let map): map.reduce(2) { $0 + bytes(of: $1.key) + bytes(of: $1.value) }
    case .alias: 0
    }
  }

  // MARK: The definition

  private static func entries(of definition: FeedDefinition) -> Entries {
    var entries: Entries = []
    if let title = title(definition) { entries.append(("title", title)) }
    let presentation = definition.presentation
    if presentation.layout != .grid {
      entries.append(("layout", text(presentation.layout.rawValue)))
    }
    let noun = presentation.noun
    if noun != .offer { entries.append(("noun", text(noun.singular))) }
    if noun.plural != OfferNoun.regularPlural(of: noun.singular) {
      entries.append(("nouns", text(noun.plural)))
    }
    if !presentation.byline.isEmpty { entries.append(("byline", oneOrList(presentation.byline))) }
    if let home = definition.home { entries.append(("home", text(home))) }
    if let source = definition.source { entries.append(("source", text("\(source)"))) }
    if definition.isPublicOnly { entries.append(("public-only", text("true"))) }
    if let ttl = definition.ttl { entries.append(("ttl", text(ttl.descriptionFromRoot))) }
    if let seconds = definition.everySeconds {
      entries.append(("every", text(IntervalText.text(seconds: seconds))))
    }
    if let hold = definition.hold { entries.append(("hold", text(hold.text))) }
    if let format = definition.format { entries.append(("format", text(format.rawValue))) }
    if let delimiter = definition.delimiter {
      let character = String(decoding: [delimiter], as: UTF8.self)
      entries.append(("delimiter", text(delimiter == 0x09 ? FeedSection.tab : character)))
    }
    if !definition.header.isEmpty { entries.append(("header", oneOrList(definition.header))) }
    if let encoding = definition.encoding { entries.append(("encoding", text(encoding))) }
    if definition.items != [.root] { entries.append(("items", paths(definition.items))) }
    entries.append(("id", id(definition.id)))
    if let currency = definition.currency { entries.append(("currency", text(currency))) }
    if let zone = definition.zone { entries.append(("zone", text(zone))) }
    if let order = definition.dateOrder { entries.append(("date-order", text(order.rawValue))) }
    let role = definition.presentation.valueRole
    if !definition.readsText {
      entries.append(("from-text", text("false")))
    } else if role == .price, definition.fields[.reward] == nil {
      entries.append(("from-text", text(role.rawValue)))
    }
    entries.append(("fields", block(fields(definition.fields, role))))
    if !definition.attributes.isEmpty {
      entries.append(("attributes", attributes(definition.attributes, isFromRoot: false)))
    }
    if !definition.shared.isEmpty {
      entries.append(("shared", attributes(definition.shared, isFromRoot: true)))
    }
    if definition.isSelection { entries.append(("selection", text("true"))) }
    if definition.isWindow { entries.append(("window", text("true"))) }
    if let pages = definition.pages { entries.append(("pages", value(of: pages))) }
    if let search = definition.search { entries.append(("search", text("\(search)"))) }
    if !definition.headers.isEmpty {
      let headers = definition.headers.map { ($0.name, text("\($0.value)")) }
      entries.append(("headers", block(headers)))
    }
    if !definition.error.isEmpty { entries.append(("error", paths(definition.error))) }
    return entries
  }

  /// The title; nil when it equals the feed's name.
  private static func title(_ definition: FeedDefinition) -> Node? {
    let plain = definition.title.alternatives.first.map { FieldRule.Alternative($0.value) }
    if definition.title.alternatives.count == 1, definition.title.alternatives.first == plain,
      case .constant(let title) = plain?.value
    {
      return title == definition.name ? nil : text(title)
    }
    return rule(definition.title, isFromRoot: true, isAlwaysMap: true)
  }

  private static func paths(_ paths: [FieldPath]) -> Node {
    oneOrList(paths.map(\.descriptionFromRoot))
  }

  private static func oneOrList(_ texts: [String]) -> Node {
    texts.count == 1 ? text(texts[0]) : list(texts.map(text))
  }

  private static func id(_ id: IDRule) -> Node {
    switch id {
    case .value(let value): rule(value)
    case .madeFrom(let paths): made(from: paths)
    case .valueOrMade(let value, let paths): list(elements(of: rule(value)) + [made(from: paths)])
    }
  }

  private static func made(from paths: [FieldPath]) -> Node {
    map([("made-from", list(paths.map { text($0.description) }))])
  }

  private static func elements(of value: Node) -> [Node] {
    if case .sequence(let list) = value { Array(list) } else { [value] }
  }

  private static func fields(_ fields: [OfferField: FieldRule], _ role: ValueRole) -> Entries {
    OfferField.allCases.compactMap { field in
      guard let name = field.definitionName(role), let value = fields[field] else { return nil }
      return (name, rule(value, reading: field.defaultReading))
    }
  }

  private static func attributes(_ attributes: [AttributeRule], isFromRoot: Bool) -> Node {
    block(attributes.map { ($0.label, rule($0.rule, isFromRoot: isFromRoot)) })
  }

  private static func value(of pages: PageRule) -> Node {
    var entries: Entries = pages.places.map { ($0.key, place($0.place)) }
    if let first = pages.first { entries.append(("first", text("\(first)"))) }
    if let limit = pages.limit { entries.append(("limit", text("\(limit)"))) }
    if pages.allowsOtherHosts { entries.append(("other-hosts", text("true"))) }
    return map(entries)
  }

  private static func place(_ place: PageRule.Place) -> Node {
    switch place {
    case .linkHeader: return text(PageSection.linkHeader)
    case .lastID: return text(PageSection.lastID)
    case .header(let name): return map([("header", text(name))])
    case .path(let path):
      // A path that is spelled like a keyword is quoted, so that it is not taken for it.
      let path = path.descriptionFromRoot
      let isKeyword = path == PageSection.linkHeader || path == PageSection.lastID
      return text(isKeyword ? "\"\(path)\"" : path)
    }
  }

  /// The shortest form of a rule: a text, a list or a mapping. Options that all alternatives share
  /// are written once.
  private static func rule(
    _ rule: FieldRule, reading: Reading = .text, isFromRoot: Bool = false,
    isAlwaysMap: Bool = false
  ) -> Node {
    let alternatives = rule.alternatives
    guard let first = alternatives.first else { return list([]) }
    let extras = extras(first, reading: reading)
    let isShared =
      !extras.isEmpty && alternatives.allSatisfy { !isConstant($0) && options($0, like: first) }
    if alternatives.count == 1 || isShared {
      let sources = alternatives.map { source($0, isFromRoot: isFromRoot) }
      let from = sources.count == 1 ? sources[0] : list(sources)
      if extras.isEmpty, !isConstant(first), !isAlwaysMap { return from }
      return map([(isConstant(first) ? "text" : "from", from)] + extras)
    }
    let whole = list(
      alternatives.map {
        Self.rule(FieldRule(alternatives: [$0]), reading: reading, isFromRoot: isFromRoot)
      })
    return isAlwaysMap ? map([("from", whole)]) : whole
  }

  private static func isConstant(_ alternative: FieldRule.Alternative) -> Bool {
    if case .constant = alternative.value { true } else { false }
  }

  /// Whether two alternatives are equal apart from the source of the value.
  private static func options(
    _ alternative: FieldRule.Alternative, like other: FieldRule.Alternative
  ) -> Bool {
    var alternative = alternative
    alternative.value = other.value
    return alternative == other
  }

  private static func source(_ alternative: FieldRule.Alternative, isFromRoot: Bool) -> Node {
    switch alternative.value {
    case .constant(let constant): return text(constant)
    case .path(let path): return text(isFromRoot ? path.descriptionFromRoot : path.description)
    case .template(let template):
      guard isFromRoot else { return text("\(template)") }
      let parts = template.parts.map { part -> Template.Part in
        if case .path(let path) = part { .path(FieldPath(path.steps)) } else { part }
      }
      return text("\(Template(parts))")
    }
  }

  private static func extras(_ alternative: FieldRule.Alternative, reading: Reading) -> Entries {
    var entries: Entries = []
    if alternative.reading != reading {
      entries.append(("as", text(alternative.reading.rawValue)))
    }
    if alternative.join != FieldRule.Alternative.defaultJoin {
      entries.append(("join", text(alternative.join)))
    }
    if let limit = alternative.limitCharacters { entries.append(("limit", text("\(limit)"))) }
    switch alternative.currency {
    case .constant(let code): entries.append(("currency", text(code)))
    case .path(let path): entries.append(("currency", map([("from", text("\(path)"))])))
    case nil: break
    }
    switch alternative.minorUnits {
    case .currency: entries.append(("minor-units", text("true")))
    case .path(let path): entries.append(("minor-units", map([("from", text("\(path)"))])))
    case nil: break
    }
    if let path = alternative.percent { entries.append(("percent", text("\(path)"))) }
    switch alternative.sale {
    case .range(let path): entries.append(("during", text("\(path)")))
    case .bounds(let from, let until):
      let bounds = [("from", from), ("until", until)].compactMap { key, path in
        path.map { (key, text("\($0)")) }
      }
      entries.append(("during", map(bounds)))
    case nil: break
    }
    return entries
  }
}
