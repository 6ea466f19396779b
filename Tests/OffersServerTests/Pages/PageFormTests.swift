import OffersCore
import Testing

@testable import OffersServer

@Suite("Forms of pages")
struct PageFormTests {
  @Test("the form of a star adds and removes the favorite, and redirects to the page")
  func stars() async throws {
    let home = try await ServedHome()
    let set = try await home.send(
      "/offers/ibotta:900113/favorite", "favorite=1&back=%2F%3Fpage%3D2")
    #expect(set.status == 303)
    #expect(set.headers[.location] == "/?page=2")
    #expect(
      try await home.database.findOffer(OfferRef(feed: "ibotta", offerID: "900113"))?.isFavorite
        == true)
    let taken = try await home.send("/offers/ibotta:900113/favorite", "favorite=0")
    #expect(taken.headers[.location] == "/offers/ibotta:900113")
    #expect(
      try await home.database.findOffer(OfferRef(feed: "ibotta", offerID: "900113"))?.isFavorite
        == false
    )
    #expect(try await home.send("/offers/ibotta:none/favorite", "favorite=1").status == 404)
  }

  @Test(
    "a form redirects to this server only",
    arguments: [
      "//evil.example", "https://evil.example", "/\\evil.example", "/%5Cevil", "evil", "/a\nb", "",
      "javascript:x", "/é", "/./favorites", "/favorites/..", "/%2e%2E/favorites", "/offers/.",
      "/offers/%2E",
      "/offers//", "/offers/a\\b", "/search\\..\\web", "/api/v1/offers", "/assets/app.js", "/WEB",
      "/nowhere", "/settings/nowhere",
      "/offers/%", "/pair",
    ])
  func leadsBack(back: String) {
    #expect(ReturnPath.checked(back) == "/")
  }

  @Test(
    "a form redirects to any page, with its query",
    arguments: [
      ("/", "/"), ("/?page=2", "/?page=2"), ("/favorites/", "/favorites"),
      ("/search?q=a%20b#hits", "/search?q=a%20b#hits"), ("/offers/a:b%2Fc", "/offers/a:b%2Fc"),
      ("/offers/..%2Fweb", "/offers/..%2Fweb"),
      ("/settings/devices#sessions", "/settings/devices#sessions"),
      ("/web?url=http://10.0.0.1/../x", "/web?url=http://10.0.0.1/../x"),
    ])
  func leadsTo(back: String, path: String) {
    #expect(ReturnPath.checked(back) == path)
  }

  @Test("a form or a login can return to each page that has a route")
  func knowsPages() async throws {
    let home = try await ServedHome(feeds: [])
    let others: Set<String> = [
      "/login", "/login/oidc/callback", "/pair", "/favicon.ico", "/manifest.webmanifest", "/sw.js",
      "/map/**", "/assets/{name}", "/out/{secret}/{document}",
    ]
    for name in try home.server().responder().routes.names where name.hasPrefix("GET /") {
      let path = String(name.dropFirst(4))
      let isPage = !path.hasPrefix("/api/") && !others.contains(path)
      let sent = path.replacing(/\{\w+\}/, with: "x")
      #expect((ReturnPath.checked(sent) == sent) == (isPage || path == "/"), "\(path)")
    }
  }

  @Test("a form from another site is refused")
  func refusesOthers() async throws {
    let home = try await ServedHome()
    for origin in ["http://evil.example", "null", nil] {
      let answer = try await home.send(
        "/offers/ibotta:900113/favorite", "favorite=1", origin: origin)
      #expect(answer.status == 403)
    }
    #expect(try await home.database.fetchOffers(OfferQuery(favoritesOnly: true)).isEmpty)
  }

  @Test("a form starts a refresh and redirects; during another refresh it is refused")
  func refreshes() async throws {
    let home = try await ServedHome()
    let syncer = HeldSyncer()
    let client = try home.client(home.server(syncer: syncer))
    let first = try await client.form("/sync", "feed=ibotta&back=%2Fsettings")
    #expect(first.status == 303)
    #expect(first.headers[.location] == "/settings")
    let second = try await client.form("/sync", "feed=ibotta&back=%2Fsettings")
    #expect(second.status == 409)
    #expect(second.headers[.contentType] == "text/html; charset=utf-8")
    #expect(second.text.contains("A refresh is already running."))
    let subscription = try await client.form("/feeds/ibotta", "subscribed=1")
    #expect(subscription.status == 409)
    #expect(subscription.text.contains("The feed is subscribed."))
    syncer.letGo()
    #expect(try await home.send("/sync", "feed=unknown").status == 404)
  }

  @Test("the form of the settings changes the sync interval and the source of a feed")
  func changesFeeds() async throws {
    let home = try await ServedHome()
    let syncer = HeldSyncer()
    let client = try home.client(home.server(syncer: syncer))
    func send(_ form: String) async throws -> APIAnswer {
      try await client.form("/feeds/ibotta", form)
    }
    let same = try await send("every=7200&source=sample&back=%2Fsettings")
    #expect(same.status == 303)
    #expect(syncer.interval.withLock { $0 } == 7200)
    #expect(try await client.get("sync").object["state"] as? String == "idle")
    #expect(try await send("every=default&source=sample").status == 303)
    #expect(syncer.interval.withLock { $0 } == nil)
    for wrong in ["every=often&source=sample", "every=default&source=%2Fetc%2Fpasswd"] {
      let answer = try await send(wrong)
      #expect(answer.status == 400)
      #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
    }
    #expect(try await send("every=default&source=https%3A%2F%2Fexample.com%2Fa").status == 303)
    #expect(try await client.get("sync").object["state"] as? String == "running")
    #expect(try await send("every=7200&source=https%3A%2F%2Fexample.com%2Fb").status == 409)
    syncer.letGo()
    #expect(
      syncer.parameters.withLock { $0 }
        == SyncParameters(["ibotta"], source: .url("https://example.com/a"))
    )
    let page = try await home.show("/settings/feeds").text
    #expect(page.contains(#"name="source" value="sample""#))
    #expect(page.contains(#"<option value="default" selected>feed default</option>"#))
  }

  @Test("forms subscribe to a feed and unsubscribe from it")
  func subscribes() async throws {
    let home = try await ServedHome()
    #expect(
      try await home.send("/feeds/facts", "subscribed=1").headers[.location] == "/settings/feeds")
    #expect(try await home.database.fetchFeeds().map(\.name) == ["facts", "ibotta"])
    #expect(try await home.send("/feeds/ibotta", "subscribed=0").status == 303)
    #expect(try await home.database.fetchFeeds().map(\.name) == ["facts"])
    #expect(try await home.send("/feeds/unknown", "subscribed=1").status == 404)
    // A feed without a definition still has its offers.
    _ = try await home.database.subscribe(to: "mine", source: "https://example.com/a.json")
    _ = try await home.database.unsubscribe(from: "mine")
    #expect(try await home.show("/feeds/mine").status == 200)
    #expect(try await home.show("/feeds/yours").status == 404)
  }

  @Test("the offers of an unsubscribed feed are shown with the title of the feed")
  func titlesOfFormerFeeds() async throws {
    let home = try await ServedHome()
    try await home.sync(
      "facts", #"{"title":"About otters","rows":[{"title":"Otters hold hands"}]}"#)
    let offers = try await home.database.fetchOffers(OfferQuery(feed: "facts"))
    let path = PageLinks.offer(try #require(offers.first).ref)
    #expect(try await home.show(path).text.contains("About otters"))
    #expect(try await home.send("/feeds/facts", "subscribed=0").status == 303)
    for page in [
      path, "/changes", "/search?q=otters", "/search?feed=facts&q=seals", "/?feed=facts",
    ] {
      #expect(try await home.show(page).text.contains("About otters"), "\(page)")
    }
  }
}
