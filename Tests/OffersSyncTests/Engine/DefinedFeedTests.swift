import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSQLite
import OffersStore
import OffersSync
import OffersTestSupport
import TestStores
import Testing

/// A database, and feeds that a YAML text defines.
private struct DefinedFeeds {
  let folder: TemporaryFolder
  let database: OffersDatabase
  let engine: SyncEngine

  init(
    _ yaml: String, variables: [String: String] = [:], log: RecordedLog = RecordedLog()
  ) async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.openNew(in: folder)
    engine = SyncEngine(
      store: database, configuration: try FeedConfiguration(yaml: yaml, name: "feeds.yaml"),
      environment: { variables[$0] }, logger: log.logger)
  }

  func names() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.name)
  }
}

@Suite("Feeds from definitions")
struct DefinedFeedTests {
  private static func page(_ ids: ClosedRange<Int>, rest: String = "") -> String {
    let items = ids.map { #"{"id":\#($0),"title":"Movie \#($0)"}"# }.joined(separator: ",")
    return #"{"results":[\#(items)]\#(rest)}"#
  }

  private static func paged(_ source: String, _ more: String = "") -> String {
    """
    feeds:
      films:
        source: \(source)
        items: results
        id: id
        fields: {name: title}
    \(more)
    """
  }

  @Test("numbered pages are read to the last, and an offer on two pages is stored once")
  func readsNumberedPages() async throws {
    let server = try ScriptedServer([
      .answer("200 OK", [], Self.page(1...20, rest: #","total_pages":2"#)),
      .answer("200 OK", [], Self.page(20...39, rest: #","total_pages":2"#)),
    ])
    let feeds = try await DefinedFeeds(
      Self.paged(server.url("/films?page={page}"), "    pages: {total: total_pages}"))
    let run = try await feeds.engine.run("films")
    #expect(run.error == nil)
    #expect(run.counts.new == 39 && run.counts.skipped == 0)
    #expect(
      server.requests.map { $0.split(separator: " ")[1] } == ["/films?page=1", "/films?page=2"])
  }

  @Test("the definition's limit on pages is obeyed")
  func keepsToThePageLimit() async throws {
    let server = try ScriptedServer([
      .answer("200 OK", [], Self.page(1...2)), .answer("200 OK", [], Self.page(3...4)),
      .answer("200 OK", [], Self.page(5...6)),
    ])
    let feeds = try await DefinedFeeds(
      Self.paged(server.url("/{page}"), "    pages: {limit: 2, first: 0}"))
    #expect(try await feeds.engine.run("films").counts.new == 4)
    #expect(server.requests.count == 2)
  }

  @Test("an empty page or the first missing page ends the feed")
  func endsAtAnEmptyPage() async throws {
    for end in [
      ScriptedServer.Step.answer("200 OK", [], #"{"results":[]}"#),
      .answer("404 Not Found", [], ""),
    ] {
      let server = try ScriptedServer([.answer("200 OK", [], Self.page(1...2)), end])
      let feeds = try await DefinedFeeds(Self.paged(server.url("/{page}")))
      let run = try await feeds.engine.run("films")
      #expect(run.error == nil && run.counts.new == 2)
    }
  }

  @Test("a page that fails makes the whole sync fail")
  func failsWithAPage() async throws {
    let server = try ScriptedServer([
      .answer("200 OK", [], Self.page(1...2)), .answer("500 Internal Server Error", [], ""),
    ])
    let feeds = try await DefinedFeeds(Self.paged(server.url("/{page}")))
    #expect(try await feeds.engine.run("films").outcome == .failed)
    #expect(try await feeds.names() == [])
  }

  @Test("the next page's address is read from the document or from the Link header")
  func followsNextPages() async throws {
    let byPath = try ScriptedServer([
      .answer("200 OK", [], Self.page(1...2, rest: #","links":{"next":"/more?b=2"}"#)),
      .answer("200 OK", [], Self.page(3...4, rest: #","links":{"next":null}"#)),
    ])
    var feeds = try await DefinedFeeds(
      Self.paged(byPath.url("/a"), "    pages: {next: links.next}"))
    #expect(try await feeds.engine.run("films").counts.new == 4)
    #expect(byPath.requests.last?.hasPrefix("GET /more?b=2 ") == true)
    let byHeader = try ScriptedServer([
      .answer(
        "200 OK", [#"Link: </first>; rel="first", <next?page=2>; rel="next""#],
        Self.page(1...2)),
      .answer("200 OK", [#"Link: </a>; rel=prev"#], Self.page(3...5)),
    ])
    feeds = try await DefinedFeeds(
      Self.paged(byHeader.url("/x/a"), "    pages: {next: link-header}"))
    #expect(try await feeds.engine.run("films").counts.new == 5)
    #expect(byHeader.requests.last?.hasPrefix("GET /x/next?page=2 ") == true)
  }

  @Test("a cycle of pages is detected and ends the feed")
  func endsACircle() async throws {
    let again = ScriptedServer.Step.answer(
      "200 OK", [], Self.page(1...2, rest: #","links":{"next":"/again"}"#))
    let server = try ScriptedServer([again, again, again])
    let feeds = try await DefinedFeeds(
      Self.paged(server.url("/a"), "    pages: {next: links.next}"))
    #expect(try await feeds.engine.run("films").counts.new == 2)
    #expect(server.requests.count == 2)
  }

  @Test("a header's variable that a server repeats in a redirect is in no line of the log")
  func keepsHeadersOutOfTheLog() async throws {
    let server = try ScriptedServer([
      .answer("302 Found", ["Location: /b?token=s3cr3t%2F42"], ""),
      .answer("200 OK", [], #"{"results":[{"id":1,"title":"Tea"}]}"#),
    ])
    let log = RecordedLog()
    let feeds = try await DefinedFeeds(
      Self.paged(server.url("/a"), #"    headers: {Authorization: "Bearer {env:K}"}"#),
      variables: ["K": "s3cr3t/42"], log: log)
    #expect(try await feeds.engine.run("films").counts.new == 1)
    #expect(log.lines.contains { $0.contains("/b?token={env:K} answered 200") })
    #expect(log.lines.filter { $0.contains("s3cr3t") } == [])
  }

  @Test(
    "a variable's value appears in the request and nowhere else, and is sent to no other server")
  func keepsHeadersPrivate() async throws {
    let other = try ScriptedServer([.answer("200 OK", [], #"{"items":[]}"#)])
    let server = try ScriptedServer([
      .answer("401 Unauthorized", [], #"{"status_message":"Bad token Bearer s3cr3t/42"}"#),
      .answer(
        "200 OK", [],
        ##"{"items":[{"id":1,"name":"Tea","until":"s3cr3t%2F42","page":"#one"}],"next":"\##(other.url("/2"))"}"##
      ),
    ])
    let yaml = """
      feeds:
        shop:
          source: \(server.url("/a?k={env:K}"))
          headers: {Authorization: "Bearer {env:K}"}
          items: items
          id: id
          fields: {name: name, expires: until, link: page}
          pages: {next: next, other-hosts: true}
          error: status_message
      """
    let feeds = try await DefinedFeeds(yaml, variables: ["K": "s3cr3t/42"])
    let refused = try await feeds.engine.run("shop")
    #expect(refused.error?.message.contains("Bad token Bearer {env:K}") == true)
    let run = try await feeds.engine.run(
      "shop", options: SyncOptions(allowsPrivateNetwork: true))
    #expect(run.counts.new == 1)
    #expect(run.problems.first?.reason.contains("{env:K}") == true)
    #expect(server.requests.last?.contains("Authorization: Bearer s3cr3t/42") == true)
    #expect(server.requests.last?.contains("/a?k=s3cr3t%2F42 ") == true)
    let feed = try #require(try await feeds.database.fetchFeeds().first { $0.name == "shop" })
    #expect(feed.source == server.url("/a?k={env:K}"))
    #expect(other.requests.count == 1)
    #expect(other.requests.first?.contains("s3cr3t") == false)
    #expect("\(refused) \(run)".contains("s3cr3t") == false)
    let offer = try await feeds.database.fetchOffer(named: "shop:1")
    #expect(offer.urlText == server.url("/a#one"))
    for suffix in ["", "-wal"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: feeds.database.place + suffix))
      #expect(bytes.range(of: Data("s3cr3t".utf8)) == nil)
    }
  }

  @Test("an unset variable is reported by its name before any request")
  func missesVariables() async throws {
    let server = try ScriptedServer([])
    let feeds = try await DefinedFeeds(Self.paged(server.url("/{env:FILMS_KEY}")))
    let run = try await feeds.engine.run("films")
    #expect(run.error?.message == "The environment variable FILMS_KEY is not set.")
    #expect(
      run.error?.hint?.text.hasPrefix("The source \(server.url("/{env:FILMS_KEY}")) uses it")
        == true)
    let keyed = try await DefinedFeeds(
      Self.paged(server.url("/"), "    headers: {X-Key: \"{env:FILMS_KEY}\"}"))
    let refused = try await keyed.engine.run("films")
    #expect(refused.error?.message == "The environment variable FILMS_KEY is not set.")
    #expect(refused.error?.hint?.text.hasPrefix("The header X-Key uses it") == true)
    #expect(server.requests.isEmpty)
  }

  @Test("a selection removes no offers and may be empty")
  func keepsWhatASelectionLacks() async throws {
    let feeds = try await DefinedFeeds(
      Self.paged("/nowhere.json", "    selection: true"))
    func sync(_ text: String) async throws -> SyncRun {
      try await feeds.engine.run(
        "films",
        options: SyncOptions(source: .file(try feeds.folder.write(text, to: "films.json"))))
    }
    #expect(try await sync(Self.page(1...30)).counts.new == 30)
    let other = try await sync(Self.page(41...42))
    #expect(other.outcome == .updated && other.counts.all == [2, 0, 0, 0, 0, 0])
    let none = try await sync(#"{"results":[]}"#)
    #expect(none.outcome == .updated && none.counts == SyncCounts())
    #expect(try await feeds.names().count == 32)
  }

  @Test(
    "letters are decoded correctly whatever encoding the server declares",
    arguments: [
      "Content-Type: application/json; charset=ISO-8859-1",
      "Content-Type: application/json; charset=utf-8", "Content-Type: text/plain",
      "Content-Type: text/html; charset=us-ascii",
    ])
  func landsLetters(header: String) async throws {
    let text = #"{"results":[{"id":1,"title":"Caf\u{E9} \u{C9}t\u{E9}"}]}"#
      .replacing(#"\u{E9}"#, with: "\u{E9}").replacing(#"\u{C9}"#, with: "\u{C9}")
    let latin = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    let utf16 = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for body in [latin, Array(text.utf8), utf16, [0xFF, 0xFE] + utf16] {
      let head = "HTTP/1.1 200 OK\r\n\(header)\r\nContent-Length: \(body.count)\r\n\r\n"
      let server = try ScriptedServer([.send(Array(head.utf8) + body)])
      let feeds = try await DefinedFeeds(Self.paged(server.url()))
      let run = try await feeds.engine.run("films")
      #expect(run.error == nil)
      #expect(try await feeds.names() == ["Café Été"])
    }
  }

  @Test("the document's title and shared attributes are stored and updated")
  func keepsFacts() async throws {
    let yaml = Self.paged(
      "/nowhere.json",
      """
          title: {from: about.title}
          shared: {Copyright: about.copyright}
          attributes: {Year: year}
      """)
    let feeds = try await DefinedFeeds(yaml)
    for (title, copyright) in [("Films", "© A"), ("Best films", "© B")] {
      let text = """
        {"results":[{"id":1,"title":"One","year":1999}],
         "about":{"title":"\(title)","copyright":"\(copyright)"}}
        """
      let run = try await feeds.engine.run(
        "films", options: SyncOptions(source: .file(try feeds.folder.write(text, to: "films.json")))
      )
      #expect(run.counts.changed == 0)
      let feed = try await feeds.database.fetchFeeds().first { $0.name == "films" }
      #expect(feed?.title == title)
      #expect(
        try await feeds.database.fetchOffer(named: "films:1").attributes == [
          OfferAttribute(label: "Year", value: "1999"),
          OfferAttribute(label: "Copyright", value: copyright),
        ])
    }
  }

  @Test("a compressed file is decompressed and read")
  func readsCompressedFiles() async throws {
    let feeds = try await DefinedFeeds("feeds: {}")
    let path = try feeds.folder.write(Data(FeedText.compressed), to: "feed.json.gz")
    let run = try await feeds.engine.run("ibotta", options: SyncOptions(source: .file(path)))
    #expect(run.error == nil && run.counts.new == 1)
    #expect(try await feeds.names() == ["Tea 1"])
  }

  @Test("the start of a document is read over HTTP until the reader has enough")
  func readsStart() async throws {
    let server = try ScriptedServer([
      .answer("200 OK", [], String(repeating: "a", count: 300_000))
    ])
    let feeds = try await DefinedFeeds("feeds: {}")
    var count = 0
    let start = try await feeds.engine.readStart(
      of: [Template([.literal(server.url())])]
    ) { bytes, _ in
      count += bytes.count
      return count < 1000
    }
    #expect(start.address == server.url())
    #expect((1000..<300_000).contains(count))
  }
}
