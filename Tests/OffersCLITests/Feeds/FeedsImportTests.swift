import OffersTestSupport
import Testing

@Suite("The import of a list of feeds")
struct FeedsImportTests {
  /// A server with a feed of two offers at each path but `/none`.
  private static func server() throws -> ScriptedServer {
    let step = ScriptedServer.Step.byRequest { request in
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      if path == "/none" { return .answer("404 Not Found", [], "No") }
      return .answer(
        "200 OK", [],
        """
        <rss version="2.0"><channel><title>Feed \(path)</title>
        <item><guid>\(path)-1</guid><title>Tea</title></item>
        <item><guid>\(path)-2</guid><title>Jam</title></item></channel></rss>
        """)
    }
    return try ScriptedServer(Array(repeating: step, count: 60))
  }

  private static func list(_ feeds: [(title: String, address: String)]) -> String {
    let outlines = feeds.map { #"<outline text="\#($0.title)" xmlUrl="\#($0.address)"/>"# }
    return "<opml version=\"2.0\"><body>\(outlines.joined(separator: "\n"))</body></opml>"
  }

  @Test(
    "each feed is subscribed and synced with a line of its own, and a second import adds the rest")
  func addsAll() async throws {
    let home = try Home()
    let (first, second) = (try Self.server(), try Self.server())
    let feeds = [
      ("Tea", first.url("/tea")), ("Jam", second.url("/jam")), ("Tea", first.url("/tea2")),
      ("Again", first.url("/tea")), ("Gone", second.url("/none")), ("File", "/etc/passwd"),
    ]
    let path = try home.folder.write(Self.list(feeds), to: "feeds.opml")
    let added = try await home.call("feeds", "import", path)
    #expect(added.status == 3, "\(added.errors)")
    for line in [
      "Tea: added as tea", "Jam: added as jam", "Tea: added as tea-2",
      "Again: is there already, as tea", "Gone: not added.", "File: not added.",
      "Added 3 feeds, not added 2",
    ] {
      #expect(added.errors.contains(line), "\(line) is not in \(added.errors)")
    }
    for name in ["tea", "jam", "tea-2"] {
      #expect(added.output.contains("\(name): 2 new"))
    }
    #expect(added.output.contains("3 feeds, 6 offers: 6 new"))
    let subscribed = try await home.expect("feeds").output
    for name in ["tea", "jam", "tea-2"] { #expect(subscribed.contains(name)) }
    // Each document is loaded once.
    #expect(first.requests.count == 2)
    let more = try home.folder.write(
      Self.list(feeds.prefix(3) + [("Milk", second.url("/milk"))]), to: "more.opml")
    let again = try await home.expect("feeds", "import", more)
    #expect(again.errors.contains("Milk: added as milk"))
    #expect(again.errors.contains("Added 1 feed\n"))
  }

  @Test("hosts are read at once: one that gives no answer does not keep the others waiting")
  func doesNotWait() async throws {
    let home = try Home()
    let silent = try ScriptedServer(Array(repeating: .silence, count: 4))
    let other = try Self.server()
    let path = try home.folder.write(
      Self.list([("Silent", silent.url("/a")), ("Tea", other.url("/tea"))]), to: "feeds.opml")
    let running = Task { try await home.call("feeds", "import", path) }
    let deadline = ContinuousClock.now + .seconds(15)
    var offers = ""
    while ContinuousClock.now < deadline, !offers.contains("Jam") {
      offers = try await home.call("list", "--feed", "tea").output
      await Task.yield()
    }
    #expect(offers.contains("Jam"))
    // What was added is there although the import does not come to its end.
    running.cancel()
    _ = try? await running.value
    #expect(try await home.expect("feeds").output.contains("tea"))
  }
}
