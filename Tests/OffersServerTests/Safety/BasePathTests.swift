import Foundation
import OffersCore
import OffersHTTP
import Testing

@testable import OffersServer

@Suite("A server below a path of its host")
struct BasePathTests {
  private static let base = "/offers"

  /// The addresses of this server in a page, without those of its data.
  private static func addresses(in page: String) -> [String] {
    page.matches(of: /[ \n](?:href|src|action|data-[a-z-]+)="(\/[^"]*)"/).map { String($0.1) }
  }

  @Test(
    "every address of every page is below the path, and answers",
    arguments: [
      "/", "/all", "/favorites", "/changes?since=all", "/search?q=sauce", "/web", "/settings",
      "/settings/feeds",
      "/settings/devices", "/settings/people", "/settings/browser", "/settings/about",
      "/settings/add-feed", "/users", "/feeds/ibotta", "/feeds/restaurants?view=map", "/feeds/none",
      "/feeds/albums", "/feeds/movies?sort=name", "/offers/ibotta:900117", "/offers/restaurants:1",
      "/offers/none:1", "/offline", "/household", "/welcome", "/nothing",
    ])
  func pages(path: String) async throws {
    let home = try await ServedHome(feeds: ["ibotta", "restaurants", "albums", "movies"])
    _ = try await home.database.addUser(named: "Ben", role: .member)
    let owner = try await home.database.fetchOwner()
    let cookie = try await home.cookie(of: owner, at: Date())
    let client = try home.client(try home.server(basePath: Self.base)).by(cookie)
    let page = try await client.page(Self.base + path)
    let addresses = Self.addresses(in: page.text)
    #expect(addresses.count > 5)
    for address in addresses {
      #expect(address.hasPrefix(Self.base + "/"), "\(path) has \(address)")
    }
    // Targets of forms are asked for by POST only; one offer stands for the others.
    let links = Set(page.text.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.1) })
    let offers = links.filter { $0.hasPrefix("/offers/offers/") }
    for link in links.subtracting(offers.dropFirst()) where !link.contains("/api/v1/images/") {
      let answer = try await client.page(link.replacing("&amp;", with: "&"))
      #expect([200, 303].contains(answer.status), "\(link)")
    }
    // A proxy that takes the path off gets the same page.
    let other = try await client.page(path)
    #expect(other.status == page.status)
    // The search was recorded; an unknown page names its own address.
    if !["/search?q=sauce", "/nothing"].contains(path) { #expect(other.text == page.text) }
  }

  @Test("a login, a form and an error lead to addresses below the path")
  func redirects() async throws {
    let home = try await ServedHome()
    try await home.addUser("Ben", .member)
    let client = try home.client(try home.server(isBehindTLS: true, basePath: Self.base))
    let stranger = try await client.page("/offers/feeds/ibotta?sort=name")
    let login = "/offers/login?next=%2Ffeeds%2Fibotta%3Fsort%3Dname"
    #expect(stranger.headers[.location] == login)
    let form = try await client.page(login)
    #expect(Self.addresses(in: form.text).allSatisfy { $0.hasPrefix("/offers/") })
    #expect(form.text.contains(#"name="next" value="/feeds/ibotta?sort=name""#))
    let https = "https://localhost"
    let passphrase = ServedHome.passphrase.replacing(" ", with: "+")
    let answer = try await client.form(
      "/offers/login", "name=Ben&passphrase=\(passphrase)&next=%2Ffeeds%2Fibotta", origin: https)
    #expect(answer.status == 303)
    #expect(answer.headers[.location] == "/offers/feeds/ibotta")
    let cookie = try #require(answer.headers[.setCookie])
    #expect(cookie.hasPrefix("__Secure-offers-session="))
    #expect(cookie.contains("; Path=/offers; HttpOnly; SameSite=Lax; Secure"))
    let ben = client.by(answer.cookie)
    let star = try await ben.form(
      "/offers/offers/ibotta:900117/favorite", "favorite=1&back=%2Ffavorites", origin: https)
    #expect(star.headers[.location] == "/offers/favorites")
    let out = try await ben.form("/offers/logout", origin: https)
    #expect(out.headers[.location] == "/offers/login")
    #expect(out.headers[.setCookie]?.contains("; Path=/offers; ") == true)
  }

  @Test("the path without a slash leads to the start page, and similar paths are no part of it")
  func edges() async throws {
    let home = try await ServedHome()
    let client = try home.client(try home.server(basePath: "offers/"))
    let start = try await client.get("/offers?new=1")
    #expect(start.status == 307)
    #expect(start.headers[.location] == "/offers/?new=1")
    #expect(try await client.get("/offers/").status == 200)
    #expect(try await client.send(.head, "/offers/").status == 200)
    for path in ["/offersx", "/offers/x/y", "/offers//", "/offers/../offers/", "/offers/%2e%2e/"] {
      #expect(try await client.get(path).status >= 400, "\(path)")
    }
    // The API and the health check answer with and without it.
    for path in ["/offers/api/v1/health", "/api/v1/health", "/offers/sw.js", "/sw.js"] {
      #expect(try await client.get(path).status == 200, "\(path)")
    }
    #expect(try await client.send(.delete, "/offers/api/v1/health").status == 405)
    let api = try await client.get("/offers/api/v1/openapi.json")
    #expect((try api.objects("servers").first?["url"] as? String) == "/offers")
  }

  @Test("an unknown address below the path is no page, also where it could be that of an offer")
  func unknown() async throws {
    let home = try await ServedHome()
    let client = try home.client(try home.server(basePath: Self.base))
    for path in ["/offers/nothing", "/offers/nothing?x", "/offers/no/thing"] {
      let answer = try await client.page(path)
      #expect(answer.status == 404)
      #expect(answer.text.contains("There is no such page."), "\(path)")
    }
    // A proxy has taken the path off.
    #expect(try await client.get("/offers/ibotta:900117").status == 200)
  }

  @Test("the manifest and the style sheet name their files by relative addresses")
  func assets() async throws {
    let home = try await ServedHome(feeds: [])
    let manifest = try await home.show("/manifest.webmanifest").text
    for address in manifest.matches(of: /"(?:src|url|start_url|scope|id)": "([^"]*)"/) {
      #expect(!address.1.hasPrefix("/"), "\(address.1)")
    }
    #expect(try await home.show("/assets/styles.css").text.contains(#"url("inter.woff2?v="#))
    #expect(!(try await home.show("/assets/offline-pages.js").text.contains("__")))
  }

  @Test("the addresses of a page are placed, and the texts of its people and offers are not")
  func texts() throws {
    let path = try BasePath("/a/b")
    #expect(
      path.place(
        ##"<a href="/x"><use href="#i"/><input value="/x" title="/y"><img src="/i?q=="/">"##)
        == ##"<a href="/a/b/x"><use href="#i"/><input value="/x" title="/y"><img src="/a/b/i?q=="/">"##
    )
    #expect(path.place(#"<a href="//evil.example">"#) == #"<a href="/a/b//evil.example">"#)
    #expect(path.place("") == "")
    #expect(BasePath().place(#"<a href="/x">"#) == #"<a href="/x">"#)
  }

  @Test(
    "a path that browsers or proxies would change is refused",
    arguments: [
      "/a b", "/ä", "/a%20b", "/a?b", "/a#b", "/..", "/a/./b", "//a", "/a//b", "/a\"b", "/a;b",
    ])
  func refusals(text: String) {
    let error = #expect(throws: OffersError.self) { try BasePath(text) }
    #expect(error?.code == .invalidRequest)
  }

  @Test("a path is the same with and without slashes at its ends, and / is none")
  func forms() throws {
    for text in ["offers", "/offers", "/offers/", "offers/"] {
      #expect(try BasePath(text).text == "/offers")
    }
    for text in ["", "/"] { #expect(try BasePath(text) == BasePath()) }
    #expect(try BasePath("/a/.b/c~").text == "/a/.b/c~")
  }

  @Test("other devices, phones and the provider get the address with the path")
  func outside() async throws {
    let address = ServerAddress(
      host: "192.0.2.9", allowedHosts: ["home.example"], basePath: try BasePath(Self.base))
    let direct = ReachableURLs(address: address, usesTLS: false, isBehindTLS: false)
    #expect(
      direct.all(port: 8080, interfaces: []) == [
        "http://home.example:8080/offers", "http://192.0.2.9:8080/offers",
      ])
    let proxied = ReachableURLs(address: address, usesTLS: false, isBehindTLS: true)
    #expect(proxied.all(port: 8080, interfaces: []) == ["https://home.example/offers"])
    let home = try await ServedHome()
    try await home.addUser("Ben", .member)
    let owner = try await home.database.fetchOwner()
    let cookie = try await home.cookie(of: owner, at: Date())
    var client = try home.client(home.server(allowedHosts: ["home.example"], basePath: Self.base))
    client.host = "home.example"
    let pairing = try await client.by(cookie).form(
      "/offers/pairing", origin: "https://home.example")
    #expect(pairing.text.contains("https://home.example/offers/pair"))
  }
}
