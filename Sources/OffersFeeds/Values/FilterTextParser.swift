import Foundation
import OffersCore

/// Parses the rewards, times and durations of the command line and of queries, and writes exact rewards.
package struct FilterTextParser: FilterTextReader {
  package init() {}

  package func readRewardMinimum(_ text: String) throws -> OfferQuery.RewardMinimum {
    try OfferQuery.RewardMinimum(parsing: text)
  }

  package func readPriceMaximum(_ text: String) throws -> OfferQuery.PriceMaximum {
    try OfferQuery.PriceMaximum(parsing: text)
  }

  package func readTime(_ text: String, now: Date) throws -> Date {
    try PeriodStart.time(parsing: text, now: now)
  }

  package func readSeconds(_ text: String) throws -> Double {
    try PeriodStart.seconds(parsing: text)
  }

  package func text(of value: Reward.Value) -> String { Units.value(value) }
}
