import OffersCore
import OffersTestSupport
import Testing

@Suite("Failed logins", .timeLimit(.minutes(2)))
struct AttemptRules {
  private static let start = 1_800_000_000

  private static func attempts(_ network: String, at seconds: Int) -> LoginAttempts {
    var attempts = LoginAttempts(network: network)
    attempts.fail(at: .at(start + seconds))
    return attempts
  }

  @Test("are stored, replaced by later ones only, and removed", arguments: StoreKind.allCases)
  func attempts(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let (late, all) = (Self.attempts("192.0.2.1", at: 10), Self.attempts("overall", at: 5))
    try await home.store.putAttempts([late, all], removing: [])
    try await home.other.putAttempts([Self.attempts("192.0.2.1", at: 5)], removing: [])
    #expect(try await home.other.fetchAttempts() == [late, all])
    // The stored time is that of a clock that was ahead.
    let early = Self.attempts("192.0.2.1", at: 10 - 90_000)
    try await home.store.putAttempts([early], removing: [])
    #expect(try await home.other.fetchAttempts().first == early)
    try await home.store.putAttempts([], removing: ["192.0.2.1", "x"])
    #expect(try await home.other.fetchAttempts().map(\.network) == ["overall"])
  }

  @Test(
    "of more than 10000 networks the oldest go; accounts, all together and the newest stay",
    arguments: StoreKind.allCases)
  func bounds(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let kept = [LoginAttempts.overall, LoginAttempts.account("Ben")]
    #expect(LoginAttempts.account("ben") == LoginAttempts.account("Ben"))
    try await home.store.putAttempts(
      kept.map { Self.attempts($0, at: -100) }, removing: [])
    try await home.store.putAttempts(
      (1...9_999).map { Self.attempts("n\($0)", at: $0) }, removing: [])
    // The clock was set back: the new attempts are the oldest, and are kept all the same.
    try await home.store.putAttempts([Self.attempts("192.0.2.1", at: -500)], removing: [])
    let networks = Set(try await home.other.fetchAttempts().map(\.network))
    #expect(networks.count == 10_001)
    #expect(networks.isSuperset(of: kept + ["192.0.2.1", "n2", "n9999"]))
    #expect(!networks.contains("n1"))
  }

  @Test(
    "of more than 10000 accounts those with the fewest failures go, and networks displace none",
    arguments: StoreKind.allCases)
  func accounts(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    var ben = Self.attempts(LoginAttempts.account("Ben"), at: -100)
    ben.fail(at: .at(Self.start - 50))
    try await home.store.putAttempts([ben], removing: [])
    let others = (1...10_000).map { LoginAttempts.account("n\($0)") }
    let attempts = others.enumerated().map { Self.attempts($1, at: $0) }
    try await home.store.putAttempts(Array(attempts.dropLast()), removing: [])
    try await home.store.putAttempts(
      [attempts[9_999], Self.attempts("192.0.2.1", at: 0)], removing: [])
    let found = Set(try await home.other.fetchAttempts().map(\.network))
    let isKept = [ben.network, "192.0.2.1", others[9_999], others[0]].map(found.contains)
    #expect(isKept == [true, true, true, false])
    #expect(found.count == 10_001)
  }
}
