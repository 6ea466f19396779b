import OffersCore

/// Composes a definition from the items that were found in a sample.
struct DefinitionDraft {
  private let found: SampleItems
  private let root: SampleValue
  private let format: FeedFormat
  private let name: String
  private let isOnWeb: Bool

  /// - Parameter isOnWeb: as for `DefinitionGuess`.
  init(
    _ found: SampleItems, in root: SampleValue, format: FeedFormat, name: String, isOnWeb: Bool
  ) {
    self.isOnWeb = isOnWeb
    self.found = found
    self.root = root
    self.format = format
    self.name = name
  }

  /// The members of the items, and the fields that they are; set by `made`.
  private(set) var fields: FieldGuess?
  /// The reason why no id can be proposed, even if the rest can; set by `made`.
  private(set) var idProblem: OffersError?
  /// The note about amounts whose currency is unknown; nil if there are none. Set by `made`.
  private(set) var currencyNote: String?

  /// Returns the definition and notes for the user, or nil when the items have no member that could
  /// be their name or distinguish them.
  ///
  /// - Throws: `CancellationError`.
  mutating func made() throws -> (FeedDefinition, notes: [String])? {
    let survey = try MemberSurvey(found.items)
    var fields = try FieldGuess(survey)
    self.fields = fields
    let identity = try IdentityGuess(survey, ownKeys: found.ownKeys, fields: fields)
    idProblem = identity.problem
    if case .madeFrom(let parts) = identity.rule, parts.isEmpty { return nil }
    if fields.fields[.name] == nil {
      fields.takeAsName(found.ownKeys.isEmpty ? identity.member : nil)
    }
    var used = fields.usedKeys
    // An id that is a product code is shown as an attribute as well; other ids are not.
    if let member = identity.member, !member.words.has(oneOf: Self.codes) {
      used.insert(member.keys)
    }
    used.formUnion(fields.otherMinorAmounts.map(\.keys))
    let isLines = format == .ndjson
    let next = isLines ? nil : PagesGuess.findNext(in: root, items: found.steps)
    let definition = FeedDefinition(
      name: name, title: isLines ? nil : title(),
      presentation: FeedPresentation(valueRole: fields.valueRole), format: format,
      items: [FieldPath(isFromDocument: true, isLines ? [] : found.steps)],
      pages: next.map { PageRule(next: .path($0)) },
      currency: currency(), id: identity.rule, fields: fields.fields,
      attributes: AttributeGuess.rules(survey, used: used, name: fields.chosen[.name]?.first))
    currencyNote = currencyNote(definition, fields)
    return (definition, fields.notes + notes(definition, fields))
  }

  private static let codes: Set = [
    "code", "sku", "ean", "gtin", "upc", "mpn", "asin", "artikelnummer",
  ]

  // MARK: Notes

  private func notes(_ definition: FeedDefinition, _ fields: FieldGuess) -> [String] {
    var notes: [String] = []
    if fields.chosen[.reward] == nil,
      let price = fields.survey.members.first(where: { $0.part(\.isPrinted) > 0.5 })
    {
      notes.append(
        "No member is called a price or reward; “\(price.path)” looks like one: "
          + "write price: \(price.path) if it is.")
    }
    let shown = definition.attributes.flatMap { $0.rule.alternatives.map(\.value) }
    let others = fields.survey.members.filter { member in
      FieldNames.isPrice(member.words) && member.part(\.isMoney) >= 0.5
        && !fields.usedKeys.contains(member.keys) && !shown.contains(.path(member.path))
    }.prefix(5).map { "“\($0.path)”" }
    if !others.isEmpty {
      notes.append(
        "Other prices were left out: \(others.joined(separator: ", ")). Write one of them below "
          + "fields: as price:, or below attributes:, to show it.")
    }
    if let image = fields.chosen[.imageURL]?.first,
      let sample = image.samples.first(where: { !$0.contains("://") && !$0.hasPrefix("//") })
    {
      notes.append(
        "The image addresses are relative, such as “\(sample.prefix(60))”, and "
          + (isOnWeb
            ? "count from the address of the feed. If the images are on another host, "
            : "a file has no address from which they count. To see the images, ")
          + "write image: https://HOST{\(image.path)}.")
    }
    if definition.pages == nil, let pages = PagesGuess.note(for: objectsAround.first?.object) {
      notes.append(pages)
    }
    return notes
  }

  private func currencyNote(_ definition: FeedDefinition, _ fields: FieldGuess) -> String? {
    guard let reward = fields.chosen[.reward]?.first, definition.currency == nil,
      let rule = definition.fields[.reward]?.alternatives.first, rule.currency == nil
    else { return nil }
    let isPercent = if case .template = rule.value { true } else { false }
    let isDollar = reward.samples.contains { $0.contains("$") }
    guard isDollar || reward.isMostlyNumber && !isPercent else { return nil }
    // The example is the currency of the first of these signs that occurs in the sample.
    let signs: [(sign: Character, code: String)] = [("€", "EUR"), ("£", "GBP"), ("₹", "INR")]
    let known = signs.first { sign, _ in
      fields.survey.members.contains { $0.samples.contains { $0.contains(sign) } }
    }
    return Self.currencyNote(known?.code ?? "USD", definition.presentation.valueRole)
  }

  /// The note for rewards or prices whose currency is unknown.
  ///
  /// - Parameters:
  ///   - code: the currency code in the example.
  ///   - role: what the values mean.
  static func currencyNote(_ code: String, _ role: ValueRole) -> String {
    "The currency of the \(role.rawValue)s is unknown: write currency: \(code), or another, in the "
      + "definition."
  }

  // MARK: Values of the document

  /// The rule for the document's title; nil when it has none.
  private func title() -> TextRule? {
    let names = ["title", "name", "titel", "titulo", "titre", "titolo", "headline"]
    for (object, steps) in objectsAround.reversed() {
      for key in names.flatMap({ [$0, "@" + $0] }) {
        guard case .text(let text)? = object[key], text.utf8.count <= 200,
          !ValueTraits(text).isAddress
        else { continue }
        return TextRule(.path(FieldPath(isFromDocument: true, steps + [.key(key)])))
      }
    }
    return nil
  }

  /// The currency that the document states for all its offers.
  private func currency() -> String? {
    for case (let key, .text(let text)) in objectsAround.flatMap(\.object.members)
    where FieldNames.currencies.contains(KeyWords(key).joined)
      && CurrencyCode(text.uppercased()) != nil
    {
      return text.uppercased()
    }
    return nil
  }

  /// The objects that contain the items, the root first.
  private var objectsAround: [(object: SampleObject, steps: [FieldPath.Step])] {
    var objects: [(object: SampleObject, steps: [FieldPath.Step])] = []
    var value = root
    for (position, step) in found.steps.enumerated() {
      guard case .object(let object) = value else { break }
      objects.append((object, Array(found.steps.prefix(position))))
      guard case .key(let key) = step, let next = object[key] else { break }
      value = next
    }
    return objects
  }
}
