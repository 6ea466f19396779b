import OffersCore

/// A definition from options on the command line, which override a guessed definition.
package struct DefinitionOverride {
  private let name: String
  package private(set) var format: FeedFormat?
  package private(set) var items: FieldPath?
  private var everySeconds: Int?
  private var id: FieldRule?
  private var fields: [OfferField: ValueRule] = [:]
  /// The meaning of the value, as `reward=` or `price=` states it.
  private var valueRole: ValueRole?

  package init(name: String) {
    self.name = name
  }

  /// Sets the values of the options. A value of nil sets nothing.
  ///
  /// - Parameters:
  ///   - format: the name of a document format.
  ///   - items: the path of the offers, from the document's root.
  ///   - map: assignments `FIELD=PATH`; a path may be a template.
  ///   - every: the sync interval, such as `6h`.
  /// - Throws: `OffersError` with `invalidRequest` for an unknown format or field, an assignment
  ///   without an equals sign, and an invalid path or interval.
  package mutating func set(
    format: String?, items: String?, map: [String], every: String?
  ) throws {
    if let format {
      let names = FeedFormat.allCases.map(\.rawValue)
      guard let known = FeedFormat(rawValue: format) else {
        throw OffersError(
          .invalidRequest, "“\(format)” is not a supported format.",
          hint: NearestWord.hint(for: format, among: names, title: "Formats"))
      }
      self.format = known
    }
    if let items {
      var path = try FieldPath(parsing: items)
      path.isFromDocument = true
      guard path.canSelectItems else {
        throw OffersError(
          .invalidRequest, FieldPath.itemsRefusal(items), hint: FieldPath.itemsHint)
      }
      self.items = path
    }
    if let every { everySeconds = try IntervalText.seconds(parsing: every) }
    for assignment in map { try take(assignment) }
  }

  private mutating func take(_ assignment: String) throws {
    guard let equals = assignment.firstIndex(of: "=") else {
      throw OffersError(
        .invalidRequest, "“\(assignment)” has no equals sign.",
        hint: "Write a field, an equals sign and a path, as in name=title.")
    }
    let field = String(assignment[..<equals])
    let text = String(assignment[assignment.index(after: equals)...])
    let value: ValueRule =
      text.contains("{")
      ? .template(try Template(parsing: text, for: .item)) : .path(try FieldPath(parsing: text))
    if field == "id" {
      id = FieldRule(value)
    } else if let known = OfferField(definitionName: field) {
      fields[known] = value
      if known == .reward { valueRole = ValueRole(rawValue: field) }
    } else {
      let names = ["id"] + OfferField.definitionNames
      throw OffersError(
        .invalidRequest, "“\(field)” is not a field.",
        hint: NearestWord.hint(for: field, among: names, title: "Fields"))
    }
  }

  /// Whether the options suffice without a guess from the document.
  package var isComplete: Bool { items != nil && id != nil && fields[.name] != nil }

  /// Returns the definition. Values that no option sets come from the proposal, unless the options
  /// name other items.
  ///
  /// A field whose path is that of the proposal is read in the same way. For another path the
  /// values in the sample decide, so that texts with HTML markup are read as HTML. An attribute of
  /// the proposal is removed if its path is used for a field.
  ///
  /// - Parameters:
  ///   - source: the feed's source.
  ///   - proposal: the guessed definition; nil for none.
  /// - Throws: `OffersError` with `invalidRequest` when the id or the name is missing.
  package func definition(
    source: Template, over proposal: DefinitionGuess.Proposal? = nil
  ) throws -> FeedDefinition {
    // A proposal for other items than the given ones does not apply.
    let guessed = proposal?.definition
    let fits = items == nil || guessed?.items.contains { $0.steps == items?.steps } == true
    let base = fits ? guessed : nil
    guard let id = id.map(IDRule.value) ?? base?.id, fields[.name] != nil || base != nil else {
      throw Self.missingProblem(missing)
    }
    var definition = base ?? FeedDefinition(name: name, id: id, fields: [:])
    definition.name = name
    definition.id = id
    // A proposal's source has the parameters of its pages.
    definition.source = base?.source ?? source
    for (field, value) in fields {
      definition.fields[field] = FieldRule(alternatives: [
        Self.alternative(value, for: field, in: base, fits ? proposal?.fields : nil)
      ])
      definition.attributes.removeAll { $0.rule.alternatives.allSatisfy { $0.value == value } }
    }
    if let valueRole { definition.presentation.valueRole = valueRole }
    if let format { definition.format = format }
    if let items { definition.items = [items] }
    if let everySeconds { definition.everySeconds = everySeconds }
    return definition
  }

  /// The required values, `id` and `name`, that were not set.
  package var missing: [String] {
    (id == nil ? ["id"] : []) + (fields[.name] == nil ? ["name"] : [])
  }

  /// Returns the error about required values that no option sets, and no proposal has.
  ///
  /// - Parameters:
  ///   - missing: `id`, `name` or both; an empty list means both.
  ///   - keys: the keys of the items, which the hint lists.
  static func missingProblem(_ missing: [String], keys: [String] = []) -> OffersError {
    let what =
      missing.count == 1
      ? "value is the \(missing[0])" : "values are the id and the name"
    let fields = missing.isEmpty ? ["id", "name"] : missing
    return OffersError(
      .invalidRequest, "It is not known which \(what) of an offer.",
      hint: Hint(
        (keys.isEmpty ? "" : NearestWord.list(keys, title: "Its keys") + " ") + "Say so.",
        command: "--map " + fields.map { "\($0)=…" }.joined(separator: " ")))
  }

  /// Returns how a field reads a value: as the same field of the proposal if that has the value,
  /// otherwise as the values in the sample suggest.
  private static func alternative(
    _ value: ValueRule, for field: OfferField, in base: FeedDefinition?, _ sample: FieldGuess?
  ) -> FieldRule.Alternative {
    let own = base?.fields[field]?.alternatives.first { $0.value == value }
    if let own { return own }
    guard case .path(let path) = value else {
      return FieldRule.Alternative(value, reading: field.defaultReading)
    }
    var alternative =
      sample?.alternative(at: path, for: field)
      ?? FieldRule.Alternative(value, reading: field.defaultReading)
    guard field.defaultReading == .text, alternative.reading == .text else { return alternative }
    // Nothing is known of the values of a well-known kind, such as RSS. Its definition may read the
    // value in another field or attribute, as HTML for example; then this field reads it in the same
    // way.
    let rules = (base.map { Array($0.fields.values) + $0.attributes.map(\.rule) }) ?? []
    let known = rules.flatMap(\.alternatives).first { $0.value == value && $0.reading != .text }
    if let known, field.readings.contains(known.reading) { alternative.reading = known.reading }
    return alternative
  }
}

extension RequestHeader {
  /// The headers of options on the command line.
  ///
  /// - Parameters:
  ///   - lines: headers such as `X-Api-Key: {env:KEY}`.
  ///   - user: a user for Basic authentication (RFC 7617), such as `ann` or `ann:{env:PASSWORD}`; nil for none.
  ///   - feed: the name of the feed, after which the variable with the password is named by default.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid header, a duplicate, and a secret that is written
  ///   out. No message repeats a value.
  package static func parse(_ lines: [String], user: String?, of feed: String) throws
    -> [RequestHeader]
  {
    var names: Set<String> = []
    var headers: [RequestHeader] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else {
        throw OffersError(
          .invalidRequest, "A header has no colon.", hint: "Write it as 'X-Api-Key: {env:KEY}'.")
      }
      let name = String(line[..<colon]).trimmed()
      let text = String(line[line.index(after: colon)...]).trimmed()
      try HeaderSection.check(name, isNewIn: &names)
      guard !text.isEmpty else {
        throw OffersError(.invalidRequest, "The header \(name) has no value.")
      }
      let header = try HeaderSection.header(name, text)
      guard header.hasVariable || !isSecret(name) else {
        throw OffersError(
          .invalidRequest, "The value of \(name) would be stored, and visible in the definition.",
          hint: Hint(
            "Put it into an environment variable, and name that.",
            command: "--header '\(name): {env:NAME}'"))
      }
      headers.append(header)
    }
    if let user {
      try HeaderSection.check("Authorization", isNewIn: &names)
      headers.append(try basic(user, of: feed))
    }
    return headers
  }

  private static func basic(_ user: String, of feed: String) throws -> RequestHeader {
    let variable = feed.uppercased().replacing(bytes: "-", with: "_") + "_PASSWORD"
    let (name, password) =
      user.firstIndex(of: ":").map { (user[..<$0], user[user.index(after: $0)...]) }
      ?? (user[...], "{env:\(variable)}")
    let header = try HeaderSection.header("Authorization", "Basic \(name):\(password)")
    guard !name.isEmpty, header.hasVariable else {
      throw OffersError(
        .invalidRequest,
        name.isEmpty
          ? "The user has no name." : "A password in a command would be visible to everybody.",
        hint: Hint(
          "Put it into an environment variable, and name that.",
          command: "--user 'NAME:{env:PASSWORD}'"))
    }
    return header
  }

  private var hasVariable: Bool {
    value.parts.contains { if case .environment = $0 { true } else { false } }
  }

  private static func isSecret(_ name: String) -> Bool {
    let words = ["auth", "cookie", "key", "token", "secret", "password", "session"]
    return words.contains { name.lowercased().contains($0) }
  }
}
