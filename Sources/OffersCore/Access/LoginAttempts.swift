import Foundation

/// The failed attempts to log in from one network, or from all together, and how long further
/// attempts are refused.
///
/// The wait grows exponentially. An attempt during a wait is not counted, so that the number of
/// counted attempts, and of writes of them, stays small, whatever the number of attempts.
package struct LoginAttempts: Hashable, Sendable {
  /// The maximum number of stored networks. A further one takes the place of the network whose last
  /// failure is oldest.
  package static let limit = 10_000
  /// The name in place of a network that counts the attempts of all networks together.
  package static let overall = "overall"

  /// The rule by which waits grow.
  private struct Rule {
    /// The number of failures without a wait.
    let free: Int
    let longestWaitSeconds: Double
    /// The time without a counted failure after which counting starts anew, in seconds.
    let forgetSeconds: Double
  }

  private static let networkRule = Rule(
    free: 0, longestWaitSeconds: 3600, forgetSeconds: 24 * 3600)
  /// All together wait a minute at most: whoever mistypes a token while others guess can try again
  /// soon.
  private static let overallRule = Rule(free: 10, longestWaitSeconds: 60, forgetSeconds: 3600)

  /// An IPv4 address, an IPv6 network of 64 bits such as `2001:db8::/64`, or `overall`.
  package let network: String
  /// The number of counted failures.
  package private(set) var count: Int
  package private(set) var lastFailureAt: Date
  /// Until when attempts are refused and not counted.
  package private(set) var waitUntil: Date

  package init(network: String, count: Int, lastFailureAt: Date, waitUntil: Date) {
    self.network = network
    self.count = count
    self.lastFailureAt = lastFailureAt
    self.waitUntil = waitUntil
  }

  /// No attempts of a network.
  package init(network: String) {
    self.init(
      network: network, count: 0, lastFailureAt: .distantPast, waitUntil: .distantPast)
  }

  private var rule: Rule { network == Self.overall ? Self.overallRule : Self.networkRule }

  /// The remaining wait in seconds; 0 if there is none. A wait that is longer than the longest one
  /// was stored by a clock that has been set back since, and counts as passed. A second is allowed
  /// for the rounding of stored times.
  package func waitSeconds(at now: Date) -> Double {
    let seconds = waitUntil.timeIntervalSince(now)
    return seconds > 0 && seconds <= rule.longestWaitSeconds + 1 ? seconds : 0
  }

  /// Counts a failure, and sets the wait after it.
  package mutating func fail(at now: Date) {
    if abs(now.timeIntervalSince(lastFailureAt)) > rule.forgetSeconds { count = 0 }
    count = min(count + 1, 1_000_000)
    lastFailureAt = now
    let doublings = count - rule.free - 1
    let seconds =
      doublings < 0 ? 0 : min(rule.longestWaitSeconds, Double(1 << min(doublings, 20)))
    waitUntil = now.addingTimeInterval(seconds)
  }
}
