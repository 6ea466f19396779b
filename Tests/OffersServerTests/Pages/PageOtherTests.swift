import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OffersCore
import Testing

@testable import OffersServer

@Suite("Other pages, and files")
struct PageOtherTests {
  @Test("a search marks its words, and says which ones it corrected")
  func searches() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/search?q=ground+coffee")
    #expect(page.text.contains("<mark>Coffee</mark>"))
    let corrected = try await home.show("/search?q=cofee").text
    #expect(corrected.contains("This has “<bdi>coffee</bdi>”"))
    #expect(try await home.show("/search?q=xyzzyqq").text.contains("Nothing found"))
    let start = try await home.show("/search").text
    #expect(start.contains("Recent searches"))
    #expect(start.contains(#"href="/search?q=ground%20coffee""#))
    #expect(try await home.show("/search?q=a&feed=unknown").status == 404)
  }

  @Test("a server that cannot be searched is told in an alert, above what is stored")
  func alerts() async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let page = try await home.show("/search?feed=movies&q=ferryman")
    #expect(page.text.contains(#"role="alert""#))
    #expect(page.text.contains("The server cannot be reached."))
    #expect(page.text.contains("The Last <mark>Ferryman</mark>"))
  }

  @Test("a link from another site makes nobody search, and is not remembered")
  func distrusts() async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let site = try #require(HTTPFieldName.site)
    let page = try await home.show("/search?feed=movies&q=ferryman", headers: [site: "cross-site"])
    #expect(!page.text.contains(#"role="alert""#))
    #expect(try await home.database.fetchRecentSearches().isEmpty)
  }

  @Test("a mark stands where the words are, also far behind")
  func marks() {
    let text = String(repeating: "a ", count: 100) + "tea"
    let parts = MarkedParts.parts(text, [200..<203], isExcerpt: true)
    #expect(parts.first?.child(named: "text") as? String == "… ")
    #expect(parts.last?.child(named: "text") as? String == "tea")
    #expect(parts.last?.child(named: "isMarked") as? Bool == true)
    // What does not fit the text harms nothing.
    #expect(MarkedParts.parts("ab", [1..<9, 0..<1]).count == 2)
  }

  @Test("what is new is told by day and by kind")
  func changes() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$1.00 Cash Back"}]"#)
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$2.50 Cash Back"}]"#)
    let page = try await home.show("/changes")
    #expect(page.text.contains("2 changes"))
    #expect(
      page.text.contains(
        "<del><bdi>$1.00 Cash Back</bdi></del> <ins><bdi>$2.50 Cash Back</bdi></ins>"))
    #expect(try await home.show("/changes?kind=down").text.contains("Nothing new"))
    #expect(try await home.show("/changes?kind=odd&since=never").text.contains("2 changes"))
  }

  @Test("only http and https are shown in a frame")
  func frames() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/web?url=example.com/a")
    #expect(page.text.contains(#"src="https://example.com/a" sandbox="allow-forms"#))
    #expect(page.headers[.contentSecurityPolicy]?.contains("frame-src http: https:") == true)
    #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
    #expect(!page.text.contains("allow-same-origin"))
    for url in [
      "javascript:x", "data:text/html,x", "file:///etc/passwd", "about:blank", "//x.y", "a b",
    ] {
      let refused = try await home.show("/web?url=" + PercentCode.encode(url))
      #expect(!refused.text.contains("<iframe"), "\(url)")
      #expect(refused.text.contains("Only addresses that begin"), "\(url)")
    }
    #expect(
      try await home.show("/").headers[.contentSecurityPolicy]?.contains("frame-src") == false)
  }

  @Test("settings show the feeds, those not taken up too")
  func settings() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/settings")
    #expect(page.text.contains(#"<li class="feed" data-feed="ibotta">"#))
    #expect(page.text.contains("64 offers"))
    #expect(page.text.contains("every day"))
    #expect(page.text.contains(#"data-subscribe="facts""#))
    #expect(!page.text.contains(#"data-subscribe="ibotta""#))
  }

  @Test("what is nowhere is told as a page, and to programs as a problem")
  func notFound() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/nowhere")
    #expect(page.status == 404)
    #expect(page.text.contains("<h1>Not found</h1>"))
    #expect(page.headers[.contentSecurityPolicy] != nil)
    let problem = try await home.show("/api/v1/nowhere")
    #expect(problem.status == 404)
    #expect(problem.headers[.contentType] == "application/problem+json")
  }

  @Test(
    "what is refused before any page is told people as a page too",
    arguments: [
      ("/offers/%", "The address is not well-formed.", 400),
      ("/offers/%00", "An address must not contain a null character.", 400),
    ])
  func refusals(path: String, text: String, status: Int) async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show(path, headers: [.accept: "text/html,*/*;q=0.8"])
    #expect(page.status == status)
    #expect(page.headers[.contentType] == "text/html; charset=utf-8")
    #expect(page.headers[.contentSecurityPolicy] != nil)
    #expect(page.text.contains(text))
    #expect(page.text.contains("<nav"))
    for headers: HTTPFields in [[:], [.accept: "application/json"]] {
      let problem = try await home.show(path, headers: headers)
      #expect(problem.headers[.contentType] == "application/problem+json")
    }
    let api = try await home.show("/api/v1" + path, headers: [.accept: "text/html"])
    #expect(api.headers[.contentType] == "application/problem+json")
  }

  @Test("a form of elsewhere, a wrong method and a wrong name are told as pages")
  func refusedRequests() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.ask(try home.server(port: 8080)) { client in
      // The test client names no port.
      let name = try await client.send(.get, "/", headers: [.accept: "text/html"])
      #expect(name.status == 421)
      #expect(
        name.text.contains("<p dir=\"auto\">This server does not answer to that host name.</p>"))
      // By that name neither our files nor our pages can be had.
      #expect(!name.text.contains("href="))
      #expect(!name.text.contains("src="))
    }
    try await home.ask { client in
      let form: HTTPFields = [
        .accept: "text/html", .contentType: "application/x-www-form-urlencoded",
        .origin: "http://evil.example",
      ]
      let refused = try await client.send(.post, "/sync", headers: form, body: "feed=ibotta")
      #expect(refused.status == 403)
      #expect(refused.text.contains("<h1>This cannot be done</h1>"))
      let method = try await client.send(.delete, "/", headers: [.accept: "text/html"])
      #expect(method.status == 405)
      #expect(method.headers[.allow] == "GET, HEAD")
      #expect(method.text.contains("<h1>This cannot be done</h1>"))
    }
  }

  @Test("files of a version never change, others are asked for again")
  func assets() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/").text
    let version = try #require(page.between("app.css?v=", "\""))
    let style = try await home.show("/assets/app.css?v=\(version)")
    #expect(style.headers[.contentType] == "text/css; charset=utf-8")
    #expect(style.headers[.cacheControl]?.contains("immutable") == true)
    #expect(
      try await home.show("/assets/app.css?v=old").headers[.cacheControl] == "private, no-cache")
    let script = try await home.show("/assets/app.js?v=\(version)").text
    #expect(script.contains("./stars.js?v=\(version)"))
    #expect(!script.contains("__VERSION__"))
    let worker = try await home.show("/sw.js")
    #expect(worker.text.contains("const VERSION = \"\(version)\""))
    #expect(worker.headers[.cacheControl] == "private, no-cache")
    let tag = try #require(worker.headers[.eTag])
    #expect(try await home.show("/sw.js", headers: [.ifNoneMatch: tag]).status == 304)
    #expect(try await home.show("/assets/nothing.css").status == 404)
  }

  @Test("what the service worker keeps from the start is there")
  func precaches() async throws {
    let home = try await ServedHome(feeds: [])
    let assets = PageAssets()
    let worker = try await home.show("/sw.js").text
    let names = try #require(worker.between("const files = [", "]")).matches(of: /"([^"]+)"/)
    #expect(names.count > 10)
    for name in names { #expect(assets.files[String(name.1)] != nil, "\(name.1)") }
    #expect(try await home.show("/offline").text.contains("You are offline"))
  }

  @Test("the manifest names icons that are there, of the sizes it says")
  func manifest() async throws {
    let home = try await ServedHome(feeds: [])
    let manifest = try await home.show("/manifest.webmanifest")
    #expect(manifest.headers[.contentType] == "application/manifest+json")
    for size in [192, 512] {
      let path = try #require(manifest.text.between("\"src\": \"/assets/icon-\(size)", "\""))
      let bytes = try #require(PageAssets().files["icon-\(size).png"]?.bytes)
      #expect(path.hasPrefix(".png?v="))
      let header = try ImageHeader(reading: bytes)
      #expect(header.width == size)
      #expect(header.height == size)
    }
  }

  @Test("no other file than those of the map is read from the disk")
  func mapFiles() async throws {
    let home = try await ServedHome(feeds: [])
    for path in [
      "/map/../../../etc/passwd", "/map/%2e%2e/%2e%2e/etc/passwd", "/map//etc/passwd",
      "/map/leaflet.js.map", "/map/images", "/map/", "/map/leaflet.css/..",
    ] {
      let answer = try await home.show(path)
      #expect(answer.status >= 400, "\(path)")
      #expect(!answer.text.contains("root:"))
    }
  }
}
