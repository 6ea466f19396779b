import Foundation
import OffersCore

/// The logins to the server that are valid, and the failed attempts that still count.
struct LoginSummary {
  /// The number of browsers that are logged in.
  let sessionCount: Int
  /// The number of API tokens that have not expired.
  let tokenCount: Int
  /// The number of counted failures of the last 24 hours. Attempts during a wait are not counted.
  let failureCount: Int
  /// The number of networks whose next attempt must wait.
  let waitingNetworkCount: Int

  /// Reads the logins of a database.
  init(_ database: any OffersStorage, at now: Date) async throws {
    sessionCount = try await database.fetchSessions().count { !$0.isExpired(at: now) }
    tokenCount = try await database.fetchTokens(of: nil).count { !$0.isExpired(at: now) }
    let networks = try await database.fetchAttempts().filter(\.isOfNetwork)
    failureCount = networks.filter { abs(now.timeIntervalSince($0.lastFailureAt)) < 86_400 }
      .reduce(0) { $0 + $1.count }
    waitingNetworkCount = networks.count { $0.waitSeconds(at: now) > 0 }
  }

  /// A text such as `2 sessions, 1 API token; 7 failed attempts in 24 hours, 1 network waits`; nil if
  /// there is nothing to tell.
  var text: String? {
    var held = [Units.count(sessionCount, "session"), Units.count(tokenCount, "API token")]
    if sessionCount + tokenCount == 0 { held = [] }
    var failed: [String] = []
    if failureCount > 0 {
      failed.append("\(Units.count(failureCount, "failed attempt")) in 24 hours")
    }
    if waitingNetworkCount > 0 {
      failed.append(
        "\(Units.count(waitingNetworkCount, "network")) "
          + (waitingNetworkCount == 1 ? "waits" : "wait"))
    }
    let parts = [held, failed].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The finding of `offers doctor`: a warning while somebody seems to guess secrets; nil if there is
  /// nothing to tell.
  var finding: Finding? {
    guard let text else { return nil }
    guard failureCount >= Self.suspiciousCount else { return Finding(.ok, "logins", text) }
    return Finding(
      .warning, "logins", text,
      advice: "Look for the addresses in the log of offers serve, and block them")
  }

  /// The number of failures in 24 hours above which somebody seems to guess.
  private static let suspiciousCount = 100
}

extension JSONWriter {
  /// Writes `{"sessions","tokens","failed_attempts","waiting_networks"}`.
  mutating func value(_ logins: LoginSummary) {
    object { json in
      json.member("sessions", logins.sessionCount)
      json.member("tokens", logins.tokenCount)
      json.member("failed_attempts", logins.failureCount)
      json.member("waiting_networks", logins.waitingNetworkCount)
    }
  }
}
