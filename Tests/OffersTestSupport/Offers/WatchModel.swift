import OffersCore

/// A step of a random history of an offer.
package struct WatchStep: Sendable {
  /// Unix seconds.
  package var at: Int
  /// Minor units, or hundredths of a percent; nil without a value.
  package var number: Int?
  /// 0 for dollars, 1 for euros, 2 for percentages, 3 for "up to" dollars.
  package var unit = 0
  package var isInFeed = true
  package var isSelected = true
  package var isBack = false
  /// When the offer ends, in Unix seconds; nil if it does not.
  package var end: Int?

  package var isListed: Bool { isInFeed && isSelected && at < end ?? .max }

  package var reward: Reward? {
    guard let number = number.map(Int64.init) else { return nil }
    let value: Reward.Value =
      unit == 2
      ? .percent(hundredths: number)
      : .amount(minorUnits: number, currency: unit == 1 ? "EUR" : "USD")
    return Reward(text: "\(number) \(unit)", value: value, isUpTo: unit == 3)
  }

  fileprivate func isComparable(with other: WatchStep) -> Bool {
    number != nil && other.number != nil && unit == other.unit
  }
}

/// What watches tell of an offer with a history, by the documentation of `WatchRule` and `Watch.Repeat`: after each
/// step, all steps are looked at again.
package enum WatchModel {
  private static let day = 86_400

  /// The rules that the model knows.
  package static let rules = [
    "match", "at-least $2", "at-most 2", "up", "down", "up 10%", "down 0.10", "best", "best 3d",
    "best 30d", "near-best 5%", "near-best 5% 10d", "ending 48h", "back",
  ]

  /// Random times of a history, in Unix seconds.
  package static func times(_ random: inout SeededGenerator) -> [Int] {
    let hours = [1, 5, 20, 24, 30, 72, 300]
    var at = 1_000_000_000
    return (0..<40).map { _ in
      at += hours[random.below(hours.count)] * 3600 - random.below(2)
      return at
    }
  }

  /// A random history with these times.
  package static func history(
    at times: [Int], _ random: inout SeededGenerator
  ) -> [WatchStep] {
    let end: Int? = random.below(2) == 0 ? 1_000_000_000 + random.below(60 * day) : nil
    var steps: [WatchStep] = []
    var isInFeed = true
    for at in times {
      let wasInFeed = isInFeed
      isInFeed = steps.isEmpty || random.below(8) > 0
      let isUsual = random.below(8) > 0
      var step = WatchStep(
        at: at,
        number: random.below(16) == 0 ? nil : [150, 190, 195, 200, 210, 300][random.below(6)],
        unit: isUsual ? 0 : random.below(4), isInFeed: isInFeed, isSelected: random.below(12) > 0,
        isBack: isInFeed && !wasInFeed, end: end)
      // The value of an offer that is gone is its last one.
      if !step.isInFeed, let last = steps.last {
        (step.number, step.unit) = (last.number, last.unit)
      }
      steps.append(step)
    }
    return steps
  }

  /// The places of the steps at which a user is told or reminded.
  package static func told(
    _ rule: String, _ repeats: Watch.Repeat, _ isReward: Bool, _ steps: [WatchStep]
  ) -> [Int] {
    switch rule {
    case "up": moves(steps, repeats, 1) { moved, _ in moved > 0 }
    case "down": moves(steps, repeats, -1) { moved, _ in moved > 0 }
    case "up 10%": moves(steps, repeats, 1) { moved, old in moved > 0 && moved * 10 >= old }
    case "down 0.10": moves(steps, repeats, -1, ofAmounts: true) { moved, _ in moved >= 10 }
    case "best": bests(steps, repeats, isReward, days: 100_000)
    case "best 3d": bests(steps, repeats, isReward, days: 3)
    case "best 30d": bests(steps, repeats, isReward, days: 30)
    default: entries(rule, steps, repeats, isReward)
    }
  }

  /// The values that were in force during days before a step and are comparable with its value.
  private static func past(_ steps: [WatchStep], _ index: Int, days: Int) -> [Int] {
    (0..<index).filter {
      steps[$0].isInFeed && steps[$0].isComparable(with: steps[index])
        && steps[$0 + 1].at > steps[index].at - days * day
    }.compactMap { steps[$0].number }
  }

  /// Whether a rule holds at a step, whether that is no news, and, for an offer that it never held for, whether it
  /// held before the step.
  private static func holds(
    _ rule: String, _ steps: [WatchStep], _ index: Int, _ isReward: Bool, isNew: Bool
  ) -> (Bool, isSilent: Bool, wasBefore: Bool) {
    let step = steps[index]
    guard step.isListed else { return (false, false, false) }
    switch rule {
    case "match": return (true, false, false)
    case "at-least $2":
      return ((step.number ?? 0) >= 200 && [0, 3].contains(step.unit), false, false)
    case "at-most 2": return ((step.number ?? 999) <= 200 && step.unit != 2, false, false)
    case "ending 48h": return ((step.end ?? .max) - step.at <= 2 * day, false, false)
    case "back":
      let listed = steps[...index].reversed().prefix { $0.isListed }
      return (listed.contains { $0.isBack }, false, false)
    default:
      guard let number = step.number else { return (false, false, false) }
      let past = past(steps, index, days: rule == "near-best 5%" ? 100_000 : 10)
      guard !past.isEmpty else { return (true, true, false) }
      let best = (past + [number]).reduce(number) { isReward ? max($0, $1) : min($0, $1) }
      func isNear(_ number: Int) -> Bool { abs(best - number) * 20 <= best }
      let before = steps[index - 1]
      let wasNear = isNew && before.isComparable(with: step) && isNear(before.number ?? 0)
      return (isNear(number), false, wasNear)
    }
  }

  private static func entries(
    _ rule: String, _ steps: [WatchStep], _ repeats: Watch.Repeat, _ isReward: Bool
  ) -> [Int] {
    var (holding, told): ([Int], [Int]) = ([], [])
    var toldAt: Int?
    for (index, step) in steps.enumerated() {
      let (holds, isSilent, wasBefore) = holds(
        rule, steps, index, isReward, isNew: holding.isEmpty)
      if wasBefore { holding.append(index - 1) }
      guard holds else { continue }
      var isEntry = true
      if let last = holding.last {
        isEntry = last + 1 < index && (repeats == .each || step.at - steps[last + 1].at >= day)
      }
      holding.append(index)
      if isSilent {
        toldAt = toldAt.map { _ in step.at }
        continue
      }
      let isDue = repeats == .daily && toldAt.map { step.at - $0 >= day } ?? false
      if isEntry ? repeats != .never || toldAt == nil : isDue {
        told.append(index)
        toldAt = step.at
      }
    }
    return told
  }

  private static func moves(
    _ steps: [WatchStep], _ repeats: Watch.Repeat, _ sign: Int, ofAmounts: Bool = false,
    isEnough: (Int, Int) -> Bool
  ) -> [Int] {
    var told: [Int] = []
    var base: WatchStep?
    var (opposite, isHeld): ([WatchStep], Bool) = ([], false)
    for (index, step) in steps.enumerated() where step.isListed && step.number != nil {
      // The value before the first listed one is known from the change.
      if base == nil, index > 0 { base = steps[index - 1] }
      guard let old = base, old.isComparable(with: step) else {
        (base, opposite, isHeld) = (step, [], false)
        continue
      }
      if let first = opposite.first, repeats == .each || step.at - first.at >= day {
        (base, opposite, isHeld) = (opposite.last, [], false)
      }
      let moved = sign * ((step.number ?? 0) - (base?.number ?? 0))
      if isEnough(moved, base?.number ?? 0), !ofAmounts || step.unit != 2 {
        (base, opposite, isHeld) = (step, [], true)
        if repeats != .never || told.isEmpty { told.append(index) }
      } else if moved < 0 {
        opposite.append(step)
      } else {
        opposite = []
        let isDue = step.at - steps[told.last ?? index].at >= day
        if repeats == .daily, isHeld, isDue { told.append(index) }
      }
    }
    return told
  }

  private static func bests(
    _ steps: [WatchStep], _ repeats: Watch.Repeat, _ isReward: Bool, days: Int
  ) -> [Int] {
    var (told, held): ([Int], WatchStep?) = ([], nil)
    for (index, step) in steps.enumerated() where step.isListed {
      guard let number = step.number else { continue }
      func isWorse(_ other: Int) -> Bool { isReward ? other < number : other > number }
      let past = past(steps, index, days: days)
      if let value = held, !value.isComparable(with: step) { held = nil }
      if let value = held?.number, value != number, !isWorse(value) { held = nil }
      if !past.isEmpty, past.allSatisfy(isWorse) {
        held = step
        if repeats != .never || told.isEmpty { told.append(index) }
      } else if repeats == .daily, held != nil, step.at - steps[told.last ?? index].at >= day {
        told.append(index)
      }
    }
    return told
  }
}
