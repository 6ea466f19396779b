import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import Testing

/// Serialized: a sync that waits for a pipe occupies a thread.
@Suite("Slow feeds", .serialized, .timeLimit(.minutes(1)))
struct SlowFeedTests {
  private func makePipe(in home: SyncedFolder) throws -> String {
    let path = home.folder.file("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// A feed of several hundred kilobytes, in two halves.
  private func halves(_ ids: ClosedRange<Int>) -> (String, String) {
    let text = FeedText.feed(ids)
    let middle = text.index(text.startIndex, offsetBy: text.count / 2)
    return (String(text[..<middle]), String(text[middle...]))
  }

  @Test("while a large feed is read, favorites can be set and a second sync is refused as locked")
  func writesWhileReading() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let path = try makePipe(in: home)
    let (first, rest) = halves(1...8_000)
    let writer = PipeWriter(first, rest, to: path)
    async let run = home.sync(from: path, at: 2_000)
    await writer.waitForHalf()
    let changes = try await home.database.setFavorites(named: ["2"], to: true)
    #expect(changes.map(\.didChange) == [true])
    let other = try await OffersDatabase.open(path: home.database.place)
    _ = try await other.setFavorites(named: ["3"], to: true)
    #expect(try await home.ids() == ["1", "2", "3"])
    let refusal = await #expect(throws: OffersError.self) {
      try await home.sync(from: "sample", lockWaitSeconds: 0.1)
    }
    #expect(refusal?.code == .locked)
    writer.goOn()
    #expect(try await run.counts.all == [7_997, 0, 0, 0, 3, 0])
    let favorites = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(favorites.map(\.ref.offerID) == ["2", "3"])
    // The lock is free again.
    #expect(try await home.sync(FeedText.feed(1...8_001), lockWaitSeconds: 0).counts.new == 1)
  }

  @Test("the same bytes through a pipe are recognized as unchanged")
  func knowsBytesFromAPipe() async throws {
    let home = try await SyncedFolder()
    let (first, rest) = halves(1...3_000)
    try await home.sync(first + rest)
    let path = try makePipe(in: home)
    let writer = PipeWriter(first, rest, to: path)
    writer.goOn()
    let run = try await home.sync(from: path)
    #expect(run.outcome == .unchanged)
    #expect(run.bytes == (first + rest).utf8.count)
    #expect(try await home.feed().source == path)
  }

  @Test("a pipe that is closed halfway changes nothing")
  func refusesHalfAFeed() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let before = try await home.database.fetchOffers(OfferQuery())
    let path = try makePipe(in: home)
    let writer = PipeWriter(halves(1...8_000).0, "", to: path)
    writer.goOn()
    let run = try await home.sync(from: path)
    #expect(run.error?.code == .malformedFeed)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    #expect(try await home.feed().source != path)
  }
}
