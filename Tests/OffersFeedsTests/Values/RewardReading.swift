import OffersCore
import OffersFeeds

/// Parses rewards and formats the result: `text`, `75 USD` in minor units, or `250 %` in
/// hundredths.
enum RewardReading {
  /// Parses a text of a feed as a sync does; an amount without a currency is `500 XXX`.
  static func parse(_ text: String, currency: String? = "USD", role: ValueRole = .reward) -> String
  {
    let parser = RewardParser(feedCurrency: currency, role: role)
    var text = text
    return formatted(text.withUTF8 { parser.parse(UnsafeRawBufferPointer($0)) })
  }

  static func formatted(_ reward: ExactReward) -> String {
    let mark = reward.isUpTo ? "up to " : ""
    let (a, b, c) = reward.currency
    switch reward.kind {
    case ExactReward.amount:
      return "\(mark)\(reward.number) \(String(decoding: [a, b, c], as: UTF8.self))"
    case ExactReward.percent: return "\(mark)\(reward.number) %"
    default: return mark + "text"
    }
  }
}
