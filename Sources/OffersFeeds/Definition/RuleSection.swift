import OffersCore

extension DefinitionNode {
  /// The start of the paths in a section of a definition.
  enum PathBase: Equatable {
    /// The paths start at an item. `keyLevels` is the number of `*` in `items:`, and so the highest
    /// level of `@key`.
    case item(keyLevels: Int)
    case document
  }

  /// Parses a path.
  func path(of name: String, in base: PathBase) throws -> FieldPath {
    let text = try text(of: name)
    return try understand { try Self.path(text, in: base) }
  }

  /// Parses one of the allowed words of a key.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - noun: the noun for a word, in messages.
  ///   - title: the title of the list of all words, in messages.
  func choice<Choice: RawRepresentable & CaseIterable>(
    of key: String, as noun: String, title: String
  ) throws -> Choice where Choice.RawValue == String {
    let text = try text(of: key)
    guard let choice = Choice(rawValue: text) else {
      throw problem(
        "“\(text)” is not a \(noun).",
        hint: NearestWord.hint(
          for: text, among: Choice.allCases.map(\.rawValue), title: title))
    }
    return choice
  }

  /// Parses an ISO 4217 currency code.
  func currencyCode(of name: String) throws -> String {
    let text = try text(of: name)
    guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      let upper = text.uppercased()
      let isNear = upper.utf8.count == 3 && upper.utf8.allSatisfy { (0x41...0x5A).contains($0) }
      throw problem(
        "“\(text)” is not a currency code.",
        hint: isNear ? "Did you mean \(upper)?" : "Write three capital letters, such as USD.")
    }
    guard CurrencyCode(text) != nil else {
      throw problem(
        "“\(text)” is not a currency of ISO 4217.",
        hint: "Write the code of the money that people pay in, such as USD.")
    }
    return text
  }

  fileprivate static func path(_ text: String, in base: PathBase) throws -> FieldPath {
    try rooted(FieldPath(parsing: text), of: text, in: base)
  }

  /// Sets where a path starts, and checks that `@key` is possible there.
  ///
  /// - Parameter text: the text that contains the path, for messages.
  fileprivate static func rooted(
    _ path: FieldPath, of text: String, in base: PathBase
  ) throws -> FieldPath {
    var path = path
    let keyLevel: Int? = if case .ownKey(let level)? = path.steps.first { level } else { nil }
    if case .item(let keyLevels) = base, !path.isFromDocument {
      if let keyLevel, keyLevel > keyLevels {
        throw OffersError(
          .invalidRequest,
          "“\(text)” is the key that a * in items: matches, and "
            + (keyLevels == 0 ? "there is none." : "there are no more than \(keyLevels)."),
          hint:
            "Write the * there, as in items: stores.*, or '\"@key\"' for an attribute of that name."
        )
      }
      return path
    }
    if keyLevel != nil {
      throw OffersError(
        .invalidRequest, "“\(text)” is the key of an item, and there is no item here.",
        hint: "Write '\"\(text)\"' for a key or attribute of that name.")
    }
    path.isFromDocument = true
    return path
  }
}

/// The section of a definition that says how one value is found.
struct RuleSection {
  private let node: DefinitionNode
  private let name: String
  private let base: DefinitionNode.PathBase
  private let field: OfferField?
  private let otherKeys: [String]
  private var defaults: FieldRule.Alternative

  /// - Parameters:
  ///   - node: the value in the definition.
  ///   - name: the name of the value in messages.
  ///   - base: where the paths of the value start.
  ///   - field: the field that takes the value; nil for an attribute or a text about the feed.
  ///   - otherKeys: keys that hints name in addition to those of a rule.
  init(
    _ node: DefinitionNode, named name: String, in base: DefinitionNode.PathBase,
    field: OfferField? = nil, otherKeys: [String] = []
  ) {
    self.node = node
    self.name = name
    self.base = base
    self.field = field
    self.otherKeys = otherKeys
    defaults = FieldRule.Alternative(.path(.itself), reading: field?.defaultReading ?? .text)
  }

  private var hasCurrency: Bool { field == .reward }

  func rule() throws -> FieldRule {
    FieldRule(alternatives: try alternatives(node, defaults: defaults))
  }

  private func alternatives(
    _ node: DefinitionNode, defaults: FieldRule.Alternative
  ) throws -> [FieldRule.Alternative] {
    switch node.content {
    case .text:
      var alternative = defaults
      alternative.value = try value(node)
      return [alternative]
    case .list:
      return try node.elements(of: name).flatMap { element in
        if case .list = element.content {
          throw element.problem("“\(name)” has a list within a list.")
        }
        return try alternatives(element, defaults: defaults)
      }
    case .map(let entries):
      return try alternatives(of: entries, at: node, defaults: defaults)
    }
  }

  /// Parses `{from: …, as: …}` or `{text: …}`. The options apply to every source that `from` lists.
  private func alternatives(
    of entries: [DefinitionNode.Entry], at node: DefinitionNode, defaults: FieldRule.Alternative
  ) throws -> [FieldRule.Alternative] {
    var defaults = defaults
    var source: DefinitionNode.Entry?
    // Options are parsed before `from`, since they apply to its sources wherever they are written.
    // Mistakes are still reported in the order of the lines.
    var problem: (line: Int, error: any Error)?
    for entry in entries where problem == nil {
      do {
        if entry.key == "from" || entry.key == "text" {
          if let source {
            throw entry.location.problem("“\(entry.key)” cannot be combined with “\(source.key)”.")
          }
          source = entry
        } else {
          try option(entry, into: &defaults)
        }
      } catch {
        problem = (entry.location.line, error)
      }
    }
    var found: [FieldRule.Alternative] = []
    if let source, problem.map({ source.location.line <= $0.line }) ?? true {
      found = try alternatives(from: source, defaults: defaults)
    }
    if let problem { throw problem.error }
    guard source != nil else {
      throw node.problem(
        "“\(name)” has no source.", hint: "Add from: and a path, or text: and a text.")
    }
    return found
  }

  private func alternatives(
    from source: DefinitionNode.Entry, defaults: FieldRule.Alternative
  ) throws -> [FieldRule.Alternative] {
    if source.key == "from" { return try alternatives(source.value, defaults: defaults) }
    var alternative = defaults
    alternative.value = .constant(try source.value.filledText(of: "text"))
    return [alternative]
  }

  private func option(
    _ entry: DefinitionNode.Entry, into alternative: inout FieldRule.Alternative
  ) throws {
    switch entry.key {
    case "as": alternative.reading = try reading(entry.value)
    case "join": alternative.join = try entry.value.text(of: "join")
    case "limit" where field == .id:
      throw entry.location.problem(
        "an id has no “limit”: two ids may become equal when cut.", hint: "Remove it.")
    case "limit":
      alternative.limitCharacters = try entry.value.number(of: "limit", in: 1...1_000_000)
    case "currency" where hasCurrency: alternative.currency = try currency(entry.value)
    case "minor-units" where hasCurrency:
      alternative.minorUnits = try minorUnits(entry.value)
    case "during" where hasCurrency: alternative.sale = try sale(entry.value)
    case "percent" where hasCurrency:
      alternative.percent = try entry.value.path(of: "percent", in: base)
    case "currency", "minor-units", "during", "percent":
      throw entry.location.problem("“\(entry.key)” belongs to a reward or price, not to “\(name)”.")
    default:
      throw unknown(entry)
    }
  }

  private func unknown(_ entry: DefinitionNode.Entry) -> OffersError {
    if entry.value.isAbsent {
      return entry.location.problem(
        "“\(name)” is a mapping with the key “\(entry.key)”.",
        hint: "A template that begins with a brace is quoted: \"{\(entry.key)}\".")
    }
    let keys =
      ["from", "text", "as", "join", "limit"]
      + (hasCurrency ? ["currency", "minor-units", "percent", "during"] : [])
    return entry.location.problem(
      "“\(entry.key)” is unknown in “\(name)”.",
      hint: NearestWord.hint(for: entry.key, among: keys + otherKeys, title: "Allowed"))
  }

  private func reading(_ node: DefinitionNode) throws -> Reading {
    let reading: Reading = try node.choice(of: "as", as: "type to read as", title: "Allowed")
    let allowed = field?.readings ?? Reading.general
    guard allowed.contains(reading) else {
      throw node.problem(
        "“\(name)” cannot be read as \(reading.rawValue).",
        hint: NearestWord.list(allowed.map(\.rawValue), title: "Allowed"))
    }
    return reading
  }

  private func currency(_ node: DefinitionNode) throws -> CurrencyRule {
    guard case .map(let entries) = node.content else {
      return .constant(try node.currencyCode(of: "currency"))
    }
    guard entries.count == 1, entries[0].key == "from" else {
      throw node.problem(
        "“currency” is a code, or the path of one.", hint: "Write USD, or {from: price_currency}.")
    }
    return .path(try entries[0].value.path(of: "currency", in: base))
  }

  /// Parses `PATH` or `{from: PATH, until: PATH}`, of which one may be missing.
  private func sale(_ node: DefinitionNode) throws -> SaleDatesRule {
    guard case .map(let entries) = node.content else {
      return .range(try node.path(of: "during", in: base))
    }
    var bounds: [String: FieldPath] = [:]
    for entry in entries {
      guard entry.key == "from" || entry.key == "until" else {
        throw entry.location.problem(
          "“during” is the path of two dates, or of each of them.",
          hint: "Write sale_dates, or {from: sale_start, until: sale_end}.")
      }
      bounds[entry.key] = try entry.value.path(of: entry.key, in: base)
    }
    guard !bounds.isEmpty else {
      throw node.problem(
        "“during” has no dates.", hint: "Write {from: sale_start, until: sale_end}.")
    }
    return .bounds(from: bounds["from"], until: bounds["until"])
  }

  /// Parses `true`, `false` or `{from: PATH}`.
  private func minorUnits(_ node: DefinitionNode) throws -> MinorUnitsRule? {
    let name = "minor-units"
    switch node.content {
    case .text: return try node.isTrue(of: name) ? .currency : nil
    case .map(let entries) where entries.count == 1 && entries[0].key == "from":
      return .path(try entries[0].value.path(of: name, in: base))
    case .map, .list:
      throw node.problem(
        "“\(name)” is true, or the path of the number of decimals.",
        hint: "Write true, or {from: currency_minor_unit}.")
    }
  }

  /// Parses a template if the text has a `{` that is neither doubled nor in the quotes of a path,
  /// otherwise a path.
  private func value(_ node: DefinitionNode) throws -> ValueRule {
    let text = try node.text(of: name)
    let value: ValueRule = try node.understand { try self.value(text) }
    if field == .id, value.isFromDocument {
      throw node.problem(
        "“\(text)” is the same for all offers, so it cannot identify one.",
        hint: "Write a path from the item, as in id: id.")
    }
    return value
  }

  private func value(_ text: String) throws -> ValueRule {
    guard TemplateScanner.hasPlaceholder(text) else {
      return .path(try DefinitionNode.path(text, in: base))
    }
    // A text that is not a path is a template, so the error of `try?` is expected.
    if let path = try? FieldPath(parsing: text) {
      return .path(try DefinitionNode.rooted(path, of: text, in: base))
    }
    return .template(try template(text))
  }

  private func template(_ text: String) throws -> Template {
    var template = try Template(parsing: text, for: .item)
    for (index, part) in template.parts.enumerated() {
      guard case .path(let path) = part else { continue }
      template.parts[index] = .path(try DefinitionNode.rooted(path, of: text, in: base))
    }
    return template
  }
}
