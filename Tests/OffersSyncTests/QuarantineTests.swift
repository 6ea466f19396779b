import OffersCore
import Testing

@Suite("Removals that are held back")
struct QuarantineTests {
  @Test("an empty list removes nothing, says so each time, and is believed when told to")
  func holdsBackAnEmptyList() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    for _ in 0..<2 {
      let run = try await home.sync("[]")
      #expect(run.outcome == .quarantined)
      #expect(run.error?.code == .quarantined)
      #expect(run.error?.hint?.contains("--accept-removals") == true)
      #expect(try await home.ids() == ["1", "2", "3"])
    }
    let accepted = try await home.sync("[]", acceptsRemovals: true)
    #expect(accepted.counts.gone == 3)
    #expect(try await home.ids() == [])
  }

  @Test(
    "more than 10 offers and more than 10 % are held back, less is removed",
    arguments: [
      (20, 10, false), (20, 11, true), (200, 11, false), (110, 11, false), (109, 11, true),
    ])
  func knowsTheBounds(known: Int, vanishing: Int, isHeld: Bool) async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...known))
    let run = try await home.sync(FeedText.feed((vanishing + 1)...known))
    #expect((run.outcome == .quarantined) == isHeld)
    #expect(run.counts.gone == (isHeld ? 0 : vanishing))
    #expect(try await home.ids().count == (isHeld ? known : known - vanishing))
  }

  @Test("what is new and changed lands although removals are held back")
  func appliesTheRest() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let run = try await home.sync(
      FeedText.list([FeedText.record(1, reward: "$9.00 Cash Back"), FeedText.record(99)]))
    #expect(run.outcome == .quarantined)
    #expect(run.counts.all == [1, 1, 0, 0, 0, 0])
    #expect(try await home.ids().count == 31)
  }

  @Test("a source whose removals are held back is not remembered")
  func doesNotRememberTheSource() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let source = try await home.feed().source
    try await home.sync(from: try home.folder.write("[]", to: "other.json"))
    #expect(try await home.feed().source == source)
  }

  @Test("a feed of one's own replaces the sample, but an empty one does not")
  func replacesTheSample() async throws {
    let home = try SyncedFolder()
    let sample = try await home.sync(from: nil)
    #expect(sample.source == "sample" && sample.counts.new >= 60)
    #expect(try await home.sync("[]").outcome == .quarantined)
    let own = try await home.sync(FeedText.feed(1...12))
    #expect(own.outcome == .updated)
    #expect(try await home.ids() == (1...12).map(String.init))
    #expect(try await home.sync(from: "sample").outcome == .quarantined)
  }
}
