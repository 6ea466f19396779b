import Foundation

/// The failed attempts to log in from one network, from all together, for one account or by the browsers
/// of one user, and how long further attempts are refused.
///
/// The wait grows exponentially. An attempt during a wait is not counted, so that the number of
/// counted attempts, and of writes of them, stays small, whatever the number of attempts.
package struct LoginAttempts: Hashable, Sendable {
  /// The maximum number of stored networks, and that of accounts. A further network takes the place of the one
  /// whose last failure is oldest; a further account that of the one with the fewest failures.
  package static let limit = 10_000
  /// The name in place of a network that counts the attempts of all networks together.
  package static let overall = "overall"

  /// The rule by which waits grow.
  private struct Rule {
    /// The number of failures without a wait.
    let free: Int
    /// The first wait, which each further failure doubles.
    var firstWaitSeconds = 1.0
    let longestWaitSeconds: Double
    /// The time without a counted failure after which counting starts anew, in seconds.
    let forgetSeconds: Double
  }

  private static let networkRule = Rule(
    free: 0, longestWaitSeconds: 3600, forgetSeconds: 24 * 3600)
  /// All together wait a minute at most: whoever mistypes a token while others guess can try again
  /// soon.
  private static let overallRule = Rule(free: 10, longestWaitSeconds: 60, forgetSeconds: 3600)
  /// A passphrase is weaker than a token: of an account, or by a session, at most ten attempts are
  /// looked at in the first hour, and one in each further hour.
  private static let accountRule = Rule(
    free: 3, firstWaitSeconds: 30, longestWaitSeconds: 3600, forgetSeconds: 24 * 3600)

  /// A login that can be used once counts as used for this time, in seconds.
  private static let usedRule = Rule(
    free: 0, firstWaitSeconds: 3600, longestWaitSeconds: 3600, forgetSeconds: 3600)

  /// The name in place of a network by which the attempts for an account are counted. Each name has its own, be
  /// there a user of that name or not, so that the waits tell nothing about which users there are.
  ///
  /// - Parameter name: the name of the account as it was typed.
  package static func account(_ name: String) -> String {
    accountPrefix + hash(User.folded(name))
  }

  /// The name in place of a network by which a login is known that was used.
  ///
  /// - Parameter secret: what can be used once.
  package static func use(of secret: String) -> String { usePrefix + hash(secret) }

  private static func hash(_ text: String) -> String {
    var hash = DocumentHash()
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return Array(hash.finish().prefix(16)).hexadecimal
  }

  /// The name in place of a network by which the attempts of the browsers are counted that are or were logged
  /// in as a user, whatever others attempt.
  package static func browsers(of user: User.ID) -> String { accountPrefix + "of user \(user)" }

  /// The name by which a network's attempts with passphrases and codes are counted. They are counted
  /// apart from tokens, since each request of a program with a right token forgets the wrong ones.
  package static func logins(from network: String) -> String { loginPrefix + network }

  /// The name by which a network's reads of addresses of feeds are counted that do not exist. A feed reader that asks
  /// for a revoked address again and again keeps nobody in its network from logging in.
  package static func addresses(from network: String) -> String { addressPrefix + network }

  /// The largest count. The wait grows no more long before it.
  private static let countLimit = 1_000_000

  private static let loginPrefix = "logins "
  private static let usePrefix = "used "
  private static let addressPrefix = "addresses "
  /// How the names of the attempts for accounts begin.
  package static let accountPrefix = "account "

  /// An IPv4 address, an IPv6 network of 64 bits such as `2001:db8::/64`, `overall`, or a name for the
  /// logins of a network, an account, the browsers of a user or a login that was used.
  package let network: String
  /// The number of counted failures.
  package private(set) var count: Int
  package private(set) var lastFailureAt: Date
  /// Until when attempts are refused and not counted.
  package private(set) var waitUntil: Date

  package init(network: String, count: Int, lastFailureAt: Date, waitUntil: Date) {
    self.network = network
    self.count = min(max(0, count), Self.countLimit)
    self.lastFailureAt = lastFailureAt
    self.waitUntil = waitUntil
  }

  /// No attempts of a network.
  package init(network: String) {
    self.init(
      network: network, count: 0, lastFailureAt: .distantPast, waitUntil: .distantPast)
  }

  /// Whether these are the attempts from a network, and not those for an account, of a session or of
  /// all together.
  package var isOfNetwork: Bool {
    network != Self.overall && (!network.contains(" ") || network.hasPrefix(Self.loginPrefix))
  }

  /// Whether these are the attempts for an account.
  package var isOfAccount: Bool { network.hasPrefix(Self.accountPrefix) }

  /// Whether these are displaced before others of their kind. Networks cost nothing; an account costs a check of
  /// a passphrase for each failure.
  package func isLighter(than other: LoginAttempts) -> Bool {
    isOfAccount && count != other.count
      ? count < other.count : lastFailureAt < other.lastFailureAt
  }

  private var rule: Rule {
    if network == Self.overall { return Self.overallRule }
    if network.hasPrefix(Self.usePrefix) { return Self.usedRule }
    return isOfNetwork ? Self.networkRule : Self.accountRule
  }

  /// The remaining wait in seconds; 0 if there is none. A wait that is longer than the longest one
  /// was stored by a clock that has been set back since, and counts as passed. A second is allowed
  /// for the rounding of stored times.
  package func waitSeconds(at now: Date) -> Double {
    let seconds = waitUntil.timeIntervalSince(now)
    return seconds > 0 && seconds <= rule.longestWaitSeconds + 1 ? seconds : 0
  }

  /// Takes back a failure that was counted for an attempt that was then not looked at.
  package mutating func takeBack() {
    count -= 1
    waitUntil = lastFailureAt
  }

  /// Counts a failure, and sets the wait after it.
  package mutating func fail(at now: Date) {
    if abs(now.timeIntervalSince(lastFailureAt)) > rule.forgetSeconds { count = 0 }
    count = min(count + 1, Self.countLimit)
    lastFailureAt = now
    let doublings = count - rule.free - 1
    let seconds =
      doublings < 0
      ? 0 : min(rule.longestWaitSeconds, rule.firstWaitSeconds * Double(1 << min(doublings, 20)))
    waitUntil = now.addingTimeInterval(seconds)
  }
}
