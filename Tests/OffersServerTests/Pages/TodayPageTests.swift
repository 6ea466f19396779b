import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The start page of several feeds")
struct TodayPageTests {
  /// A document with offers, whose rewards are dollars.
  private static func document(_ rewards: [Int: String]) -> String {
    let items = rewards.sorted { $0.key < $1.key }.map {
      #"{"id":"\#($0.key)","name":"Tea \#($0.key)","current_value":"$\#($0.value) Cash Back"}"#
    }
    return "[" + items.joined(separator: ",") + "]"
  }

  /// An album with a price.
  private static func album(_ price: String) -> String {
    """
    {"feed":{"title":{"label":"Charts"},"entry":[{"id":{"attributes":{"im:id":"1"},"label":"x"},
      "im:name":{"label":"Rise"},"im:artist":{"label":"Skillet"},
      "im:price":{"label":"\(price)","attributes":{"currency":"USD"}}}]}}
    """
  }

  /// The rails of a page: the title, the note and the HTML of each.
  private static func rails(_ page: String) -> [(title: String, note: String, html: String)] {
    page.components(separatedBy: #"<section class="rail">"#).dropFirst().map { rail in
      let html = rail.components(separatedBy: "</section>")[0]
      let note = html.between(#"<p class="count">"#, "</p>") ?? ""
      return (
        html.between(#"<h2 dir="auto">"#, "</h2>") ?? "",
        note.replacing(/<\/?strong>/, with: ""), html
      )
    }
  }

  @Test("one feed opens as its list, several as a rail for each in its own layout")
  func layouts() async throws {
    let one = try await ServedHome(feeds: ["albums"]).show("/").text
    #expect(one.contains(" data-list"))
    #expect(!one.contains(#"class="rail""#))
    let layouts = [
      "ibotta": "grid", "restaurants": "tiles", "facts": "rows", "albums": "covers",
      "movies": "posters",
    ]
    let home = try await ServedHome(feeds: layouts.keys.sorted())
    let page = try await home.show("/").text
    let rails = Self.rails(page)
    #expect(page.contains("<h1>Today</h1>"))
    #expect(rails.count == 5)
    for (feed, layout) in layouts {
      let rail = try #require(rails.first { $0.html.contains(#"data-ref="\#(feed):"#) })
      #expect(rail.html.contains(#"<ul class="\#(layout)""#), "\(feed)")
      #expect(rail.html.contains(#"<a href="/feeds/\#(feed)" aria-label="Show all: "#), "\(feed)")
      #expect(rail.html.count(of: #"<li class="card"#) == 12, "\(feed)")
    }
    #expect(rails.first { $0.title == "Top Albums" }?.note == "60 albums")
    #expect(page.contains(#"<a class="button" href="/all""#))
  }

  @Test("the list of all offers stays, at its own address and at the start page with a query")
  func all() async throws {
    let home = try await ServedHome(feeds: ["albums", "ibotta"])
    for path in ["/all", "/?page=1", "/?sort=name", "/?feed=albums"] {
      let page = try await home.show(path).text
      #expect(page.contains("<h1>Offers</h1>"), "\(path)")
      #expect(!page.contains(#"class="rail""#), "\(path)")
    }
    let list = try await home.show("/?sort=name").text
    #expect(list.contains(#"href="/all?sort=name&amp;page=2""#))
    #expect(list.contains(#"<form class="panel" action="/all">"#))
    #expect(list.contains(#"<li><a href="/all" aria-current="page"><bdi>All</bdi></a></li>"#))
    #expect(list.contains(#"<li><a href="/"><bdi>Today</bdi></a></li>"#))
  }

  @Test("favorites that went up or came back have a rail with their number and sum")
  func favorites() async throws {
    let home = try await ServedHome(feeds: ["facts"])
    let start = [1: "1.00", 2: "2.00", 3: "3.00", 4: "4.00", 5: "5.00", 6: "6.00"]
    try await home.sync("ibotta", Self.document(start))
    let refs = (1...5).map { OfferRef(feed: "ibotta", offerID: "\($0)") }
    try await home.database.setFavorites(refs, to: true)
    #expect(!(try await home.show("/").text.contains("Your favorites")))
    // The first went up twice, the third down and up again to where it was. The sixth is no favorite.
    try await home.sync(
      "ibotta", Self.document([1: "4.50", 2: "2.25", 3: "2.00", 5: "4.00", 6: "9.00"]))
    try await home.sync(
      "ibotta",
      Self.document([1: "9.50", 2: "2.25", 3: "3.00", 4: "4.00", 5: "4.00", 6: "9.00"]))
    let rail = try #require(Self.rails(try await home.show("/").text).first)
    #expect(rail.title == "Your favorites")
    #expect(rail.note == "2 went up, +$8.75 · 1 came back")
    #expect(rail.html.contains(#"<a href="/changes?favorites=1" aria-label="Show all: "#))
    let cards = rail.html.matches(of: /data-ref="ibotta:(\d)"/).map { String($0.1) }
    #expect(cards.sorted() == ["1", "2", "4"])
    for label in ["+$8.50", "+$0.25", "Back"] {
      #expect(rail.html.contains(">\(label)</time>"), "\(label)")
    }
  }

  @Test("a favorite whose price fell is good news, and one whose price rose is none")
  func prices() async throws {
    let home = try await ServedHome(feeds: ["facts"])
    try await home.sync("albums", Self.album("9.99"))
    try await home.database.setFavorites([OfferRef(feed: "albums", offerID: "1")], to: true)
    try await home.sync("albums", Self.album("7.49"))
    let rails = Self.rails(try await home.show("/").text)
    #expect(rails.first?.note == "1 price fell, −$2.50")
    try await home.sync("albums", Self.album("11.00"))
    #expect(!(try await home.show("/").text.contains("Your favorites")))
  }

  @Test("offers that end within a week have a rail, the first to end in front")
  func ending() async throws {
    let home = try await ServedHome(feeds: ["facts"])
    let days = [6.0, 1, 30].map { Date().addingTimeInterval($0 * 86_400) }
    try await home.take(endingAt: days + [nil])
    let rail = try #require(
      Self.rails(try await home.show("/").text).first { $0.title == "Ends soon" })
    #expect(rail.note == "2 offers")
    #expect(
      rail.html.matches(of: /data-ref="(ibotta:\d)"/).map { String($0.1) }
        == ["ibotta:2", "ibotta:1"])
    #expect(rail.html.contains(#"<a href="/all?ending=1&amp;sort=expiry""#))
    let all = try await home.show("/all?ending=1&sort=expiry").text
    #expect(all.contains(#"<p class="count">2 offers</p>"#))
  }

  @Test("what is new since the last look has a rail of the user, until the user looks")
  func unseen() async throws {
    let now = Date()
    let home = try await ServedHome(feeds: ["facts"])
    let (max, vera) = (
      try await home.addUser("Max", .viewer), try await home.addUser("Vera", .viewer)
    )
    try await home.sync("ibotta", Self.document([1: "1.00"]))
    try await home.sync("ibotta", Self.document([1: "2.00", 2: "2.00", 3: "3.00"]))
    let client = try home.client(home.server())
    let his = client.by(try await home.cookie(of: max, at: now))
    let hers = client.by(try await home.cookie(of: vera, at: now))
    func titles(_ client: TestClient) async throws -> [String] {
      Self.rails(try await client.get("/").text).map(\.title)
    }
    #expect(try await titles(his).first == "New this week")
    #expect(Self.rails(try await his.get("/").text).first?.note == "2 offers")
    let latest = try #require(try await his.get("news").object["latest"] as? Int)
    _ = try await his.write(.put, "news/seen", #"{"latest":\#(latest)}"#)
    #expect(try await titles(his).allSatisfy { !$0.hasPrefix("New") })
    #expect(try await titles(hers).first == "New this week")
    try await home.sync("ibotta", Self.document([1: "2.00", 2: "2.00", 3: "3.00", 4: "1.00"]))
    let rail = try #require(Self.rails(try await his.get("/").text).first)
    #expect((rail.title, rail.note) == ("New since your last look", "1 offer"))
    #expect(rail.html.contains(#"data-ref="ibotta:4""#))
  }

  @Test("the page is answered by its tag until something changes")
  func tags() async throws {
    let home = try await ServedHome(feeds: ["albums", "ibotta"])
    let client = try home.client()
    let tag = try #require(try await client.get("/").headers[.eTag])
    #expect(try await client.get("/", headers: [.ifNoneMatch: tag]).status == 304)
    _ = try await client.write(.put, "offers/ibotta:900117/favorite", "{}")
    #expect(try await client.get("/", headers: [.ifNoneMatch: tag]).status == 200)
  }

  @Test("browsers store the page with references in place of the cards")
  func offline() async throws {
    let home = try await ServedHome(feeds: ["albums", "ibotta"])
    let list = try await home.client().get("offline").object
    let pages = try #require(list["pages"] as? [[String: Any]])
    let page = try #require(pages.first { $0["path"] as? String == "/" })
    #expect(page["template"] as? String == "today")
    #expect(page["names_offers"] as? Bool == true)
    let fields = try #require(page["fields"] as? [String: Any])
    let rails = try #require(fields["rails"] as? [[String: Any]])
    #expect(rails.count == 2)
    for rail in rails {
      let cards = try #require(rail["cards"] as? [[String: Any]])
      #expect(cards.count == 12)
      #expect(cards.allSatisfy { $0["ref"] is String && $0.count == 1 })
    }
  }
}
