import Foundation
import OffersCore

/// Parses the rewards, times and durations of the command line and of queries.
public struct QueryTexts: QueryTextReader {
  public init() {}

  public func readRewardMinimum(_ text: String) throws -> OfferQuery.RewardMinimum {
    try OfferQuery.RewardMinimum(parsing: text)
  }

  public func readTime(_ text: String, now: Date) throws -> Date {
    try Since.time(parsing: text, now: now)
  }

  public func readSeconds(_ text: String) throws -> Double { try Since.seconds(parsing: text) }
}
