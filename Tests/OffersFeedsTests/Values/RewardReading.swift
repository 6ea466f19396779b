import OffersCore
import OffersFeeds

/// Parses rewards and formats the result: `text`, `75 USD` in minor units, or `250 %` in
/// hundredths.
enum RewardReading {
  static func parse(_ text: String, currency: String? = "USD", bare: String? = nil) -> String {
    parse(text, RewardParser(currency: currency, bareCurrency: bare))
  }

  /// Parses a text of a feed as a sync does; an amount without a currency is `500 XXX`.
  static func parse(_ text: String, ofFeedIn currency: String?) -> String {
    parse(text, RewardParser(feedCurrency: currency))
  }

  private static func parse(_ text: String, _ parser: RewardParser) -> String {
    var text = text
    return formatted(text.withUTF8 { parser.parse(UnsafeRawBufferPointer($0)) })
  }

  static func formatted(_ reward: ExactReward) -> String {
    let mark = reward.isUpTo ? "up to " : ""
    let (a, b, c) = reward.currency
    switch reward.kind {
    case OfferRecord.amount:
      return "\(mark)\(reward.number) \(String(decoding: [a, b, c], as: UTF8.self))"
    case OfferRecord.percent: return "\(mark)\(reward.number) %"
    default: return mark + "text"
    }
  }
}
