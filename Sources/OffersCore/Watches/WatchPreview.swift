import Foundation

/// How often a rule would have told of offers in the past, by their stored histories.
///
/// The past selections are not known but for their bounds of the value: an offer counts as selected while it was in its
/// feed, had not ended and was within the bounds, and its present end counts as the end that it always had.
package struct WatchPreview: Hashable, Sendable {
  /// The most offers whose histories a preview reads.
  package static let mostOffers = 500

  /// The number of notices within the period.
  package private(set) var count = 0
  /// The latest of them.
  package private(set) var last: WatchFiring?
  /// The start of the period or of the oldest history in it, whichever is later; nil without a history.
  package private(set) var since: Date?

  /// Whether it has the histories of the first `mostOffers` offers only.
  package var isPart = false

  private let rule: WatchRule
  private let repeats: Watch.Repeat
  private let period: ClosedRange<Date>

  /// Creates the preview of a rule for no offer.
  ///
  /// - Parameters:
  ///   - rule: the rule.
  ///   - repeats: how often the user is told of the same offer.
  ///   - period: the period whose notices count; its end is the present time. The histories before it are
  ///     evaluated, too, so that an offer may have entered before.
  package init(of rule: WatchRule, repeats: Watch.Repeat, in period: ClosedRange<Date>) {
    self.rule = rule
    self.repeats = repeats
    self.period = period
  }

  /// Adds the notices of an offer. The cost of `best` and `nearBest` may grow with the square of the number of points.
  ///
  /// - Parameters:
  ///   - points: the history of the offer, oldest first.
  ///   - role: the meaning of its values.
  ///   - expiresAt: when it ends; nil if it does not.
  ///   - selection: the selection of the watch, whose bounds of the value count.
  package mutating func add(
    _ points: [RewardPoint], role: ValueRole, expiresAt: Date?, selection: Selection = Selection()
  ) {
    guard let first = points.first?.at, first <= period.upperBound else { return }
    since = max(period.lowerBound, min(since ?? first, first))
    var state = WatchState()
    var now = WatchObservation(
      at: first, value: nil, role: role, isListed: false, expiresAt: expiresAt)
    /// Evaluates the rule at a time, with what is known since the last point.
    func look(_ preview: inout WatchPreview, at time: Date, isInFeed: Bool) {
      now.at = time
      now.isListed = isInFeed && (expiresAt.map { time <= $0 } ?? true)
      let (next, firing) = preview.rule.advance(
        state, now, repeats: preview.repeats, history: { points })
      state = next
      guard let firing, preview.period.contains(time) else { return }
      preview.count += 1
      if preview.last.map({ $0.at <= firing.at }) ?? true { preview.last = firing }
    }
    for (index, point) in points.enumerated() where point.at <= period.upperBound {
      let isInFeed = point.event != .gone && selection.hasWithinBounds(point.reward, role)
      (now.value, now.isUpTo) = (point.reward?.value, point.reward?.isUpTo ?? false)
      now.isBack = point.event == .back
      look(&self, at: point.at, isInFeed: isInFeed)
      // Between two points, the rule begins to hold before the end, or is told again.
      now.previous = point.reward
      now.isBack = false
      let next = index + 1 < points.count ? points[index + 1].at : .distantFuture
      while let time = nextLook(state, after: now.at, expiresAt), time < next,
        time <= period.upperBound
      {
        look(&self, at: time, isInFeed: isInFeed)
      }
    }
  }

  /// The next time after another at which the rule may tell of an offer that does not change.
  private func nextLook(_ state: WatchState, after time: Date, _ expiresAt: Date?) -> Date? {
    var times = [state.reminderAt(repeats)]
    if case .ending(let seconds) = rule { times.append(expiresAt.map { $0 - Double(seconds) }) }
    return times.compactMap(\.self).filter { $0 > time }.min()
  }

  /// The result for people: `would have told you 3 times in 60 days`; nil for a history of less than a day, which says
  /// nothing.
  package var sentence: String? {
    guard let since else { return nil }
    let days = period.upperBound.timeIntervalSince(since) / 86_400
    if days < 1 { return nil }
    let period = Units.count(Int(clamped: days.rounded()), "day")
    return switch count {
    case 0: "would have told you nothing in \(period)"
    case 1: "would have told you once in \(period)"
    default: "would have told you \(Units.count(count, "time")) in \(period)"
    }
  }

  /// Sentences about a watch that is asked for: what it selects now, and what it would have told.
  ///
  /// - Parameters:
  ///   - count: the number of offers that it selects.
  ///   - first: the names of the first of them.
  package func lines(selecting count: Int, first: [String]) -> [String] {
    var now = "Selects \(count == 0 ? "no offer" : Units.count(count, "offer")) now"
    if !first.isEmpty {
      now += ": \((first + (count > first.count ? ["…"] : [])).joined(separator: ", "))"
    }
    guard let sentence else { return [now] }
    let whose =
      isPart ? "the history of \(Units.count(Self.mostOffers)) offers" : "the stored history"
    return [now, "Judging by \(whose), it \(sentence)."]
  }
}
