import OffersCore

/// An amount that a person typed, or a percentage.
private enum EnteredValue {
  case amount(minorUnits: Int64, currency: String)
  /// An amount that does not tell its currency, in hundredths.
  ///
  /// - codes: the currencies that share its sign, and the unknown one; nil for an amount without a sign.
  case open(hundredths: Int64, codes: Set<String>?)
  case percent(hundredths: Int64)

  /// Returns nil for a text without an exact value, and for one with `up to`.
  init?(parsing text: String) {
    let reward = Self.parse(text, RewardParser(typedIn: nil))
    if reward.isUpTo { return nil }
    switch reward.kind {
    case OfferRecord.percent: self = .percent(hundredths: reward.number)
    case OfferRecord.amount where Self.code(reward) == CurrencyCode.unknown.code:
      var sharing = CurrencyCode.all.filter {
        Self.code(Self.parse(text, RewardParser(typedIn: $0))) == $0.code
      }
      // An amount with decimals is not read as one in a currency without them.
      let signs = Set(sharing.map(\.sign))
      if let sign = signs.first, signs.count == 1, sign != .none {
        sharing += CurrencyCode.all.filter { $0.unitDigits == 0 && $0.sign == sign }
      }
      self = .open(
        hundredths: reward.number,
        codes: sharing.isEmpty ? nil : Set((sharing + [.unknown]).map(\.code)))
    case OfferRecord.amount:
      self = .amount(minorUnits: reward.number, currency: Self.code(reward))
    default: return nil
    }
  }

  private static func parse(_ text: String, _ parser: RewardParser) -> ExactReward {
    var copy = text
    return copy.withUTF8 { parser.parse(UnsafeRawBufferPointer($0)) }
  }

  private static func code(_ reward: ExactReward) -> String {
    let letters = [reward.currency.0, reward.currency.1, reward.currency.2]
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bounds in the minor units of each currency, as in `OfferQuery.PriceMaximum.anyAmount`.
  ///
  /// - Parameters:
  ///   - hundredths: the amount.
  ///   - codes: the currencies; nil for all.
  ///   - roundsUp: whether a fraction of a unit without decimals counts as a whole one.
  static func bounds(
    _ hundredths: Int64, in codes: Set<String>?, roundsUp: Bool
  ) -> (all: Int64?, others: [String: Int64]) {
    var others: [String: Int64] = [:]
    for code in codes ?? [] { others[code] = hundredths }
    for (code, digits) in CurrencyCode.withOtherUnits where codes?.contains(code) ?? true {
      let (units, isTooLarge) = hundredths.multipliedReportingOverflow(by: digits == 3 ? 10 : 100)
      others[code] =
        digits < 2
        ? hundredths / 100 + (roundsUp && hundredths % 100 > 0 ? 1 : 0)
        : isTooLarge ? .max : units
    }
    return (codes == nil ? hundredths : nil, others)
  }
}

extension OfferQuery.RewardMinimum {
  /// Parses `1.50` or `1,50` (an amount in any currency), `$1.50` (an amount in any of the currencies that
  /// share the sign), an amount with the sign of one currency or an ISO 4217 code, such as `€1.50` or
  /// `1.50 EUR`, or a percentage, such as `5%`. The text is read like those that feeds print.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text without an exact value, and for one
  ///   with `up to`.
  package init(parsing text: String) throws {
    switch EnteredValue(parsing: text) {
    case .amount(let units, let currency): self = .amount(minorUnits: units, currency: currency)
    case .open(let hundredths, let codes):
      // At least 1.50 yen means at least 2 yen, since the yen has no decimals.
      let (all, others) = EnteredValue.bounds(hundredths, in: codes, roundsUp: true)
      self = .anyAmount(minorUnits: all, others: others)
    case .percent(let hundredths): self = .percent(hundredths: hundredths)
    case nil:
      throw OffersError(
        .invalidRequest, "“\(text)” is not a reward.",
        hint: "Write 1.50 for any currency, $1.50 for dollars, 1.50 EUR for euros, or 5%.")
    }
  }
}

extension OfferQuery.PriceMaximum {
  /// Parses an amount as `OfferQuery.RewardMinimum` does.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for any other text.
  package init(parsing text: String) throws {
    switch EnteredValue(parsing: text) {
    case .amount(let units, let currency): self = .amount(minorUnits: units, currency: currency)
    case .open(let hundredths, let codes):
      // At most 1.50 yen means at most 1 yen.
      let (all, others) = EnteredValue.bounds(hundredths, in: codes, roundsUp: false)
      self = .anyAmount(minorUnits: all, others: others)
    case .percent, nil:
      throw OffersError(
        .invalidRequest, "“\(text)” is not a price.",
        hint: "Write 20 for any currency, $20 for dollars, or 19.90 EUR for euros.")
    }
  }
}
