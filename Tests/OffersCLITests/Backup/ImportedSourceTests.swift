import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("The sources of an import")
struct ImportedSourceTests {
  /// Returns an export of feeds with one offer each.
  private static func export(_ sources: [(feed: String, source: String)]) -> String {
    func text(_ value: String) -> String {
      value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\u{1B}", with: "\\u001b").replacing("\n", with: "\\n")
    }
    let feeds = sources.map {
      "{\"name\":\"\($0.feed)\",\"source\":\"sample\",\"chosen_source\":\"\(text($0.source))\","
        + "\"subscribed_at\":\"2026-11-21T09:07:22Z\"}"
    }
    let offers = sources.map {
      "{\"ref\":\"\($0.feed):1\",\"name\":\"Tea\",\"first_seen_at\":\"2026-11-21T09:07:22Z\","
        + "\"changed_at\":\"2026-11-21T09:07:22Z\"}"
    }
    return
      "{\"format\":\"offers-export\",\"version\":1,\"feeds\":[\(feeds.joined(separator: ","))],"
      + "\"runs\":[],\"offers\":[\(offers.joined(separator: ","))],\"changes\":[],\"favorites\":[]}"
  }

  private static func sources(_ home: Home) async throws -> [String: String] {
    let feeds = try await home.callDocument("status")["feeds"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: feeds.compactMap { feed in
        (feed["name"] as? String).map { ($0, feed["source"] as? String ?? "") }
      })
  }

  @Test("each source that an import adopts is listed, in the JSON too, without control characters")
  func tells() async throws {
    let home = try Home()
    let text = Self.export([
      ("ibotta", "https://a.example/\u{1B}[31m\nx"), ("facts", "https://b.example/{page}"),
      ("albums", "sample"),
    ])
    let result = try home.offers("import", "-", input: text)
    #expect(result.status == 0)
    #expect(
      result.errors == """
        ibotta: now read from https://a.example/␛[31m x
        facts: now read from https://b.example/{page}
        albums: now read from sample

        """)
    let again = try home.offers("import", "-", input: text)
    #expect(again.status == 0)
    #expect(again.errors == "")
    let other = try Home()
    let document = try Home.parse(try other.offers("import", "-", "--json", input: text).output)
    let sources = try #require(document["sources"] as? [[String: Any]])
    #expect(sources.map { $0["feed"] as? String } == ["ibotta", "facts", "albums"])
    #expect(sources.allSatisfy { $0["taken"] as? Bool == true })
  }

  @Test(
    "sources with variables, files and private networks are left out and named, the rest is taken",
    arguments: [
      ("https://a.example/?k={env:HOME}", "with a variable", "variable"),
      ("/etc/hostname", "a file", "file"), ("feed.json", "a file", "file"),
      ("-", "cannot be read", "unreadable"), ("ftp://a.example/", "cannot be read", "unreadable"),
      ("http://192.168.1.5/x", "in a private network", "private network"),
      ("http://[::1]/", "in a private network", "private network"),
      ("http://localhost:1/", "in a private network", "private network"),
      ("http://0x7f.1/", "in a private network", "private network"),
    ])
  func leavesOut(source: String, reason: String, name: String) async throws {
    let empty = try Home()
    let lived = try await Home(synced: [FeedItem("7", "Jam")])
    let text = Self.export([("facts", "https://b.example/"), ("albums", source)])
    for (number, home) in [empty, lived].enumerated() {
      let result = try home.offers("import", "-", input: text)
      #expect(result.status == 0)
      #expect(result.output.contains("2 new offers") && result.output.contains("1 source left out"))
      #expect(result.errors.hasPrefix("facts: now read from https://b.example/\n"))
      #expect(
        result.errors.contains("albums: its source \(source) was left out (\(reason))\n"),
        "\(result.errors)")
      let isOurs = ["file", "private network"].contains(name)
      #expect(result.errors.contains("offers import - --accept-sources") == isOurs)
      #expect(
        result.errors.contains("Only a definition may have a variable.") == (name == "variable"))
      let sources = try await Self.sources(home)
      #expect(sources["facts"] == "https://b.example/" && sources["albums"] != source)
      #expect(sources.count == [3, 3][number])
      let again = try Home.parse(try home.offers("import", "-", "--json", input: text).output)
      let left = try #require(again["sources"] as? [[String: Any]])
      #expect(left.map { $0["feed"] as? String } == ["albums"])
      #expect(left.map { $0["taken"] as? Bool } == [false])
      #expect(left.map { $0["left_out_because"] as? String } == [name])
    }
    #expect(try await lived.call("list", "--feed", "ibotta").output.contains("Jam"))
  }

  @Test("a sync without the source that was left out replaces no offer by one of the sample")
  func keepsOffers() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let text = try await home.call("export").output
    let other = try Home()
    #expect(try other.offers("import", "-", input: text).status == 0)
    try await other.expect(
      "sync", status: 66, says: ["ibotta has no source of its own.", "offers sync ibotta --from"])
    #expect(try await other.call("export").output.contains("\"name\":\"Tea\""))
  }

  @Test("--accept-sources adopts local sources; one with a variable is left out and reported")
  func accepts() async throws {
    let home = try Home()
    let server = try ScriptedServer([.answer("200 OK", [], #"[{"id":"1","name":"Tea"}]"#)])
    let file = try home.feed([FeedItem("1", "Tea")])
    let text = Self.export([
      ("ibotta", server.url()), ("facts", file), ("albums", "https://a.example/{env:HOME}"),
      ("movies", "-"),
    ])
    let result = try home.offers("import", "-", "--accept-sources", "--json", input: text)
    #expect(result.status == 0)
    #expect(
      result.errors == """
        ibotta: now read from \(server.url())
        facts: now read from \(file)
        albums: its source https://a.example/{env:HOME} was left out (with a variable)
        movies: its source - was left out (cannot be read)
        Only a definition may have a variable. Write such a source as source: into that of the feed.

        """)
    let sources = try Home.parse(result.output)["sources"] as? [[String: Any]]
    #expect(sources?.map { $0["taken"] as? Bool } == [true, true, false, false])
    #expect(try await Self.sources(home)["albums"]?.contains("env:") == false)
    #expect(try await home.call("sync", "ibotta").output.hasPrefix("ibotta: 0 new"))
    #expect(server.requests.count == 1)
  }

  @Test("an imported source whose host name resolves to this machine is not read")
  func guardsSyncs() async throws {
    let home = try Home()
    let server = try ScriptedServer([.answer("200 OK", [], #"[{"id":"1","name":"Tea"}]"#)])
    let url = server.url().replacing("127.0.0.1", with: "localhost")
    try home.offers("import", "-", input: Self.export([("ibotta", "https://a.example/")]))
    // Stores a source whose host name has come to resolve to this machine since the import.
    let database = try await home.store.open()
    try await database.record(
      SyncRun(
        feed: "ibotta", source: url, outcome: .unchanged, bytes: 0, startedAt: Date(),
        durationSeconds: 0),
      remember: ChosenSource(url, origin: .imported), fetch: nil)
    try await home.expect(
      "sync", "ibotta", status: 1,
      says: [
        "not on the public internet", "The source came with an import.",
        "offers sync ibotta --from \(url)",
      ])
    #expect(server.requests.isEmpty)
  }

  @Test("an export moved to another machine is complete once its sources are accepted")
  func moves() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let text = try await home.call("export").output
    #expect(try home.offers("import", "-", input: text).status == 0)
    let other = try Home()
    let first = try other.offers("import", "-", input: text)
    #expect(first.status == 0)
    #expect(
      first.errors.contains(
        "ibotta: its source \(home.folder.file("feed.json")) was left out (a file)"))
    #expect(try other.offers("import", "-", "--accept-sources", input: text).status == 0)
    #expect(try await other.call("export").output == text)
    #expect(try other.offers("import", "-", input: text).errors == "")
  }
}
