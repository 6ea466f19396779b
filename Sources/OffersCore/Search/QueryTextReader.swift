import Foundation

/// Reads what people write for rewards, times and lengths of time, for a screen that does not know
/// how.
public protocol QueryTextReader: Sendable {
  /// Reads `1.50` (money of any currency), `$1.50` or `1.50 EUR` (money of that one) and `5%`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else; so do the others.
  func readRewardMinimum(_ text: String) throws -> OfferQuery.RewardMinimum

  /// Reads `30m`, `12h`, `7d`, `2w` (so long ago), a day such as `2026-11-01`, and a time in ISO 8601.
  func readTime(_ text: String, now: Date) throws -> Date

  /// Reads `30m`, `12h`, `7d` and `2w` as seconds.
  func readSeconds(_ text: String) throws -> Double
}
