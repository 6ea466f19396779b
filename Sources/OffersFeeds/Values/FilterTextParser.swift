import Foundation
import OffersCore

/// Parses the rewards, times and durations of the command line and of queries, and writes exact rewards.
package struct FilterTextParser: FilterTextReader {
  package init() {}

  package func readBound(
    _ text: String, of role: ValueRole, isLeast: Bool
  ) throws -> ValueBound {
    try ValueBound(parsing: text, of: role, isLeast: isLeast)
  }

  package func readTime(_ text: String, now: Date) throws -> Date {
    try PeriodStart.time(parsing: text, now: now)
  }

  package func readSeconds(_ text: String) throws -> Double {
    try PeriodStart.seconds(parsing: text)
  }

  package func text(of value: Reward.Value) -> String { Units.value(value) }
}

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
    case ExactReward.percent: self = .percent(hundredths: reward.number)
    case ExactReward.amount where Self.code(reward) == CurrencyCode.unknown.code:
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
    case ExactReward.amount:
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

  /// The bounds in the minor units of each currency, as in `ValueBound.anyAmount`.
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

extension ValueBound {
  /// Parses `1.50` or `1,50` (an amount in any currency), `$1.50` (an amount in any of the currencies that
  /// share the sign), an amount with the sign of one currency or an ISO 4217 code, such as `€1.50` or
  /// `1.50 EUR`, or, for a reward, a percentage, such as `5%`. The text is read like those that feeds print.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - role: the kind of value.
  ///   - isLeast: whether it is the least value or the most; nil for the least reward or the highest price.
  /// - Throws: `OffersError` with `invalidRequest` for a text without an exact value, and for one
  ///   with `up to`.
  package init(parsing text: String, of role: ValueRole, isLeast: Bool? = nil) throws {
    switch (EnteredValue(parsing: text), role) {
    case (.amount(let units, let currency), _):
      self = .amount(minorUnits: units, currency: currency)
    case (.open(let hundredths, let codes), _):
      // The yen has no decimals: at least 1.50 yen means at least 2, and at most 1.50 yen means at most 1.
      let (all, others) = EnteredValue.bounds(
        hundredths, in: codes, roundsUp: isLeast ?? (role == .reward))
      self = .anyAmount(minorUnits: all, others: others)
    case (.percent(let hundredths), .reward): self = .percent(hundredths: hundredths)
    case (_, .reward):
      throw OffersError(
        .invalidRequest, "“\(text)” is not a reward.",
        hint: "Write 1.50 for any currency, $1.50 for dollars, 1.50 EUR for euros, or 5%.")
    case (_, .price):
      throw OffersError(
        .invalidRequest, "“\(text)” is not a price.",
        hint: "Write 20 for any currency, $20 for dollars, or 19.90 EUR for euros.")
    }
  }
}
