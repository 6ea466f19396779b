import Foundation

/// A period in the history of an offer with a constant reward: a step of a chart.
package struct RewardStep {
  /// The beginning of the period.
  package let at: Date
  /// The exact reward, in minor units or hundredths of a percent. Nil for a gap in the chart: the
  /// offer was gone, or its reward had no exact value or one in another unit than the latest exact
  /// reward.
  package let value: Int64?
  /// The reward as the feed printed it; empty for a gap.
  package let label: String
  /// The reward that the label prints; nil for a gap.
  package let reward: Reward?

  /// The steps of a history, in chronological order.
  package static func steps(of points: [RewardPoint]) -> [RewardStep] {
    let unit = points.last { $0.reward?.value != nil }?.reward
    return points.map { point in
      guard point.event != .gone, let reward = point.reward, reward.value != nil,
        reward.kind == unit?.kind, reward.currency == unit?.currency
      else { return RewardStep(at: point.at, value: nil, label: "", reward: nil) }
      return RewardStep(
        at: point.at, value: reward.minorUnits ?? reward.percentHundredths, label: reward.text,
        reward: reward)
    }
  }
}
