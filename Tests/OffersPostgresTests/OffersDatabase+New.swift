import OffersStore
import OffersTestSupport
import TestStores

@testable import OffersPostgres

extension OffersDatabase {
  /// Opens a store in a new database, which is removed when `made` is released.
  static func openNew(
    _ leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> (made: TestDatabase, store: OffersDatabase) {
    let made = try await TestDatabase.makeStore()
    return (made, try await open(made, leaseTimes))
  }

  /// Opens the store of a database.
  static func open(
    _ made: TestDatabase, _ leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> OffersDatabase {
    OffersDatabase(
      try await PostgresEngine.open(
        DatabaseURL(made.url()), access: .readWrite, proposesFeed: false, leaseTimes: leaseTimes))
  }

  /// The engine.
  var postgres: PostgresEngine {
    guard let engine = engine as? PostgresEngine else { preconditionFailure("another engine") }
    return engine
  }
}
