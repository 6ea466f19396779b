import Dispatch
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

  @Test("hosts are read at once: one that waits for another one does not keep it waiting")
  func readsHostsAtOnce() async throws {
    let home = try Home()
    let gate = DispatchSemaphore(value: 0)
    let feed = "<rss version='2.0'><channel><item><title>Tea</title></item></channel></rss>"
    func server(_ isReady: @escaping @Sendable () -> Bool) throws -> ScriptedServer {
      let step = ScriptedServer.Step.byRequest { _ in
        isReady() ? .answer("200 OK", [], feed) : .answer("404 Not Found", [], "")
      }
      return try ScriptedServer(Array(repeating: step, count: 4))
    }
    let first = try server { gate.wait(timeout: .now() + 15) == .success }
    let second = try server {
      gate.signal()
      return true
    }
    let path = try home.folder.write(
      Self.list([("One", first.url("/a")), ("Two", second.url("/a"))]), to: "feeds.opml")
    let added = try await home.expect("feeds", "import", path)
    #expect(added.errors.contains("Two: added as two"), "\(added.errors)")
    #expect(added.errors.contains("One: added as one"), "\(added.errors)")
  }
}
