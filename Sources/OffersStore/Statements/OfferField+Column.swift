import OffersCore

/// The columns of the fields of an offer. Statements list them in the order of `OfferField`, so that a row
/// has a field at its `rawValue`.
extension OfferField {
  /// The type of a column.
  package enum ColumnType {
    case text
    /// Unix seconds.
    case seconds
    /// A floating-point number.
    case degrees
  }

  /// The column of the table `offer` that has the field; of the reward its printed text.
  package var column: String { self == .reward ? "reward_text" : name }

  package var columnType: ColumnType {
    switch kind {
    case .id, .line, .text, .link, .reward, .list: .text
    case .time: .seconds
    case .degrees: .degrees
    }
  }

  /// The columns of all fields, in their order.
  package static let columns = list(allCases.map(\.column))

  /// The columns with the exact value of the reward: an amount and its currency, or a percentage, and
  /// whether the value is an upper bound.
  package static let rewardColumns = [
    "reward_minor_units", "reward_currency", "reward_percent_hundredths", "reward_up_to",
  ]

  /// The columns of `rewardColumns`.
  package static let exactReward = list(rewardColumns)

  private static func list(_ columns: [String]) -> String {
    columns.map { "offer.\($0)" }.joined(separator: ", ")
  }

  /// The reward in the column of its printed text and those of `rewardColumns`.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - text: the number of the column of the text.
  ///   - value: the number of the first of the others.
  package static func reward(_ row: some SQLRow, text: Int, value: Int) -> Reward? {
    guard let printed = row.findText(text) else { return nil }
    var exact: Reward.Value?
    if let units = row.findNumber(value), let currency = row.findText(value + 1) {
      exact = .amount(minorUnits: units, storedCurrency: currency)
    } else if let hundredths = row.findNumber(value + 2) {
      exact = .percent(hundredths: hundredths)
    }
    return Reward(text: printed, value: exact, isUpTo: row.flag(value + 3))
  }
}
