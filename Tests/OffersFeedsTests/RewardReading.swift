import OffersCore
import OffersFeeds

/// Parses rewards and formats the result: `text`, `75 USD` in minor units, or `250 %` in
/// hundredths.
enum RewardReading {
  static func parse(_ text: String, currency: String? = "USD", bare: String? = nil) -> String {
    var text = text
    let parser = RewardParser(currency: currency, bareCurrency: bare)
    let reward = text.withUTF8 { parser.parse(UnsafeRawBufferPointer($0)) }
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
