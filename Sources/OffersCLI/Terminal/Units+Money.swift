import OffersCore
import OffersFeeds

extension Units {
  /// An exact value: `$1.25`, `1.25 CAD`, `2.5%`.
  static func value(_ value: Reward.Value) -> String {
    switch value {
    case .percent(let hundredths): JSONWriter.decimal(hundredths: hundredths) + "%"
    case .amount(let units, let currency): money(units, currency)
    }
  }

  private static func money(_ units: Int64, _ currency: String) -> String {
    let places = CurrencyCode(currency)?.unitDigits ?? 2
    var digits = String(units.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    var text = count(Int(digits.dropLast(places)) ?? 0)
    if places > 0 { text += "." + digits.suffix(places) }
    let minus = units < 0 ? "-" : ""
    let signs = ["USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"]
    // Several currencies share a symbol; only the one that it commonly means gets it.
    return signs[currency].map { minus + $0 + text } ?? "\(minus)\(text) \(currency)"
  }
}
