import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Cancelled calls of the store", .timeLimit(.minutes(1)))
struct CancellationTests {
  @Test("a cancelled write does not wait for the other writer, and is not made")
  func leavesTheQueue() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try other.tryLock())
    let task = Task { try await store.database.setFavorites(named: ["1"], to: true) }
    task.cancel()
    await #expect(throws: OffersError.cancelled) { try await task.value }
    other.unlock()
    #expect(try store.rows("SELECT id FROM favorite") == [])
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    #expect(try store.rows("SELECT id FROM favorite") == ["1"])
  }

  @Test("a cancelled task does not wait for a lock that another one holds")
  func leavesTheLock() async throws {
    let folder = try TemporaryFolder()
    let other = try DatabaseLock(path: folder.file("lock"))
    #expect(try other.tryLock())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try DatabaseLock(path: folder.file("lock")).lock(waitSeconds: 30)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
