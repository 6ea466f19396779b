import OffersTestSupport
import Testing

@Suite("The feeds of a site, added by its address")
struct SiteFeedsTests {
  private static let rss = """
    <rss version="2.0"><channel><title>Deals</title>
    <item><guid>1</guid><title>Tea</title></item></channel></rss>
    """

  /// A server with documents by their paths. All other paths have the given status.
  private static func server(
    _ documents: [String: String], otherwise status: String = "404 Not Found"
  ) throws -> ScriptedServer {
    let step = ScriptedServer.Step.byRequest { request in
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      return documents[path].map { .answer("200 OK", [], $0) } ?? .answer(status, [], "No")
    }
    return try ScriptedServer(Array(repeating: step, count: 40))
  }

  private static func page(_ head: String = "") -> String {
    "<!DOCTYPE html><html><head><title>Shop</title>\(head)</head><body>Tea</body></html>"
  }

  private static func add(
    _ home: Home, _ source: String, _ options: [String] = [], with variables: [String: String] = [:]
  ) async throws -> OffersProgram.Result {
    try await home.call(["feeds", "add", "deals", source, "--yes"] + options, with: variables)
  }

  @Test(
    "the feed at any of the usual places is found",
    arguments: ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/rss"])
  func usualPlaces(path: String) async throws {
    let home = try Home()
    let server = try Self.server(["/": Self.page(), path: Self.rss])
    let added = try await Self.add(home, server.url("/"))
    #expect(added.errors.contains("Found the feed \(server.url(path))"), "\(added.errors)")
    #expect(added.output.contains("1 new"))
  }

  @Test("the products of a shop are found by its front page or a collection's")
  func shop() async throws {
    let home = try Home()
    let products = #"{"products":[{"id":1,"title":"Tea","handle":"tea","variants":[]}]}"#
    let server = try Self.server([
      "/collections/tea": Self.page(), "/products.json": products,
      "/products.json?limit=250&page=1": products,
    ])
    let added = try await Self.add(home, server.url("/collections/tea"))
    #expect(added.output.contains("1 new"), "\(added.errors)")
  }

  @Test("a linked feed that is not there is named, and the usual places are tried")
  func deadLink() async throws {
    let home = try Home()
    let link = #"<link rel="alternate" type="application/rss+xml" href="/dead.xml">"#
    let found = try await Self.add(
      home, try Self.server(["/": Self.page(link), "/rss.xml": Self.rss]).url("/"))
    #expect(found.output.contains("1 new"), "\(found.errors)")
    let other = try Home()
    let server = try Self.server(["/": Self.page(link)])
    let refused = try await Self.add(other, server.url("/"))
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains("\(server.url("/")) links to \(server.url("/dead.xml")), which"))
  }

  @Test("a server that refuses everything is not asked at all places")
  func refusing() async throws {
    let home = try Home()
    let server = try Self.server(["/": Self.page()], otherwise: "403 Forbidden")
    #expect(try await Self.add(home, server.url("/")).errors.contains("links to no feed"))
    #expect(server.requests.count == 3)
  }

  @Test("the server of the source alone receives headers and a user")
  func headers() async throws {
    let home = try Home()
    let server = try ScriptedServer([.answer("200 OK", [], Self.rss)])
    let options = ["--header", "X-Api-Key: {env:TEA_KEY}", "--user", "bob"]
    let added = try await Self.add(
      home, server.url(), options, with: ["TEA_KEY": "s3", "DEALS_PASSWORD": "pw:1"])
    #expect(added.output.contains("1 new"), "\(added.errors)")
    let request = try #require(server.requests.first).lowercased()
    #expect(request.contains("\r\nx-api-key: s3\r\n"))
    #expect(request.contains("\r\nauthorization: basic ym9ionb3oje="))
    let shown = try await home.call("feeds", "show", "deals")
    #expect(shown.output.contains("{env:TEA_KEY}") && !shown.output.contains("s3"))
    let plain = try await Self.add(try Home(), server.url(), ["--header", "X-Api-Key: s3"])
    #expect(plain.status == 64 && plain.errors.contains("{env:"), "\(plain.errors)")
  }
}
