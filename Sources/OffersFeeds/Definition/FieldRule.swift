import OffersCore

/// How a field gets its value: from the first alternative that the item has.
package struct FieldRule: Sendable, Hashable {
  /// One way to get the value of the field.
  package struct Alternative: Sendable, Hashable {
    package var value: ValueRule
    package var reading: Reading
    /// The separator between the values when the path finds several.
    package var join: String
    /// The largest number of characters, after which the text is cut; nil for no limit.
    package var limitCharacters: Int?
    /// The currency of a reward that is a bare number; nil for that of the feed.
    package var currency: CurrencyRule?
    /// The rule for the number of decimals of an amount in minor units, such as cents; nil for
    /// amounts in major units.
    package var minorUnits: MinorUnitsRule?
    /// The path of a value that says whether the amount is a percentage, such as `percent`, `%` or `true`, or
    /// in minor units, such as `cents`; nil for an amount of money. An amount beside such a value is a
    /// discount, so that a minus before it says nothing.
    package var percent: FieldPath?
    /// The dates outside which a price does not count; nil for a price that always counts.
    package var sale: SaleDatesRule?

    package init(
      _ value: ValueRule, reading: Reading = .text, join: String = defaultJoin,
      limitCharacters: Int? = nil, currency: CurrencyRule? = nil,
      minorUnits: MinorUnitsRule? = nil
    ) {
      self.value = value
      self.reading = reading
      self.join = join
      self.limitCharacters = limitCharacters
      self.currency = currency
      self.minorUnits = minorUnits
    }

    package static let defaultJoin = ", "
  }

  /// The alternatives in order of preference; never empty.
  package var alternatives: [Alternative]

  package init(alternatives: [Alternative]) {
    self.alternatives = alternatives
  }

  /// A rule with one alternative.
  package init(_ value: ValueRule, reading: Reading = .text) {
    alternatives = [Alternative(value, reading: reading)]
  }
}

extension FieldRule {
  /// The key that the value comes from, if it comes from a single key of the item; otherwise nil.
  var onlyKey: String? {
    guard alternatives.count == 1, case .path(let path)? = alternatives.first?.value,
      !path.isFromDocument, path.steps.count == 1, case .key(let key)? = path.steps.first
    else { return nil }
    return key
  }
}

extension FieldRule {
  /// Whether all alternatives come from the document.
  var isFromDocument: Bool { alternatives.allSatisfy(\.value.isFromDocument) }
}

/// A text about a whole feed, such as its title. Its paths start at the document's root.
package typealias TextRule = FieldRule

/// The source of a value.
package enum ValueRule: Sendable, Hashable {
  /// The value at a path.
  case path(FieldPath)
  /// A text with values in it; absent when one of the values is.
  case template(Template)
  /// The same text for every item.
  case constant(String)
}

extension ValueRule {
  /// Whether the value comes from the document alone, and not from the item; false for a constant.
  var isFromDocument: Bool {
    switch self {
    case .path(let path): return path.isFromDocument
    case .constant: return false
    case .template(let template):
      return !template.parts.contains { part in
        if case .path(let path) = part { !path.isFromDocument } else { false }
      }
    }
  }
}

/// The type that a value is read as.
package enum Reading: String, Sendable, Hashable, CaseIterable {
  /// Plain text.
  case text
  /// HTML, of which only the text is kept.
  case html
  /// A day or a point in time.
  case date
  /// A URL; a relative one is resolved against the document's URL.
  case link
  /// HTML, of which the address of the first picture is kept.
  case image
}

extension Reading {
  /// The types that any value can be read as.
  static let general: [Reading] = [.text, .html, .date, .link]
}

/// The currency of one reward.
package enum CurrencyRule: Sendable, Hashable {
  /// An ISO 4217 code.
  case constant(String)
  /// The path of the code.
  case path(FieldPath)
}

/// The dates of a sale: its price is an offer's price from the first until the last of them.
package enum SaleDatesRule: Sendable, Hashable {
  /// The path of both dates with a slash between them, as ISO 8601 writes an interval.
  case range(FieldPath)
  /// The paths of the dates, at least one.
  case bounds(from: FieldPath?, until: FieldPath?)

  var paths: [FieldPath] {
    switch self {
    case .range(let path): [path]
    case .bounds(let from, let until): [from, until].compactMap(\.self)
    }
  }
}

/// The number of decimals of an amount that is written as a whole number of minor units.
///
/// Written `minor-units: true` or `minor-units: {from: PATH}` in the rule of a reward, so that
/// `1599` is read as `15.99 GBP`.
package enum MinorUnitsRule: Sendable, Hashable {
  /// The number of decimals that ISO 4217 gives the amount's currency: 2 for the pound, 0 for the
  /// yen. An amount whose currency is unknown is left out and reported.
  case currency
  /// The number of decimals at this path.
  case path(FieldPath)
}

/// A word beside an amount that says whether it is a percentage or money, as in `discount_type`.
enum PercentWord {
  /// Whether a value says that the amount is a percentage.
  static func isPercent(_ text: String) -> Bool {
    let word = text.lowercased().filter { !$0.isWhitespace }
    if ["true", "1", "y", "yes", "p", "relative"].contains(word) { return true }
    return !word.hasPrefix("no") && !word.hasPrefix("fixed")
      && ["percent", "prozent", "porcent", "porciento", "pourcent", "pct", "%", "procent", "百分"]
        .contains { word.contains($0) }
  }

  /// Whether a value says that the amount is money.
  static func isMoney(_ text: String) -> Bool {
    let word = text.trimmed().lowercased()
    return ["false", "0", "n", "no"].contains(word) || isMinor(word) || isCurrency(text)
      || [
        "fixed", "amount", "flat", "absolute", "money", "cash", "dollar", "value", "betrag", "fix",
      ]
      .contains { word.contains($0) }
  }

  /// Whether a value says that the amount is money in minor units, such as cents.
  static func isMinor(_ text: String) -> Bool {
    FieldNames.minorWords.contains(text.trimmed().lowercased())
  }

  /// Whether a value is the sign or code of a currency; a code that is a word as well, such as `cup`, only in
  /// capitals.
  static func isCurrency(_ text: String) -> Bool {
    let word = text.trimmed()
    let signs = [
      "$", "€", "£", "¥", "₹", "₽", "₴", "₺", "₩", "₪", "฿", "₫", "zł", "kr", "Kč", "R$",
    ]
    if signs.contains(word) { return true }
    guard let code = CurrencyCode(word.uppercased()) else { return false }
    return !code.isWord || word == word.uppercased()
  }
}

extension OfferField {
  /// The type that the field's values are read as when the definition does not say.
  package var defaultReading: Reading {
    switch self {
    case .startsAt, .expiresAt: .date
    case .imageURL, .url: .link
    default: .text
    }
  }

  /// The types that the field's values can be read as, the default first.
  var readings: [Reading] {
    switch self {
    // An id cannot be read as HTML, because without the tags different ids could be equal.
    case .id: [.text, .link]
    case .startsAt, .expiresAt: [.date, .text]
    case .latitude, .longitude: [.text]
    case .imageURL: [.link, .text, .html, .image]
    case .url: [.link, .text, .html]
    case .reward: [.text, .html]
    default: Reading.general
    }
  }

  /// The field's name in a definition; nil for a field that is not written below `fields:`.
  ///
  /// - Parameter role: what the value means, which is stored as the field `reward` in any case.
  package func definitionName(_ role: ValueRole = .reward) -> String? {
    switch self {
    case .id, .attributes: nil
    case .imageURL: "image"
    case .url: "link"
    case .startsAt: "starts"
    case .expiresAt: "expires"
    case .reward: role.rawValue
    default: name
    }
  }

  /// The names of all fields in a definition.
  package static var definitionNames: [String] {
    allCases.flatMap { field in
      field == .reward
        ? ValueRole.allCases.map(\.rawValue) : [field.definitionName()].compactMap(\.self)
    }
  }

  /// The field that has this name in a definition; nil for another name.
  package init?(definitionName: String) {
    let field = Self.allCases.first { field in
      field.definitionName() == definitionName
        || field == .reward && definitionName == ValueRole.price.rawValue
    }
    guard let field else { return nil }
    self = field
  }
}

extension FieldRule {
  /// Where the value comes from, in words for people: `title`, or `summary or body`.
  package var places: String {
    alternatives.map { alternative in
      switch alternative.value {
      case .path(let path): path.description
      case .template(let template): template.description
      case .constant(let text): "“\(text)”"
      }
    }.joined(separator: " or ")
  }
}

extension IDRule {
  /// Where the identity comes from, in words for people: `sku`, or `name and city`.
  package var places: String {
    switch self {
    case .value(let rule): rule.places
    case .valueOrMade(let rule, let paths): rule.places + " or " + Self.madeFrom(paths).places
    case .madeFrom(let paths): paths.map(\.description).joined(separator: " and ")
    }
  }
}
