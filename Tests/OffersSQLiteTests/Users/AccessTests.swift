import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

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
      let transaction = SQLiteTransaction(database)
      let session = Self.session(1, seenAt: 0)
      _ = try SessionTable.find(session.id, in: transaction)
      try SessionTable.note(session.id, seenAt: Self.start, in: transaction)
      try SessionTable.delete(session.id, in: transaction)
      try AttemptTable.delete(["192.0.2.1"], in: transaction)
    }
    #expect(plans.count == 4)
    for plan in plans { #expect(plan.uses("USING PRIMARY KEY"), "\(plan)") }
  }
}
