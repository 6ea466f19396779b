import OffersCore

extension Units {
  /// The text of an exact reward, such as `$1.25`, `1.25 CAD` or `2.5%`.
  package static func value(_ value: Reward.Value) -> String {
    switch value {
    case .percent(let hundredths): JSONWriter.decimal(hundredths: hundredths) + "%"
    case .amount(let units, let currency): money(units, currency)
    }
  }

  private static func money(_ units: Int64, _ currency: String?) -> String {
    let places = currency.flatMap { CurrencyCode($0) }?.unitDigits ?? 2
    var digits = String(units.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    var text = count(Int(digits.dropLast(places)) ?? 0)
    if places > 0 { text += "." + digits.suffix(places) }
    let minus = units < 0 ? "-" : ""
    guard let currency else { return minus + text }
    let signs = ["USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"]
    // A sign such as `$` is shared by several currencies. It is printed for the one that it
    // commonly means; the others are printed with their codes.
    return signs[currency].map { minus + $0 + text } ?? "\(minus)\(text) \(currency)"
  }
}
