import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Feeds without a source")
struct SourcelessFeedTests {
  private static let now = Date(timeIntervalSince1970: 1_000)

  @Test("a sync that names no source invents no offers, and says that one is to be named")
  func inventsNothing() async throws {
    let home = try await SyncedFolder()
    let engine = SyncEngine(store: home.database)
    let error = await #expect(throws: OffersError.self) { try await engine.sync("ibotta") }
    #expect(error?.code == .notFound)
    #expect(error?.message == "ibotta has no source of its own.")
    #expect(error?.hint?.text == "Nothing was changed. Name one.")
    #expect(error?.hint?.command == "offers sync ibotta --from URL-OR-FILE")
    await #expect(throws: OffersError.self) { try await engine.preview("ibotta") }
    await #expect(throws: OffersError.self) {
      try await engine.check(FeedConfiguration.shipped.fetch("ibotta"), from: nil)
    }
    #expect(try await home.ids().isEmpty)
    #expect(try await home.feed().lastRun == nil)
  }

  @Test("a sync of what is due skips a feed without a source")
  func skipsWhenDue() async throws {
    let home = try await SyncedFolder()
    let run = try await SyncEngine(store: home.database).sync(
      "ibotta", options: SyncOptions(reason: .due))
    #expect(run.outcome == .skipped && run.skip == .sourceless)
    #expect(try await home.feed().lastRun == nil)
  }

  @Test("the sample is read when it is named, and read again by later syncs")
  func readsTheNamedSample() async throws {
    let home = try await SyncedFolder()
    let engine = SyncEngine(store: home.database, now: { Self.now })
    let first = try await engine.sync("ibotta", options: SyncOptions(source: .sample))
    #expect(first.counts.new == 64 && first.source == "sample")
    #expect(try await engine.sync("ibotta").outcome == .unchanged)
    let due = try await engine.sync("ibotta", options: SyncOptions(reason: .due))
    #expect(due.outcome == .skipped && due.skip != .sourceless)
  }

  @Test("the program reads the sample of a feed without a source, and remembers no source for it")
  func fallsBack() async throws {
    let home = try await SyncedFolder()
    let engine = SyncEngine(store: home.database, now: { Self.now })
    var options = SyncOptions(reason: .due)
    options.fallbackSource = FeedSummary.fallbackSource
    #expect(try await engine.sync("ibotta", options: options).counts.new == 64)
    guard case .fresh = try await engine.sync("ibotta", options: options).skip else {
      Issue.record("The feed is due although it was just synced.")
      return
    }
    options.reason = .asked
    #expect(try await engine.sync("ibotta", options: options).outcome == .unchanged)
    #expect(try await home.database.findSyncState(of: "ibotta")?.source == nil)
    let error = await #expect(throws: OffersError.self) { try await engine.sync("ibotta") }
    #expect(error?.code == .notFound)
  }

  @Test("a named source that is not one is refused before anything is written")
  func refusesInvalidSources() async throws {
    let home = try await SyncedFolder()
    let engine = SyncEngine(store: home.database)
    let sources: [SyncSource] = [
      .url("offers.json"), .url("ftp://a.example/"), .url(""), .file(""),
      .url("https://me:secret@a.example/"),
    ]
    for source in sources {
      let error = await #expect(throws: OffersError.self) {
        try await engine.sync("ibotta", options: SyncOptions(source: source))
      }
      #expect(error?.code == .invalidRequest)
    }
    #expect(try await home.feed().lastRun == nil)
  }

  @Test("a typed text is a URL, a file, standard input or the sample")
  func readsTypedTexts() throws {
    #expect(SyncSource(typed: "-") == .standardInput)
    #expect(SyncSource(typed: "sample") == .sample)
    #expect(SyncSource(typed: "./sample") == .file("./sample"))
    #expect(SyncSource(typed: "https://a.example/{page}") == .url("https://a.example/{page}"))
    let url = try #require(URL(string: "https://a.example/x?y=1"))
    #expect(SyncSource.url(url) == .url("https://a.example/x?y=1"))
    #expect(SyncSource.file(URL(filePath: "/tmp/a b.json")) == .file("/tmp/a b.json"))
  }
}
