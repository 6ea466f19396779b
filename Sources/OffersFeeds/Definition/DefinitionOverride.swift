import OffersCore

/// A definition that is made on the command line, over one that was guessed.
package struct DefinitionOverride {
  private let name: String
  private var format: FeedFormat?
  package private(set) var items: FieldPath?
  private var everySeconds: Int?
  private var id: FieldRule?
  private var fields: [OfferField: FieldRule] = [:]

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
          .invalidRequest, "“\(format)” is no format that is read.",
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
        .invalidRequest, "“\(assignment)” maps nothing.",
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
      fields[known] = FieldRule(value, reading: known.defaultReading)
    } else {
      let names = ["id"] + OfferField.allCases.compactMap(\.definitionName)
      throw OffersError(
        .invalidRequest, "“\(field)” is no field.",
        hint: NearestWord.hint(for: field, among: names, title: "Fields"))
    }
  }

  /// Whether it needs nothing from the document.
  package var isComplete: Bool { items != nil && id != nil && fields[.name] != nil }

  /// The definition, with what was not said from a proposal.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when there is no id or no name.
  package func definition(
    source: Template, over proposal: FeedDefinition? = nil
  ) throws -> FeedDefinition {
    // What was guessed for other items says nothing about these.
    let fits = items == nil || proposal?.items.contains { $0.steps == items?.steps } == true
    let base = fits ? proposal : nil
    guard let id = id.map(IDRule.value) ?? base?.id, fields[.name] != nil || base != nil else {
      throw OffersError(
        .invalidRequest, "It is not known which values are the id and the name of an offer.",
        hint: "Say so with --map id=… name=…")
    }
    var definition = base ?? FeedDefinition(name: name, id: id, fields: [:])
    definition.name = name
    definition.id = id
    definition.source = source
    definition.fields.merge(fields) { $1 }
    if let format { definition.format = format }
    if let items { definition.items = [items] }
    if let everySeconds { definition.everySeconds = everySeconds }
    return definition
  }
}
