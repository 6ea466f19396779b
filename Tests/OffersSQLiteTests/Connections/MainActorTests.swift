import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

/// While another process holds the write guard or long reads occupy every connection, the calls
/// below cannot end. The obstacle is removed by the main actor, after it has beaten a few times: if
/// one of the calls blocked it, the obstacle would stay and the call would fail in the end.
@MainActor
@Suite("An app's main actor")
struct MainActorTests {
  /// The turns that the main actor takes while a call waits, each after a suspension.
  private static func beat() async throws {
    for _ in 0..<20 { try await Task.sleep(for: .milliseconds(1)) }
  }

  private static func image(_ url: String) throws -> CachedImage {
    let bytes = TinyImage.png(filling: [1, 2, 3])
    return CachedImage(
      url: url, bytes: bytes, header: try ImageHeader(reading: bytes), etag: nil,
      lastModified: nil, fetchedAt: Date(), freshUntil: Date() + 60)
  }

  @Test("runs on while opening, starring and closing wait for another process's write")
  func waitsForWriters() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let database = try await OffersDatabase.open(path: store.path)
    try await database.putImage(Self.image("a"))
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    try #require(try other.tryLock())
    let events = Events()
    let opening = Task {
      let opened = try await OffersDatabase.open(path: store.path)
      events.add("opened")
      return opened
    }
    let starring = Task {
      let changes = try await database.setFavorites(named: ["1"], to: true)
      events.add("starred")
      return changes
    }
    try await Self.beat()
    // Neither reads nor image look-ups wait for a writer.
    #expect(try await database.fetchOffers(OfferQuery()).count == 1)
    #expect(try await database.findImage("a") != nil)
    #expect(try await database.touchImage("a"))
    let closing = Task {
      try await database.close()
      events.add("closed")
    }
    try await Self.beat()
    #expect(events.all == [])
    other.unlock()
    #expect(try await starring.value.map(\.didChange) == [true])
    #expect(try await opening.value.fetchOffer(named: "1").isFavorite)
    try await closing.value
    #expect(Set(events.all) == ["opened", "starred", "closed"])
  }

  @Test("runs on while its reads wait for long ones")
  func waitsForReads() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let database = try await OffersDatabase.open(path: store.path, readerCount: 2)
    let holds = [Hold(), Hold()]
    let long = holds.map { hold in Task { try await database.read { _ in hold.begin() } } }
    for hold in holds { await hold.begun() }
    let events = Events()
    let listing = Task {
      _ = try await database.fetchOffers(OfferQuery())
      events.add("listed")
    }
    try await Self.beat()
    #expect(events.all == [])
    for hold in holds { hold.end() }
    for task in long { try await task.value }
    try await listing.value
  }
}
