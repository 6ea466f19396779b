extension Reward {
  /// The code of an amount's currency as a store keeps it, where each amount has one; nil for other
  /// kinds.
  package var storedCurrency: String? { value?.storedCurrency }
}

extension Reward.Value {
  /// An amount whose currency has the code that a store keeps.
  package static func amount(minorUnits: Int64, storedCurrency: String) -> Self {
    .amount(
      minorUnits: minorUnits, currency: storedCurrency == unknownCurrency ? nil : storedCurrency)
  }

  /// The code that is stored for an amount whose currency is unknown, because the constraints of the stores and
  /// the format of exports require a code for each amount. ISO 4217 assigns it to transactions without a currency.
  private static let unknownCurrency = "XXX"

  /// The code of an amount's currency as a store keeps it, where each amount has one; nil for other
  /// kinds.
  package var storedCurrency: String? {
    if case .amount(_, let currency) = self { currency ?? Self.unknownCurrency } else { nil }
  }
}
