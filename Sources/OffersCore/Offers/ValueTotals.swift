/// The sums of the rewards, and of the prices, of several offers: one for each currency.
public struct ValueTotals: Hashable, Sendable {
  /// A sum of amounts in one currency.
  public struct Sum: Hashable, Sendable {
    /// The ISO 4217 code; nil for amounts whose currency is unknown.
    public let currency: String?
    /// The amount in the currency's minor units. A sum beyond the range of its type stays at its end.
    public fileprivate(set) var minorUnits: Int64
    /// The number of offers with such an amount.
    public fileprivate(set) var count: Int
  }

  private let pricedFeeds: Set<String>
  private var sums: [ValueRole: [String?: Sum]] = [:]
  /// The number of offers without an exact amount, such as those with percentages.
  public private(set) var otherCount = 0

  /// Creates totals of no offers.
  ///
  /// - Parameter pricedFeeds: the feeds whose values are prices.
  public init(pricedFeeds: Set<String> = []) { self.pricedFeeds = pricedFeeds }

  /// Adds the reward or the price of an offer. "Up to" an amount counts as the amount.
  public mutating func add(_ offer: Offer) {
    guard case .amount(let units, let currency) = offer.reward?.value else {
      otherCount += 1
      return
    }
    let role: ValueRole = pricedFeeds.contains(offer.ref.feed) ? .price : .reward
    var sum = sums[role, default: [:]][currency] ?? Sum(currency: currency, minorUnits: 0, count: 0)
    let (total, isTooLarge) = sum.minorUnits.addingReportingOverflow(units)
    sum.minorUnits = isTooLarge ? units < 0 ? .min : .max : total
    sum.count += 1
    sums[role, default: [:]][currency] = sum
  }

  /// The sums of rewards, or of prices, sorted by their currency.
  package func sums(of role: ValueRole) -> [Sum] {
    sums[role, default: [:]].values.sorted { ($0.currency ?? "") < ($1.currency ?? "") }
  }

  /// The totals as a sentence, such as `$13.75 + €2.00 in rewards, 3 without an amount`.
  ///
  /// - Parameter text: writes an exact amount.
  package func sentence(_ text: (Reward.Value) -> String) -> String {
    var parts = [(ValueRole.reward, "rewards"), (.price, "prices")].compactMap { role, noun in
      let amounts = sums(of: role).map {
        text(.amount(minorUnits: $0.minorUnits, currency: $0.currency))
      }
      return amounts.isEmpty ? nil : "\(amounts.joined(separator: " + ")) in \(noun)"
    }
    if otherCount > 0 { parts.append("\(Units.count(otherCount)) without an amount") }
    return parts.joined(separator: ", ")
  }
}

extension JSONWriter {
  /// Writes totals in the form of `--json` and the API.
  package mutating func value(_ totals: ValueTotals) {
    object { json in
      for (role, name) in [(ValueRole.reward, "rewards"), (.price, "prices")] {
        json.member(name, objects: totals.sums(of: role)) { json, sum in
          json.member("currency", sum.currency)
          json.member("minor_units", sum.minorUnits)
          json.member("offers", sum.count)
        }
      }
      json.member("without_amount", totals.otherCount)
    }
  }
}
