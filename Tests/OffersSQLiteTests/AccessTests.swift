import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Sessions and failed logins")
struct AccessTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private static func session(_ number: Int, seenAt: Double) -> Session {
    let id = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 4 ? number >> (8 * $0) : 7) }
    return Session(
      id: id, user: User.ownerID, fingerprint: Array(repeating: 9, count: 32),
      createdAt: start + seenAt, lastSeenAt: start + seenAt, peer: "192.0.2.1", userAgent: "Firefox"
    )
  }

  private static func attempts(_ network: String, at seconds: Double) -> LoginAttempts {
    var attempts = LoginAttempts(network: network)
    attempts.fail(at: start + seconds)
    return attempts
  }

  @Test("a session is stored, found, noted and ended")
  func sessions() async throws {
    let store = try await Store()
    let (one, two) = (Self.session(1, seenAt: 0), Self.session(2, seenAt: 5))
    try await store.database.putSession(one)
    try await store.database.putSession(two)
    #expect(try await store.database.findSession(one.id) == one)
    #expect(try await store.database.findSession([1, 2, 3]) == nil)
    #expect(try await store.database.fetchSessions() == [two, one])
    store.database.noteSession(one.id, seenAt: Self.start + 600)
    store.database.noteSession(one.id, seenAt: Self.start + 300)
    try await store.database.finishLaterWrites()
    #expect(
      try await store.database.findSession(one.id)?.lastSeenAt == Self.start + 600)
    try await store.database.endSessions([one.id, [0]])
    #expect(try await store.database.fetchSessions() == [two])
    let reopened = try await OffersDatabase.open(path: store.path)
    #expect(try await reopened.findSession(two.id) == two)
  }

  @Test("a new session removes expired ones, and the longest unseen of more than 100 of its user")
  func bounds() async throws {
    let store = try await Store()
    try await store.database.putSession(Self.session(0, seenAt: -31 * 86_400))
    try await store.database.putSession(Self.session(1, seenAt: 0))
    #expect(try await store.database.fetchSessions().count == 1)
    try store.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO session
        (session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent)
      SELECT CAST(printf('%032d', i) AS BLOB), 1, zeroblob(32), 0, 1800000000 + i, '', '' FROM n
      """)
    #expect(try store.rows("SELECT count(*) FROM session") == ["100"])
    // The clock was set back: the new session is the longest unseen one, and is kept all the same.
    let late = Self.session(3, seenAt: -10)
    try await store.database.putSession(late)
    #expect(try store.rows("SELECT count(*) FROM session") == ["100"])
    #expect(try await store.database.findSession(late.id) != nil)
    #expect(try await store.database.findSession(Self.session(1, seenAt: 0).id) == nil)
  }

  @Test("attempts are stored, replaced by later ones only, and removed")
  func attempts() async throws {
    let store = try await Store()
    let late = Self.attempts("192.0.2.1", at: 10)
    try await store.database.putAttempts([late, Self.attempts("overall", at: 5)], removing: [])
    try await store.database.putAttempts([Self.attempts("192.0.2.1", at: 5)], removing: [])
    #expect(
      try await store.database.fetchAttempts() == [late, Self.attempts("overall", at: 5)])
    // The stored time is that of a clock that was ahead.
    let early = Self.attempts("192.0.2.1", at: 10 - 90_000)
    try await store.database.putAttempts([early], removing: [])
    #expect(try await store.database.fetchAttempts().first == early)
    try await store.database.putAttempts([], removing: ["192.0.2.1"])
    #expect(try await store.database.fetchAttempts().map(\.network) == ["overall"])
  }

  @Test("of more than 10000 networks the oldest goes, and the attempts of all together stay")
  func boundsAttempts() async throws {
    let store = try await Store()
    try await store.database.putAttempts([Self.attempts("overall", at: -100)], removing: [])
    try store.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
      INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
      SELECT 'n' || i, 1, 1000 + i, 0 FROM n
      """)
    #expect(try store.rows("SELECT count(*) FROM login_attempt") == ["10000"])
    #expect(
      try store.rows("SELECT network FROM login_attempt ORDER BY last_failure_at LIMIT 1")
        == ["n52"])
    try await store.database.putAttempts([Self.attempts("192.0.2.1", at: -1e9)], removing: [])
    #expect(try store.rows("SELECT count(*) FROM login_attempt") == ["10000"])
    let networks = try await store.database.fetchAttempts().map(\.network)
    #expect(networks.contains("192.0.2.1"))
    #expect(networks.contains("overall"))
    #expect(!networks.contains("n52"))
  }

  @Test(
    "the schema refuses rows that no program of this kind writes",
    arguments: [
      "INSERT INTO session VALUES (zeroblob(31), zeroblob(32), 0, 0, '', '')",
      "INSERT INTO session VALUES (zeroblob(32), zeroblob(8), 0, 0, '', '')",
      "INSERT INTO session VALUES (zeroblob(32), zeroblob(32), 0, 0, '', printf('%201d', 1))",
      "INSERT INTO session VALUES (NULL, zeroblob(32), 0, 0, '', '')",
      "INSERT INTO login_attempt VALUES ('', 1, 0, 0)",
      "INSERT INTO login_attempt VALUES ('a', 0, 0, 0)",
      "INSERT INTO login_attempt VALUES (printf('%65d', 1), 1, 0, 0)",
    ])
  func refuses(sql: String) async throws {
    let store = try await Store()
    #expect(throws: (any Error).self) { try store.execute(sql) }
  }

  @Test("a session is found, noted and ended by its primary key")
  func plans() async throws {
    let store = try await Store()
    let plans = try await QueryPlanTests.plans(store) { database in
      let session = Self.session(1, seenAt: 0)
      _ = try SessionTable.find(session.id, in: database)
      try SessionTable.note(session.id, seenAt: Self.start, in: database)
      try SessionTable.delete(session.id, in: database)
      try AttemptTable.delete("192.0.2.1", in: database)
    }
    #expect(plans.count == 4)
    for plan in plans { #expect(plan.uses("USING PRIMARY KEY"), "\(plan)") }
  }
}
