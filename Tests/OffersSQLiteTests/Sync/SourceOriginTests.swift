import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("The stored origin of a feed's source")
struct SourceOriginTests {
  private static let query = """
    SELECT name, chosen_source, source_origin FROM feed ORDER BY name
    """

  private static func run(_ feed: String, _ source: String, at seconds: Int = 500) -> SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: .unchanged, bytes: 0,
      startedAt: Date(timeIntervalSince1970: TimeInterval(seconds)), durationSeconds: 0)
  }

  @Test("a source is stored and forgotten with its origin, which never changes")
  func keeps() async throws {
    let store = try await Store()
    for origin in [SourceOrigin.remote, .machine, .imported] {
      let source = NamedSource("https://a.example/", origin: origin)
      try await store.database.record(
        Self.run("ibotta", source.text), remember: source, fetch: nil)
      #expect(try await store.database.findSyncState(of: "ibotta")?.source == source)
    }
    try await store.database.forgetSource(of: "ibotta")
    #expect(try store.rows(Self.query) == ["ibotta|NULL|NULL"])
    for change in [
      "chosen_source = 'x', source_origin = 'me'", "source_origin = 'machine'",
    ] {
      #expect(throws: (any Error).self) { try store.execute("UPDATE feed SET \(change)") }
    }
  }

  @Test("subscribing to the proposed feed from a page does not make its source trusted")
  func subscribes() async throws {
    let store = try await Store()
    _ = try await store.database.subscribe(to: "ibotta", source: "http://10.0.0.1/")
    #expect(try store.rows(Self.query) == ["ibotta|http://10.0.0.1/|remote"])
  }

  @Test("an import reviews the sources that it would add, and changes no other origin")
  func reviews() async throws {
    let old = try await Store()
    for (feed, source) in [("a", "https://a.example/"), ("b", "/b.json"), ("c", "/c.json")] {
      try await old.sync([FeedOffer("rice")], feed: feed)
      try await old.database.record(
        Self.run(feed, source, at: 1001), remember: NamedSource(source, origin: .machine),
        fetch: nil)
    }
    try await old.sync([FeedOffer("rice")], feed: "d")
    let new = try await Store()
    try await new.sync([FeedOffer("rice")], feed: "c")
    try await new.database.record(
      Self.run("c", "/own.json", at: 1001), remember: NamedSource("/own.json", origin: .machine),
      fetch: nil)
    let counts = try await new.database.importRecords(
      from: try await old.exported(), feeds: try await old.exported().feeds
    ) { sources in
      sources.map { source in
        var source = source
        if source.feed == "b" { source.origin = nil }
        return source
      }
    }
    #expect(
      counts.sources == [
        ImportedSource(feed: "a", text: "https://a.example/"),
        ImportedSource(feed: "b", text: "/b.json", origin: nil),
      ])
    let rows = try new.rows(Self.query)
    #expect(
      rows == [
        "a|https://a.example/|import", "b|NULL|NULL", "c|/own.json|machine", "d|NULL|NULL",
        "ibotta|NULL|NULL",
      ])
    // A source that the database already has keeps its origin.
    try await new.database.record(
      Self.run("a", "https://a.example/", at: 1002),
      remember: NamedSource("https://a.example/", origin: .machine), fetch: nil)
    let again = try await new.database.importRecords(
      from: try await new.exported(), feeds: try await new.exported().feeds)
    #expect(again.sources.isEmpty)
    #expect(try new.rows(Self.query)[0] == "a|https://a.example/|machine")
  }

  @Test("a refused source aborts the import, which leaves nothing behind")
  func refuses() async throws {
    let old = try await Store()
    try await old.sync([FeedOffer("rice")], feed: "b")
    try await old.database.record(
      Self.run("b", "/b.json", at: 1001), remember: NamedSource("/b.json", origin: .machine),
      fetch: nil)
    let (new, kept) = (try await Store(), try await old.exported())
    await #expect(throws: OffersError.self) {
      try await new.database.importRecords(from: kept, feeds: kept.feeds) { _ in
        throw OffersError(.invalidRequest, "No.")
      }
    }
    #expect(try new.rows(Self.query) == ["ibotta|NULL|NULL"])
    #expect(try new.rows("SELECT count(*) FROM offer") == ["0"])
  }
}
