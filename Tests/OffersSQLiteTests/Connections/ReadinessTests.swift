import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Readiness of a database file")
struct ReadinessTests {
  @Test("an open file is ready, and is not once it has a schema that this program does not serve")
  func schemas() async throws {
    let store = try await Store()
    try await store.database.checkReadiness()
    for (version, code) in [
      (SQLiteSchema.version + 1, OffersError.Code.newerDatabase),
      (SQLiteSchema.version - 1, .storageFailed),
    ] {
      try store.execute("PRAGMA user_version = \(version)")
      let error = await #expect(throws: OffersError.self) {
        try await store.database.checkReadiness()
      }
      #expect(error?.code == code)
    }
    try store.execute("PRAGMA user_version = \(SQLiteSchema.version)")
    try await store.database.checkReadiness()
    try await store.database.close()
    let error = await #expect(throws: OffersError.self) {
      try await store.database.checkReadiness()
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test("a file that a newer program has migrated is neither read wrongly nor written")
  func migrated() async throws {
    let store = try await Store()
    #expect(try await store.database.fetchOffers(OfferQuery()).isEmpty)
    try store.execute(
      """
      PRAGMA legacy_alter_table = ON;
      ALTER TABLE favorite RENAME TO star;
      PRAGMA user_version = \(SQLiteSchema.version + 1)
      """)
    let read = await #expect(throws: OffersError.self) {
      try await store.database.fetchOffers(OfferQuery())
    }
    #expect(read?.code == .newerDatabase)
    // A statement that would still succeed.
    let written = await #expect(throws: OffersError.self) {
      try await store.database.addUser(named: "Ben", role: .member)
    }
    #expect(written?.code == .newerDatabase)
    try store.execute("PRAGMA user_version = \(SQLiteSchema.version)")
    #expect(try await store.database.fetchUsers().count == 1)
  }
}
