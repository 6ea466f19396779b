import Foundation
import OffersCore
import Testing

@Suite("Broken feeds")
struct BrokenFeedTests {
  /// Syncs a valid feed, then a broken one, and checks that nothing changed.
  private func refuse(_ text: String, code: OffersError.Code) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...15))
    let before = try await home.database.fetchOffers(OfferQuery())
    let run = try await home.sync(text)
    #expect(run.outcome == .failed)
    #expect(run.error?.code == code)
    #expect(run.error?.hint?.text.isEmpty == false)
    #expect(run.counts.new == 0 && run.counts.changed == 0 && run.counts.unchanged == 0)
    #expect(run.bytes == text.utf8.count)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    // The failure is recorded, and the validators of the stored offers are unchanged.
    let feed = try await home.feed()
    #expect(feed.lastRun?.error?.message == run.error?.message)
    #expect(try await home.sync(FeedText.feed(1...15)).outcome == .unchanged)
  }

  @Test("a feed truncated at any of 20 places is refused", arguments: 0..<20)
  func refusesTruncation(place: Int) async throws {
    let text = FeedText.feed(1...15)
    try await refuse(String(text.prefix(1 + place * (text.count - 2) / 19)), code: .malformedFeed)
  }

  @Test(
    "an empty document, a web page and trailing garbage are refused",
    arguments: ["", " \n", "<!DOCTYPE html><html></html>", "[] x", "[{\"id\":\"1\"", "null,"])
  func refusesGarbage(text: String) async throws {
    try await refuse(text, code: .malformedFeed)
  }

  @Test(
    "a document with an unexpected structure is refused",
    arguments: ["{}", #"{"error":"busy"}"#, "null", "7", #"[{"id":"1"},{"name":"x"}]"#, "[1,2]"])
  func refusesShape(text: String) async throws {
    try await refuse(text, code: .unexpectedShape)
  }

  @Test("a missing file, a folder and an unsupported scheme have their own errors")
  func refusesSources() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let missing = try await home.sync(from: home.folder.file("none.json"))
    #expect(missing.error?.code == .notFound)
    #expect(missing.error?.message.contains("none.json") == true)
    let folder = try await home.sync(from: home.folder.path)
    #expect(folder.error?.message.contains("is a folder") == true)
    await #expect(throws: OffersError.self) { try await home.sync(from: "ftp://example.com/x") }
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("a failing source is recorded in the run and not remembered", arguments: ["{}", nil])
  func doesNotRememberFailures(text: String?) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let good = try await home.feed()
    let path = home.folder.file("other.json")
    if let text { try home.folder.write(text, to: "other.json") }
    let run = try await home.sync(from: path, at: 2_000)
    let feed = try await home.feed()
    #expect(feed.source == good.source)
    #expect(feed.lastRun?.outcome == .failed)
    #expect(feed.lastRun?.source == path)
    #expect(feed.lastRun?.error == run.error)
    #expect(feed.lastSuccessAt == good.lastSuccessAt)
  }

  @Test("all invalid records are counted, and the first 20 reported with their positions")
  func limitsWhatItTells() async throws {
    let home = try await SyncedFolder()
    let broken = Array(repeating: "7", count: 25)
    let repeated = Array(repeating: FeedText.record(1), count: 5)
    let run = try await home.sync(FeedText.list([FeedText.record(1)] + broken + repeated))
    #expect(run.counts.all == [1, 0, 0, 0, 0, 30])
    #expect(run.problems.map(\.position) == Array(2...21))
    #expect(run.problems.allSatisfy { $0.effect == .skipped })
  }
}
