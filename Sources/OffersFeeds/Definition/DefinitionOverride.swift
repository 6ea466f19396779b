import OffersCore

/// A definition that is made on the command line, over one that was guessed.
package struct DefinitionOverride {
  private let name: String
  private var format: FeedFormat?
  package private(set) var items: FieldPath?
  private var everySeconds: Int?
  private var id: FieldRule?
  private var fields: [OfferField: ValueRule] = [:]

  package init(name: String) {
    self.name = name
  }

  /// Takes what was said.
  ///
  /// - Parameter map: `FIELD=PATH` each; a path may be a template.
  /// - Throws: `OffersError` with `invalidRequest` for what is no format, path, field or time.
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
    } else {
      let names = ["id"] + OfferField.allCases.compactMap(\.definitionName)
      throw OffersError(
        .invalidRequest, "“\(field)” is not a field.",
        hint: NearestWord.hint(for: field, among: names, title: "Fields"))
    }
  }

  /// Whether it needs nothing from the document.
  package var isComplete: Bool { items != nil && id != nil && fields[.name] != nil }

  /// The definition, with what was not said from a proposal.
  ///
  /// A path is read as it is in the proposal, and else as its values in the sample look: a text
  /// with HTML in it as HTML. What became a field is no attribute any more.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when there is no id or no name.
  package func definition(
    source: Template, over proposal: DefinitionGuess.Proposal? = nil
  ) throws -> FeedDefinition {
    // What was guessed for other items says nothing about these.
    let guessed = proposal?.definition
    let fits = items == nil || guessed?.items.contains { $0.steps == items?.steps } == true
    let base = fits ? guessed : nil
    guard let id = id.map(IDRule.value) ?? base?.id, fields[.name] != nil || base != nil else {
      throw Self.missingProblem(missing)
    }
    var definition = base ?? FeedDefinition(name: name, id: id, fields: [:])
    definition.name = name
    definition.id = id
    definition.source = source
    for (field, value) in fields {
      definition.fields[field] = FieldRule(alternatives: [
        Self.alternative(value, for: field, in: base, fits ? proposal?.judgement : nil)
      ])
      definition.attributes.removeAll { $0.rule.alternatives.allSatisfy { $0.value == value } }
    }
    if let format { definition.format = format }
    if let items { definition.items = [items] }
    if let everySeconds { definition.everySeconds = everySeconds }
    return definition
  }

  /// Which of the two that an offer must have were not said.
  package var missing: [String] {
    (id == nil ? ["id"] : []) + (fields[.name] == nil ? ["name"] : [])
  }

  /// - Parameter keys: what the items have.
  static func missingProblem(_ missing: [String], keys: [String] = []) -> OffersError {
    let what =
      missing.count == 1
      ? "value is the \(missing[0])" : "values are the id and the name"
    let example = (missing.isEmpty ? ["id", "name"] : missing).map { "\($0)=…" }
    let hint = "Say so with --map \(example.joined(separator: " "))."
    return OffersError(
      .invalidRequest, "It is not known which \(what) of an offer.",
      hint: keys.isEmpty ? hint : "\(hint) \(NearestWord.list(keys, title: "Its keys"))")
  }

  /// How a field takes a value: as the proposal does, and else as the sample suggests.
  private static func alternative(
    _ value: ValueRule, for field: OfferField, in base: FeedDefinition?,
    _ judgement: SampleJudgement?
  ) -> FieldRule.Alternative {
    let own = base?.fields[field]?.alternatives.first { $0.value == value }
    if let own { return own }
    guard case .path(let path) = value else {
      return FieldRule.Alternative(value, reading: field.defaultReading)
    }
    var alternative = (judgement ?? SampleJudgement()).alternative(at: path, for: field)
    guard field.defaultReading == .text, alternative.reading == .text else { return alternative }
    // A well-known kind has no survey, but says itself what is HTML.
    let rules = (base.map { Array($0.fields.values) + $0.attributes.map(\.rule) }) ?? []
    let known = rules.flatMap(\.alternatives).first { $0.value == value && $0.reading != .text }
    if let known, field.readings.contains(known.reading) { alternative.reading = known.reading }
    return alternative
  }
}
