import OffersCore

extension OfferQuery.RewardMinimum {
  /// Parses `1.50` or `1,50` (an amount in any currency), an amount with a sign or an ISO 4217 code,
  /// such as `$1.50` (US dollars) or `1.50 EUR` (euros), or a percentage, such as `5%`. The text is
  /// read like those that feeds print.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text without an exact value, and for one
  ///   with `up to`.
  package init(parsing text: String) throws {
    var copy = text
    let reward = copy.withUTF8 { RewardParser.typed.parse(UnsafeRawBufferPointer($0)) }
    let letters = [reward.currency.0, reward.currency.1, reward.currency.2]
    let currency = String(decoding: letters, as: UTF8.self)
    switch reward.kind {
    case _ where reward.isUpTo: throw Self.refusal(text)
    case OfferRecord.percent: self = .percent(hundredths: reward.number)
    case OfferRecord.amount where CurrencyCode(currency) == nil:
      self = Self.anyAmount(hundredths: reward.number)
    case OfferRecord.amount: self = .amount(minorUnits: reward.number, currency: currency)
    default: throw Self.refusal(text)
    }
  }

  private static func refusal(_ text: String) -> OffersError {
    OffersError(
      .invalidRequest, "“\(text)” is not a reward.",
      hint: "Write 1.50 for any currency, $1.50 or 1.50 EUR for one, or 5%.")
  }

  private static func anyAmount(hundredths: Int64) -> Self {
    var others: [String: Int64] = [:]
    for (code, digits) in CurrencyCode.withOtherUnits {
      if digits < 2 {
        // At least 1.50 yen means at least 2 yen, since the yen has no decimals.
        others[code] = hundredths / 100 + (hundredths % 100 > 0 ? 1 : 0)
      } else {
        let (units, isTooLarge) = hundredths.multipliedReportingOverflow(
          by: digits == 3 ? 10 : 100)
        others[code] = isTooLarge ? .max : units
      }
    }
    return .anyAmount(minorUnits: hundredths, others: others)
  }
}

extension OfferQuery.PriceMaximum {
  /// Parses `20` (an amount in any currency), or an amount with a sign or an ISO 4217 code, such as
  /// `$20` (US dollars) or `19.90 EUR` (euros).
  ///
  /// - Throws: `OffersError` with `invalidRequest` for any other text.
  package init(parsing text: String) throws {
    switch try? OfferQuery.RewardMinimum(parsing: text) {
    case .amount(let units, let currency): self = .amount(minorUnits: units, currency: currency)
    case .anyAmount(let hundredths, _):
      var others: [String: Int64] = [:]
      for (code, digits) in CurrencyCode.withOtherUnits {
        // At most 1.50 yen means at most 1 yen, since the yen has no decimals.
        let (units, isTooLarge) = hundredths.multipliedReportingOverflow(
          by: digits == 3 ? 10 : 100)
        others[code] = digits < 2 ? hundredths / 100 : isTooLarge ? .max : units
      }
      self = .anyAmount(minorUnits: hundredths, others: others)
    case .percent, nil:
      throw OffersError(
        .invalidRequest, "“\(text)” is not a price.",
        hint: "Write 20 for any currency, or $20 or 19.90 EUR for one.")
    }
  }
}
