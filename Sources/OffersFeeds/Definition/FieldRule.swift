import OffersCore

/// How one field gets its value: the first of the alternatives that the item has.
package struct FieldRule: Sendable, Hashable {
  /// One way to get the value.
  package struct Alternative: Sendable, Hashable {
    package var value: ValueRule
    package var reading: Reading
    /// What stands between the values where the path finds several.
    package var join: String
    /// Cuts the text after this many characters; nil for no bound.
    package var limitCharacters: Int?
    /// The currency of a reward; nil for the feed's.
    package var currency: CurrencyRule?
    /// That a number counts minor units, such as cents, and not whole ones; nil for whole ones.
    package var minorUnits: MinorUnitsRule?

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

  /// Never empty.
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
  /// The only key that the value is taken from; nil where there is more to it.
  var onlyKey: String? {
    guard alternatives.count == 1, case .path(let path)? = alternatives.first?.value,
      !path.isFromDocument, path.steps.count == 1, case .key(let key)? = path.steps.first
    else { return nil }
    return key
  }
}

/// A text about a whole feed, such as its title. Its paths start at the document's root.
package typealias TextRule = FieldRule

/// Where a value comes from.
package enum ValueRule: Sendable, Hashable {
  /// The value at a path.
  case path(FieldPath)
  /// A text with values in it; absent when one of them is.
  case template(Template)
  /// The same text for every item.
  case constant(String)
}

extension ValueRule {
  /// Whether nothing of it is from the item.
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

/// How a value is read.
package enum Reading: String, Sendable, Hashable, CaseIterable {
  /// As it is printed.
  case text
  /// As HTML, of which only the text is kept.
  case html
  /// As a point in time.
  case date
  /// As an address, taken from the document's own where it is relative.
  case link
}

/// The currency of one reward.
package enum CurrencyRule: Sendable, Hashable {
  /// An ISO 4217 code.
  case constant(String)
  /// Where the code stands.
  case path(FieldPath)
}

/// How many decimals of an amount a number without them stands for.
///
/// Written `minor-units: true` or `minor-units: {from: PATH}` in the rule of a reward, so that
/// `1599` is kept as `15.99 GBP`.
package enum MinorUnitsRule: Sendable, Hashable {
  /// As many as its currency has by ISO 4217: 2 for the pound, none for the yen. A number whose
  /// currency is not known is left out, and a person is told.
  case currency
  /// As many as the number at this path says.
  case path(FieldPath)
}

extension OfferField {
  /// How the field's values are read when the definition does not say.
  package var defaultReading: Reading {
    switch self {
    case .startsAt, .expiresAt: .date
    case .imageURL, .url: .link
    default: .text
    }
  }

  /// How the field's values can be read, the default first.
  var readings: [Reading] {
    switch self {
    // HTML without its marks would make one of ids that differ in them.
    case .id: [.text, .link]
    case .startsAt, .expiresAt: [.date, .text]
    case .latitude, .longitude: [.text]
    case .imageURL, .url: [.link, .text, .html]
    case .reward: [.text, .html]
    default: Reading.allCases
    }
  }

  /// The field's name in a definition; nil for what is no field there.
  package var definitionName: String? {
    switch self {
    case .id, .attributes: nil
    case .imageURL: "image"
    case .url: "link"
    case .startsAt: "starts"
    case .expiresAt: "expires"
    default: name
    }
  }

  /// The field that a definition calls by this name.
  package init?(definitionName: String) {
    guard let field = Self.allCases.first(where: { $0.definitionName == definitionName }) else {
      return nil
    }
    self = field
  }
}
