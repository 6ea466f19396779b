import Foundation

/// A stretch of an offer's history in which its reward was the same, as a chart draws it.
package struct RewardStep {
  /// From when on it holds.
  package let at: Date
  /// The exact reward, in minor units or hundredths of a percent; nil where there is nothing to
  /// draw: the offer was gone, or its reward was in another unit than the last one.
  package let value: Int64?
  /// The reward as the feed printed it; empty where there is nothing to draw.
  package let label: String
  /// What the label says.
  package let reward: Reward?

  /// The steps of a history, in the order of time.
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
