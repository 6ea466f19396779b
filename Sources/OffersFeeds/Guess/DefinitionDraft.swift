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

  /// The best way to read each member of the items.
  private(set) var judgement = ReadingGuess()
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
    judgement = ReadingGuess(survey, fields)
    let identity = try IdentityGuess(survey, ownKeys: found.ownKeys, fields: fields)
    idProblem = identity.problem
    if case .madeFrom(let parts) = identity.rule, parts.isEmpty { return nil }
    if fields.fields[.name] == nil { nameAnyway(&fields, identity) }
    var used = fields.usedKeys
    // An id that is a product code is shown as an attribute as well; other ids are not.
    if let member = identity.member, !member.words.words.contains(where: Self.shown.contains) {
      used.insert(member.keys)
    }
    used.formUnion(fields.otherMinorAmounts.map(\.keys))
    let isLines = format == .ndjson
    let definition = FeedDefinition(
      name: name, title: isLines ? nil : title(),
      presentation: FeedPresentation(valueRole: fields.valueRole), format: format,
      items: [FieldPath(isFromDocument: true, isLines ? [] : found.steps)],
      pages: isLines ? nil : nextPage.map { PageRule(next: .path($0)) },
      currency: currency(), id: identity.rule, fields: fields.fields,
      attributes: AttributeGuess.rules(survey, used: used, name: fields.chosen[.name]?.first))
    return (definition, fields.notes + notes(definition, fields, survey))
  }

  private static let shown: Set = [
    "code", "sku", "ean", "gtin", "upc", "mpn", "asin", "artikelnummer",
  ]

  private func nameAnyway(_ fields: inout FieldGuess, _ identity: IdentityGuess) {
    if found.ownKeys.isEmpty, let member = identity.member {
      fields.takeAsName(member)
    } else {
      fields.takeKeyAsName()
    }
  }

  private mutating func notes(
    _ definition: FeedDefinition, _ fields: FieldGuess, _ survey: MemberSurvey
  ) -> [String] {
    var notes: [String] = []
    if let reward = fields.chosen[.reward]?.first, definition.currency == nil,
      definition.fields[.reward]?.alternatives.first?.currency == nil
    {
      let isDollar = reward.samples.contains { $0.text.contains("$") }
      if isDollar || reward.isMostlyNumber && !isPercent(definition) {
        currencyNote = Self.currencyNote(
          likelyCurrency(survey), definition.presentation.valueRole)
      }
    }
    if fields.chosen[.reward] == nil,
      let price = survey.members.first(where: { $0.part(\.isPrinted) > 0.5 })
    {
      notes.append(
        "No member is called a price or reward; “\(price.path)” looks like one: "
          + "write price: \(price.path) if it is.")
    }
    let others = fields.leftOutPrices(definition.attributes).prefix(5).map { "“\($0.path)”" }
    if !others.isEmpty {
      notes.append(
        "Other prices were left out: \(others.joined(separator: ", ")). Write one of them below "
          + "fields: as price:, or below attributes:, to show it.")
    }
    if let image = fields.chosen[.imageURL]?.first,
      let sample = image.samples.first(where: {
        !$0.text.contains("://") && !$0.text.hasPrefix("//")
      })
    {
      notes.append(
        "The image addresses are relative, such as “\(sample.text.prefix(60))”, and "
          + (isOnWeb
            ? "count from the address of the feed. If the images are on another host, "
            : "a file has no address from which they count. To see the images, ")
          + "write image: https://HOST{\(image.path)}.")
    }
    if definition.pages == nil, let pages = pages() { notes.append(pages) }
    return notes
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

  /// The currency of the example in a note: that of the first of the signs €, £ and ₹ that occurs
  /// in the sample, otherwise USD.
  private func likelyCurrency(_ survey: MemberSurvey) -> String {
    let signs: [(sign: Character, code: String)] = [("€", "EUR"), ("£", "GBP"), ("₹", "INR")]
    for (sign, code) in signs {
      let isThere = survey.members.contains { member in
        member.samples.contains { $0.text.contains(sign) }
      }
      if isThere { return code }
    }
    return "USD"
  }

  /// The path of the next page's address; nil when there is none.
  private var nextPage: FieldPath? { PagesGuess(items: found.steps).findNext(in: root) }

  /// Returns a note when members of the root say that the document is one page of several.
  private func pages() -> String? {
    guard let object = objectsAround.first?.object else { return nil }
    for (key, value) in object.members {
      guard case .text(let text) = value else { continue }
      let name = KeyWords(key).joined
      let isCount = ["totalpages", "pagecount", "numpages", "lastpage"].contains(name)
      let isNext = ["next", "nextpage", "nexturl", "nextpageurl", "nextlink"].contains(name)
      if isCount && Int(text.text).map({ $0 > 1 }) == true || isNext {
        return "There are more pages (\(key) is \(text.text.prefix(60))); say how to get them in "
          + "pages:, or write selection: true if this page is enough."
      }
    }
    return nil
  }

  private func isPercent(_ definition: FeedDefinition) -> Bool {
    if case .template? = definition.fields[.reward]?.alternatives.first?.value {
      true
    } else {
      false
    }
  }

  // MARK: Values of the document

  /// The rule for the document's title; nil when it has none.
  private func title() -> TextRule? {
    for (object, steps) in objectsAround.reversed() {
      for key in Self.titleKeys.flatMap({ [$0, "@" + $0] }) {
        guard case .text(let text)? = object[key], !text.isNumber, text.sizeBytes <= 200,
          !ValueTraits(text).isAddress
        else { continue }
        return TextRule(.path(FieldPath(isFromDocument: true, steps + [.key(key)])))
      }
    }
    return nil
  }

  private static let titleKeys = [
    "title", "name", "titel", "titulo", "titre", "titolo", "headline",
  ]

  /// The currency that the document states for all its offers.
  private func currency() -> String? {
    for (object, _) in objectsAround {
      for (key, value) in object.members {
        let name = KeyWords(key).joined
        if FieldVocabulary.currencyNames.contains(name), case .text(let text) = value,
          CurrencyCode(text.text.uppercased()) != nil
        {
          return text.text.uppercased()
        }
      }
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
