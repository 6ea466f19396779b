import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Other pages and assets")
struct PageOtherTests {
  @Test("a search marks the matched words and proposes the words that were probably meant")
  func searches() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/search?q=ground+coffee")
    #expect(page.text.contains("<mark>Coffee</mark>"))
    let corrected = try await home.show("/search?q=cofee").text
    #expect(
      corrected.contains(
        #"did you mean “<a href="/search?q=coffee"><bdi>coffee</bdi></a>”?"#))
    #expect(!corrected.contains("<mark>"))
    #expect(try await home.show("/search?q=xyzzyqq").text.contains("found for “xyzzyqq”"))
    let start = try await home.show("/search").text
    #expect(start.contains("Recent searches"))
    #expect(start.contains(#"href="/search?q=ground%20coffee""#))
    #expect(try await home.show("/search?q=a&feed=unknown").status == 404)
  }

  @Test("if a feed's server fails, an alert precedes the results from the store")
  func alerts() async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let page = try await home.show("/search?feed=movies&q=ferryman")
    #expect(page.text.contains(#"role="alert""#))
    #expect(page.text.contains("The server cannot be reached."))
    #expect(page.text.contains("The Last <mark>Ferryman</mark>"))
  }

  @Test("a link from another site neither searches a feed's server nor is stored")
  func distrusts() async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let site = try #require(HTTPFieldName.site)
    let page = try await home.show("/search?feed=movies&q=ferryman", headers: [site: "cross-site"])
    #expect(!page.text.contains(#"role="alert""#))
    #expect(try await home.database.fetchRecentSearches().isEmpty)
  }

  @Test("an excerpt has the matched words, even at the end of a long text")
  func marks() {
    let text = String(repeating: "a ", count: 100) + "tea"
    let parts = MarkedParts.parts(text, [200..<203], isExcerpt: true)
    #expect(parts.first?.child(named: "text") as? String == "… ")
    #expect(parts.last?.child(named: "text") as? String == "tea")
    #expect(parts.last?.child(named: "isMarked") as? Bool == true)
    // Ranges outside of the text are ignored.
    #expect(MarkedParts.parts("ab", [1..<9, 0..<1]).count == 2)
  }

  @Test("changes are listed by day and filtered by kind")
  func changes() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$1.00 Cash Back"}]"#)
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$2.50 Cash Back"}]"#)
    let page = try await home.show("/changes")
    #expect(page.text.contains("2 changes"))
    #expect(
      page.text.contains(
        "<del><bdi>$1.00 Cash Back</bdi></del> <ins><bdi>$2.50 Cash Back</bdi></ins>"))
    #expect(page.text.contains(#"<span class="delta delta-up">+$1.50</span>"#))
    #expect(page.text.contains(#"<span class="kind kind-up">Up</span> <span class="count">1<"#))
    #expect(try await home.show("/changes?kind=down").text.contains("Nothing of this kind"))
    #expect(try await home.show("/changes?kind=odd&since=never").text.contains("2 changes"))
  }

  @Test("a day lists its changes by kind, and only the first of many at once")
  func groups() async throws {
    let home = try await ServedHome(feeds: [])
    func document(_ ids: ClosedRange<Int>) -> String {
      let items = ids.map { #"{"id":"\#($0)","name":"Tea \#($0)","current_value":"5% Cash Back"}"# }
      return "[" + items.joined(separator: ",") + "]"
    }
    try await home.sync("ibotta", document(1...2))
    try await home.sync("ibotta", document(1...12))
    let page = try await home.show("/changes").text
    #expect(page.contains(#"<span class="kind kind-new">New</span> <span class="count">10<"#))
    #expect(page.contains("<summary>4 more</summary>"))
    let new = try #require(page.range(of: "kind-new")).lowerBound
    let first = try #require(page.range(of: "kind-first")).lowerBound
    #expect(new < first)
  }

  @Test("the sidebar lists the feeds with their counts, and marks the one that is shown")
  func sidebar() async throws {
    let home = try await ServedHome(feeds: ["ibotta", "facts"])
    let page = try await home.show("/feeds/facts").text
    let side = try #require(page.between(#"<nav class="side-feeds""#, "</nav>"))
    #expect(side.contains(#"<a href="/feeds/ibotta"><bdi>Ibotta offers</bdi>"#))
    #expect(side.contains(#"<span class="side-count">64</span>"#))
    #expect(side.contains(#"<a href="/feeds/facts" aria-current="page">"#))
    #expect(side.count(of: "aria-current") == 1)
    #expect(try await !home.show("/").text.contains(#"aria-current="page"><bdi>Facts"#))
    // Pages of forms have it, and those of errors, too.
    for path in ["/users", "/settings/add-feed", "/settings/feeds", "/web", "/offers/ibotta:none"] {
      let other = try await home.show(path).text
      #expect(other.contains(#"<a href="/feeds/ibotta"><bdi>Ibotta offers</bdi>"#), "\(path)")
    }
  }

  @Test("the settings are a list of pages, each with a way back")
  func settingsSections() async throws {
    let home = try await ServedHome()
    let list = try await home.show("/settings").text
    for section in SettingsSection.allCases {
      // Without a login there are no devices to tell apart.
      #expect(list.contains(#"href="\#(section.path)""#) == (section != .devices), "\(section)")
      let page = try await home.show(section.path).text
      #expect(page.contains("<h1>\(section.title)</h1>"))
      #expect(page.contains(#"<a class="back" href="/settings""#))
    }
  }

  @Test("a form removes a recent search of the visitor")
  func forgets() async throws {
    let home = try await ServedHome()
    for words in ["tea", "coffee"] { _ = try await home.show("/search?q=\(words)") }
    let sent = try await home.send("/searches/forget", "words=tea&feed=")
    #expect((sent.status, sent.headers[.location]) == (303, "/search"))
    #expect(try await home.database.fetchRecentSearches().map(\.words) == ["coffee"])
    #expect(try await home.send("/searches/forget", "words=none").status == 303)
  }

  @Test("a form hides offers and shows them again, and the settings list what is hidden")
  func hides() async throws {
    let home = try await ServedHome()
    let sent = try await home.send("/hidings", "what=retailer:Target&hide=1")
    #expect((sent.status, sent.headers[.location]) == (303, "/settings/hidden"))
    #expect(try await home.show("/settings/hidden").text.contains("<bdi>retailer:Target</bdi>"))
    #expect(try await home.show("/settings").text.contains("1 hidden"))
    let back = try await home.send("/hidings", "what=retailer:Target&hide=0&back=/all")
    #expect((back.status, back.headers[.location]) == (303, "/all"))
    #expect(try await home.database.fetchHidings().isEmpty)
  }

  @Test("only http and https URLs are shown in a frame")
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

  @Test("the settings list subscribed and other feeds")
  func settings() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/settings/feeds")
    #expect(page.text.contains(#"<li class="feed" data-feed="ibotta">"#))
    #expect(page.text.contains("64 offers"))
    #expect(page.text.contains("every day"))
    #expect(page.text.contains(#"data-subscribe="facts""#))
    #expect(!page.text.contains(#"data-subscribe="ibotta""#))
  }

  @Test("an unknown path gets an error page, and below /api a problem document")
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
    "a malformed path gets an error page in a browser",
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

  @Test("a foreign form, a wrong method and an unknown host get error pages")
  func refusedRequests() async throws {
    let home = try await ServedHome(feeds: [])
    var client = try home.client()
    client.host = "evil.example"
    let name = try await client.page("/")
    #expect(name.status == 421)
    #expect(
      name.text.contains("<p dir=\"auto\">This server does not answer to that host name.</p>"))
    // Under an unknown host, assets and pages would be refused as well.
    #expect(!name.text.contains("href="))
    #expect(!name.text.contains("src="))
    let browser = try home.client().with(.accept, "text/html")
    let refused = try await browser.form("/sync", "feed=ibotta", origin: "http://evil.example")
    #expect(refused.status == 403)
    #expect(refused.text.contains("<h1>This cannot be done</h1>"))
    let method = try await browser.send(.delete, "/")
    #expect(method.status == 405)
    #expect(method.headers[.allow] == "GET, HEAD")
    #expect(method.text.contains("<h1>This cannot be done</h1>"))
  }

  @Test("assets with the current version are immutable, others are revalidated")
  func assets() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/").text
    let version = try #require(page.between("styles.css?v=", "\""))
    let style = try await home.show("/assets/styles.css?v=\(version)")
    #expect(style.headers[.contentType] == "text/css; charset=utf-8")
    #expect(style.headers[.cacheControl]?.contains("immutable") == true)
    #expect(
      try await home.show("/assets/styles.css?v=old").headers[.cacheControl] == "private, no-cache")
    let script = try await home.show("/assets/app.js?v=\(version)").text
    #expect(script.contains("./keyboard.js?v=\(version)"))
    #expect(!script.contains("__VERSION__"))
    let worker = try await home.show("/sw.js")
    #expect(worker.text.contains("const VERSION = \"\(version)\""))
    #expect(worker.headers[.cacheControl] == "private, no-cache")
    let tag = try #require(worker.headers[.eTag])
    #expect(try await home.show("/sw.js", headers: [.ifNoneMatch: tag]).status == 304)
    #expect(try await home.show("/assets/nothing.css").status == 404)
  }

  @Test("the service worker stores the assets of the pages at installation")
  func precaches() async throws {
    let home = try await ServedHome(feeds: [])
    let worker = try await home.show("/sw.js").text
    let names = Set(try #require(worker.between("const files = \"", "\"")).split(scalar: " "))
    let kept = [
      "app.js", "world.json", "inter.woff2", "styles.css", "templates.json", "letters.json",
    ]
    #expect(names.isSuperset(of: kept.map { $0[...] }))
    #expect(names.isDisjoint(with: ["sw.js", "openapi.json", "cards.css", "card.mustache"]))
    #expect(try await home.show("/offline").text.contains("You are offline"))
  }

  @Test("the icons of the manifest exist and have the stated sizes")
  func manifest() async throws {
    let home = try await ServedHome(feeds: [])
    let manifest = try await home.show("/manifest.webmanifest")
    #expect(manifest.headers[.contentType] == "application/manifest+json")
    for size in [192, 512] {
      let path = try #require(manifest.text.between("\"src\": \"assets/icon-\(size)", "\""))
      let icon = try #require(PageAssets.shared.files["icon-\(size).png"]?.lasting)
      #expect(path.hasPrefix(".png?v="))
      let header = try ImageHeader(reading: Array(icon.body.readableBytesView))
      #expect(header.width == size)
      #expect(header.height == size)
    }
  }

  @Test("no file but those of the map library is read from the disk")
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
