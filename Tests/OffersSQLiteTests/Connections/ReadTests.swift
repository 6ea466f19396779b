import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Interrupted reads", .timeLimit(.minutes(1)))
struct InterruptionTests {
  /// A statement without an end.
  private static let endless = """
    WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number)
    SELECT count(*) FROM number
    """

  /// Runs a read, cancels its task before it has begun its statement, and waits for its end.
  private static func cancel(
    _ store: Store, _ read: @escaping @Sendable (Database) throws -> Void
  ) async {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let cancelled = DispatchSemaphore(value: 0)
    let task = Task {
      try await store.database.read { database in
        begin.finish()
        cancelled.wait()
        try read(database)
      }
    }
    for await _ in begun {}
    task.cancel()
    cancelled.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a statement ends when the task of its read is cancelled, and the connection stays usable")
  func statement() async throws {
    let store = try await Store()
    await Self.cancel(store) { _ = try SQLiteTransaction($0).rows(Self.endless) { $0.number(0) } }
    #expect(try await store.database.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }
}
