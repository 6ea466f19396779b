/// The reward of an offer: the printed text and, if it can be parsed exactly, its value.
public struct Reward: Hashable, Sendable, Codable {
  /// An exact value. It is never rounded, guessed, or kept as a floating-point number.
  public enum Value: Hashable, Sendable, Codable {
    /// An amount in minor units, such as cents, with an ISO 4217 currency code. The currency is nil
    /// if neither the feed nor its definition names it; the amount is then in hundredths.
    case amount(minorUnits: Int64, currency: String?)
    /// A percentage in hundredths of a percent: 5 % is 500, 2.5 % is 250.
    case percent(hundredths: Int64)
  }

  /// The kinds of rewards, as JSON and the database name them.
  package enum Kind: String, Sendable, CaseIterable {
    /// An amount of money.
    case amount
    /// A percentage.
    case percent
    /// Only the printed text is known.
    case text
  }

  /// The text as the feed prints it, such as `$0.75 Cash Back`.
  public let text: String
  /// The exact value; nil when the text is ambiguous or has none.
  public let value: Value?
  /// Whether the value is an upper bound ("Up to 5% back").
  public let isUpTo: Bool

  /// Creates a reward of its parts; the properties describe them.
  public init(text: String, value: Value? = nil, isUpTo: Bool = false) {
    self.text = text
    self.value = value
    self.isUpTo = isUpTo
  }

  /// Whether the exact value is an amount or a percentage; nil without an exact value.
  package var kind: Kind {
    switch value {
    case .amount: .amount
    case .percent: .percent
    case nil: .text
    }
  }

  /// The amount in minor units; nil for other kinds.
  public var minorUnits: Int64? {
    if case .amount(let units, _) = value { units } else { nil }
  }

  /// The ISO 4217 currency code of an amount; nil if it is unknown, and for other kinds.
  public var currency: String? {
    if case .amount(_, let code) = value { code } else { nil }
  }

  /// The percentage in hundredths of a percent; nil for other kinds.
  public var percentHundredths: Int64? {
    if case .percent(let hundredths) = value { hundredths } else { nil }
  }
}

/// The meaning of an offer's value for the user.
///
/// Both kinds of values are stored in `Offer.reward`. Which one a feed has is stated by its
/// definition (`KnownFeed.presentation`), and kept with the feed (`FeedRepository.fetchPresentations()`).
package enum ValueRole: String, Sendable, Hashable, CaseIterable {
  /// The offer pays the user, such as cash back or a discount.
  case reward
  /// The user pays the value.
  case price
}

extension Reward {
  /// The code of an amount's currency as a store keeps it, where each amount has one; nil for other
  /// kinds.
  package var storedCurrency: String? { value?.storedCurrency }
}

extension Reward.Value {
  /// An amount whose currency has the code that a store keeps.
  package static func amount(minorUnits: Int64, storedCurrency: String) -> Self {
    .amount(
      minorUnits: minorUnits, currency: storedCurrency == unknownCurrency ? nil : storedCurrency)
  }

  /// The code that is stored for an amount whose currency is unknown, because the constraints of the stores and
  /// the format of exports require a code for each amount. The three letters are the code that ISO 4217 assigns to
  /// transactions without a currency, and no placeholder.
  private static let unknownCurrency = "XXX"

  /// The code of an amount's currency as a store keeps it, where each amount has one; nil for other
  /// kinds.
  package var storedCurrency: String? {
    if case .amount(_, let currency) = self { currency ?? Self.unknownCurrency } else { nil }
  }
}
