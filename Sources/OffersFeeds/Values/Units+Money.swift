import OffersCore

extension Units {
  /// The text of an exact reward, such as `$1.25`, `1.25 CAD` or `2.5%`.
  package static func value(_ value: Reward.Value) -> String {
    switch value {
    case .percent(let hundredths): JSONWriter.decimal(hundredths: hundredths) + "%"
    case .amount(let units, let currency): money(units, currency)
    }
  }

  /// An amount as a plain decimal number, such as `1234.50`.
  package static func decimal(minorUnits units: Int64, _ currency: String?) -> String {
    let (whole, fraction) = digits(units, currency)
    return (units < 0 ? "-" : "") + whole + fraction
  }

  private static func money(_ units: Int64, _ currency: String?) -> String {
    let (whole, fraction) = digits(units, currency)
    let text = count(Int(whole) ?? 0) + fraction
    let minus = units < 0 ? "-" : ""
    guard let currency else { return minus + text }
    let signs = ["USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"]
    // A sign such as `$` is shared by several currencies. It is printed for the one that it
    // commonly means; the others are printed with their codes.
    return signs[currency].map { minus + $0 + text } ?? "\(minus)\(text) \(currency)"
  }

  /// The digits before the decimal point, and the point with the digits after it, if there are any.
  private static func digits(_ units: Int64, _ currency: String?) -> (String, String) {
    let places = currency.flatMap { CurrencyCode($0) }?.unitDigits ?? 2
    var digits = String(units.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (String(digits.dropLast(places)), places > 0 ? "." + digits.suffix(places) : "")
  }
}
