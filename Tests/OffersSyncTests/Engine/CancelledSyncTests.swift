import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

@Suite("Cancelled syncs", .timeLimit(.minutes(1)))
struct CancelledSyncTests {
  /// The state of a feed, as the database has it.
  private static func state(_ home: SyncedFolder) async throws -> (Feed, [UserOffer]) {
    (try await home.feed(), try await home.database.fetchOffers(OfferQuery()))
  }

  @Test(
    "a sync that is cancelled while it waits for a server says so and writes nothing",
    arguments: [true, false])
  func cancelsRequest(hasHead: Bool) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await Self.state(home)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n[".utf8)
    let server = try ScriptedServer([
      hasHead ? .drip([0x20], after: head, pauseMilliseconds: 5) : .silence
    ])
    let task = Task { try await home.sync(from: server.url()) }
    while server.requests.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: OffersError.cancelled) { try await task.value }
    let after = try await Self.state(home)
    #expect(after.0 == before.0 && after.1 == before.1)
    #expect(try await home.sync(FeedText.feed(1...6), lockWaitSeconds: 0).counts.new == 1)
  }

  /// The values that the callbacks of a sync received.
  private final class Told: Sendable {
    let bytes = Mutex(0)
    let feeds = Mutex<[String]>([])
  }

  @Test("a cancelled sync stops reading its file")
  func stopsReading() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await Self.state(home)
    let path = try home.folder.write(FeedText.feed(1...40_000), to: "large.json")
    let told = Told()
    let engine = SyncEngine(store: home.database)
    let task = Task {
      try await engine.sync("ibotta", options: SyncOptions(source: .file(path))) { progress in
        told.bytes.withLock { $0 = max($0, progress.bytes) }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: OffersError.cancelled) { try await task.value }
    #expect(told.bytes.withLock { $0 } <= FileDocument.pieceBytes)
    let after = try await Self.state(home)
    #expect(after.0 == before.0 && after.1 == before.1)
  }

  @Test("several feeds that are cancelled say so and report no failure")
  func cancelsSeveral() async throws {
    let home = try await SyncedFolder()
    let engine = SyncEngine(store: home.database)
    let told = Told()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await engine.sync(["ibotta", "facts", "albums"]) { feed, _ in
        told.feeds.withLock { $0.append(feed) }
      }
    }
    await #expect(throws: OffersError.cancelled) { try await task.value }
    // Cancelled under way: the group's task, which reports the progress, is cancelled.
    let path = try home.folder.write(FeedText.feed(1...5), to: "feed.json")
    let under = Task {
      try await engine.sync(["ibotta"], options: SyncOptions(source: .file(path))) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      } finished: { feed, _ in
        told.feeds.withLock { $0.append(feed) }
      }
    }
    await #expect(throws: OffersError.cancelled) { try await under.value }
    #expect(told.feeds.withLock { $0 } == [])
    #expect(try await home.ids() == [])
  }
}
