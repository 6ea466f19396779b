import Foundation
import OffersCore
import Testing

@Suite("Waits after failed logins")
struct LoginAttemptsTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// The waits after each of some failures, each made when the wait before has passed.
  private static func waits(of network: String, count: Int) -> [Double] {
    var attempts = LoginAttempts(network: network)
    var now = start
    return (0..<count).map { _ in
      attempts.fail(at: now)
      let wait = attempts.waitSeconds(at: now)
      now += wait
      return wait
    }
  }

  @Test("a stored count may be any number", arguments: [Int.min, -1, .max])
  func storedCounts(count: Int) {
    var attempts = LoginAttempts(
      network: "192.0.2.1", count: count, lastFailureAt: Self.start, waitUntil: Self.start)
    attempts.fail(at: Self.start)
    attempts.takeBack()
    #expect((0...1_000_000).contains(attempts.count))
  }

  @Test("an account of any length is counted in a short time")
  func longAccounts() {
    let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
    let time = ContinuousClock().measure { _ = LoginAttempts.account(marks) }
    // The normalization of so many marks takes half a minute.
    #expect(time < .seconds(5), "\(time)")
  }

  @Test("the wait of a network doubles up to an hour")
  func ofNetwork() {
    #expect(
      Self.waits(of: "192.0.2.1", count: 14)
        == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600])
  }

  @Test("all networks together wait from the eleventh failure on, a minute at most")
  func overall() {
    #expect(
      Self.waits(of: LoginAttempts.overall, count: 19)
        == Array(repeating: 0, count: 10) + [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  @Test("the longest wait outlasts the rounding of stored times")
  func rounds() {
    let attempts = LoginAttempts(
      network: "192.0.2.1", count: 20, lastFailureAt: Self.start,
      waitUntil: Self.start + 3600.9)
    #expect(attempts.waitSeconds(at: Self.start) > 3600)
  }

  @Test("a day without a failure forgets those of a network")
  func forgets() {
    var attempts = LoginAttempts(network: "192.0.2.1")
    for _ in 0..<5 { attempts.fail(at: Self.start) }
    attempts.fail(at: Self.start + 86_400)
    #expect(attempts.count == 6)
    attempts.fail(at: Self.start + 2 * 86_400 + 1)
    #expect(attempts.count == 1)
  }

  @Test("a wait that a clock of the future stored counts as passed")
  func survivesClock() {
    var attempts = LoginAttempts(network: "192.0.2.1")
    attempts.fail(at: Self.start + 401 * 86_400)
    #expect(attempts.waitSeconds(at: Self.start) == 0)
    attempts.fail(at: Self.start)
    #expect(attempts.count == 1)
    #expect(attempts.waitSeconds(at: Self.start) == 1)
  }
}
