import GRDB
import OffersStore

@testable import OffersSQLite

extension OffersDatabase {
  /// The engine.
  var sqlite: SQLiteEngine {
    guard let engine = engine as? SQLiteEngine else { preconditionFailure("another engine") }
    return engine
  }

  /// Reads on a connection of the engine.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await sqlite.read(body)
  }

  /// Writes on the connection of the engine.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await sqlite.write(mode, waitSeconds: waitSeconds, body)
  }
}
