import Foundation
import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("Watches against a model")
struct WatchModelTests {
  @Test(
    "what is told is what the model says, whoever observes it again", arguments: WatchModel.rules)
  func model(rule text: String) throws {
    var random = SeededGenerator(number: WatchModel.rules.firstIndex(of: text) ?? 0)
    let rule = try WatchRule(parsing: text, TypedValues())
    // 14 rules with 180 histories of 40 steps.
    for round in 0..<180 {
      let steps = WatchModel.history(at: WatchModel.times(&random), &random)
      let repeats = Watch.Repeat.allCases[round % 4]
      let isReward = round % 8 < 4
      let points = steps.map { step in
        RewardPoint(
          at: Date(storedSeconds: Int64(step.at)), event: step.isInFeed ? .changed : .gone,
          reward: step.reward)
      }
      let observations = steps.indices.map { index in
        let (step, reward) = (steps[index], steps[index].reward)
        return WatchObservation(
          at: points[index].at, value: reward?.value, isUpTo: reward?.isUpTo ?? false,
          role: isReward ? .reward : .price, isListed: step.isListed, isBack: step.isBack,
          expiresAt: step.end.map { Date(storedSeconds: Int64($0)) },
          previous: index > 0 ? points[index - 1].reward : nil)
      }
      var state = WatchState()
      var told: [Int] = []
      for index in steps.indices {
        let (next, firing) = rule.advance(state, observations[index], repeats: repeats) { points }
        if firing != nil { told.append(index) }
        state = try #require(WatchState(parsing: next.text))
        // Another node observes the same, or something older that is not older than 30 days.
        let other = max(0, index - random.below(3))
        let again = rule.advance(state, observations[other], repeats: repeats) { points }
        if steps[index].at - steps[other].at <= 30 * 86_400, again != (state, nil) {
          Issue.record("A second node changes the state of \(text) at \(index).")
        }
      }
      let expected = WatchModel.told(text, repeats, isReward, steps)
      #expect(told == expected, "\(text), \(repeats), round \(round)")
      if told != expected { return }
    }
  }
}
