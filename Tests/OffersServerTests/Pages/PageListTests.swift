import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Lists of offers")
struct PageListTests {
  @Test("the first page has the first offers and a link to the next page")
  func pages() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/")
    #expect(page.status == 200)
    #expect(page.headers[.contentType] == "text/html; charset=utf-8")
    #expect(page.text.count(of: #"<li class="card"#) == 60)
    #expect(page.text.contains("64 offers"))
    #expect(page.text.contains(#"href="/offers/ibotta:900113""#))
    #expect(page.text.contains(#"src="/api/v1/images/ibotta:900113?v="#))
    #expect(page.text.contains(#"<a class="button" href="/?page=2" data-more"#))
    let second = try await home.show("/?page=2")
    #expect(second.text.count(of: #"<li class="card"#) == 4)
    #expect(!second.text.contains("data-more"))
  }

  @Test("the URL of an offer's image changes with the image and only then")
  func images() async throws {
    let home = try await ServedHome(feeds: [])
    let show: @Sendable (String) async throws -> String = { url in
      try await home.sync("ibotta", #"[{"id":"1","name":"Tea","url":"\#(url)"}]"#)
      let page = try await home.show("/")
      return try #require(page.text.between("<img src=\"", "\""))
    }
    let first = try await show("https://x.example/a.png")
    #expect(first.hasPrefix("/api/v1/images/ibotta:1?v="))
    let second = try await show("https://x.example/b.png")
    #expect(second != first)
    #expect(try await show("https://x.example/a.png") == first)
    let images = CountedImages(.failure(OffersError(.notFound, "It is not there.")))
    let client = try home.client(home.server(images: images))
    // The image is requested: `v` is not refused as an unknown parameter.
    let address = second.replacing("&amp;", with: "&")
    #expect(address.hasSuffix("&width=480"))
    let known = try await client.get(address)
    #expect(known.status == 502)
    let unknown = try await client.get(address + "&w=1")
    #expect(unknown.status == 400)
  }

  @Test("a page gets 304 until it changes")
  func revalidates() async throws {
    let home = try await ServedHome()
    let tag = try #require(try await home.show("/").headers[.eTag])
    #expect(try await home.show("/", headers: [.ifNoneMatch: tag]).status == 304)
    _ = try await home.database.setFavorites(named: ["900113"], to: true)
    #expect(try await home.show("/", headers: [.ifNoneMatch: tag]).status == 200)
  }

  @Test("the order is part of the URL and of the link to the next page")
  func chooses() async throws {
    let home = try await ServedHome()
    let page = try await home.show("/?sort=reward&reverse=1")
    #expect(page.text.contains(#"<option value="reward" selected>"#))
    #expect(page.text.contains(#"href="/?sort=reward&amp;reverse=1&amp;page=2""#))
    let first = try await home.show("/?sort=reward").text.between(
      #"<span class="reward""#, "<span class=\"name")
    #expect(first?.contains(#">$12.00</span> <span class="rest">Cash Back</span>"#) == true)
    // An unknown order and a page before the first one are ignored.
    #expect(try await home.show("/?sort=size&page=0").text.contains("64 offers"))
    #expect(try await home.show("/?page=99999999999999999999").status == 200)
  }

  @Test("each filter is shown with a link that removes it")
  func narrows() async throws {
    let home = try await ServedHome(feeds: ["restaurants"])
    let page = try await home.show("/?category=Soups&sort=name")
    #expect(page.text.contains("The Copper Ladle"))
    #expect(
      page.text.contains(
        #"<a class="button narrow" href="/?sort=name" aria-label="Remove: Soups">"#))
    let none = try await home.show("/?category=Nothing")
    #expect(none.text.contains("No matching offers"))
    #expect(try await home.show("/?feed=unknown").status == 404)
  }

  @Test("favorites have stars in the grid and on the page of favorites")
  func stars() async throws {
    let home = try await ServedHome()
    #expect(try await home.show("/favorites").text.contains("No favorites yet"))
    _ = try await home.database.setFavorites(named: ["900114"], to: true)
    let page = try await home.show("/favorites")
    #expect(page.text.count(of: #"<li class="card"#) == 1)
    #expect(
      page.text.contains(#"aria-pressed="true" aria-label="Favorite: Stonewharf Brewing Hazy IPA""#)
    )
    #expect(try await home.show("/").text.count(of: #"aria-pressed="true""#) == 1)
  }

  @Test("expired offers are marked, and shown on demand and among the favorites")
  func expired() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    try await home.take(endingAt: [clock.now.addingTimeInterval(60), nil])
    let mark = #"<span class="expired-mark">Expired</span>"#
    let client = try home.client(home.server(clock: clock))
    #expect(try await client.get("/").text.contains("2 offers"))
    clock.advance(by: 60)
    _ = try await home.database.setFavorites(named: ["1"], to: true)
    let live = try await client.get("/").text
    #expect(live.contains("1 offer<") && !live.contains(mark))
    let all = try await client.get("/?expired=1").text
    #expect(all.contains(#"name="expired" value="1" checked"#) && all.count(of: mark) == 1)
    #expect(all.contains(#"aria-label="Remove: Also expired""#))
    for path in ["/favorites", "/feeds/ibotta?expired=1"] {
      #expect(try await client.get(path).text.count(of: mark) == 1, "\(path)")
    }
    #expect(try await client.get("/offers/ibotta:1").text.contains("Expired on <time"))
    let list = try await client.get("offers?expired=true").objects("offers")
    #expect(list.compactMap { $0["expired"] as? Bool } == [false, true])
    #expect(try await client.get("offers").object["total"] as? Int == 1)
  }

  @Test("with an empty database the start page leads to the settings")
  func welcomes() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/")
    #expect(page.text.contains("Welcome"))
    #expect(page.text.contains(#"href="/settings/feeds""#))
  }

  @Test("each feed is shown in its layout, with the title of its document")
  func layouts() async throws {
    let home = try await ServedHome(feeds: FeedCatalogNames.all)
    for (feed, list, title) in [
      ("ibotta", "grid", "Ibotta offers"), ("restaurants", "tiles", "Restaurants"),
      ("facts", "rows", "About the Northern Isles"), ("albums", "covers", "Top Albums"),
      ("movies", "posters", "Popular movies"),
    ] {
      let page = try await home.show("/feeds/\(feed)")
      #expect(page.text.contains("<ul class=\"\(list)\" data-list"), "\(feed)")
      #expect(page.text.contains(">\(title)</h1>"), "\(feed)")
    }
    #expect(try await home.show("/feeds/unknown").status == 404)
  }

  @Test("the page of a feed that was never synced says so and offers to refresh it")
  func showsUnread() async throws {
    let home = try await ServedHome(feeds: [])
    let page = try await home.show("/feeds/facts")
    #expect(page.status == 200)
    #expect(page.text.contains("Not read yet"))
    #expect(page.text.contains(#"name="feed" value="facts""#))
  }

}
