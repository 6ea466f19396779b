import Foundation

/// Parses rewards, times and durations as users type them, and writes exact rewards. User interfaces
/// depend on this protocol instead of on the parsers.
package protocol FilterTextReader: Sendable {
  /// Parses `1.50` (an amount in any currency), `$1.50` (an amount in any dollars) or `1.50 EUR` (an amount in
  /// the currency of the sign or the ISO 4217 code) and `5%`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else, as do the other methods.
  func readRewardMinimum(_ text: String) throws -> OfferQuery.RewardMinimum

  /// Parses `20` (an amount in any currency), `$20` (one in any dollars) and `19.90 EUR`.
  func readPriceMaximum(_ text: String) throws -> OfferQuery.PriceMaximum

  /// Parses `30m`, `12h`, `7d`, `2w` (a duration before `now`), a day such as `2026-11-01`, and an
  /// ISO 8601 time.
  func readTime(_ text: String, now: Date) throws -> Date

  /// Parses `30m`, `12h`, `7d` and `2w` as a number of seconds.
  func readSeconds(_ text: String) throws -> Double

  /// An exact reward as `$1.25`, `1.25 CAD` or `2.5%`.
  func text(of value: Reward.Value) -> String
}
