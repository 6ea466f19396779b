import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Prices, bylines and nouns on the web pages and in the API")
struct PagePresentationTests {
  /// An album in the oldest format, which has a price.
  private static func album(_ price: String) -> String {
    """
    {"feed":{"title":{"label":"Charts"},"entry":[{"id":{"attributes":{"im:id":"1"},"label":"x"},
      "im:name":{"label":"Rise"},"im:artist":{"label":"Skillet"},
      "im:price":{"label":"\(price)","attributes":{"currency":"USD"}}}]}}
    """
  }

  @Test("cards of every layout have a byline below the name, and counts have the noun")
  func bylines() async throws {
    let home = try await ServedHome(feeds: ["albums", "movies", "restaurants", "facts"])
    let albums = try await home.show("/feeds/albums").text
    #expect(albums.contains(#"<p class="count">60 albums</p>"#))
    #expect(albums.contains(#"<span class="artist" dir="auto">Marlow Finch</span>"#))
    let movies = try await home.show("/feeds/movies").text
    #expect(movies.contains(#"<p class="count">40 movies</p>"#))
    #expect(try movies.contains(Regex(#"class="byline" dir="auto">\d+ [A-Z][a-z]+ 20\d\d<"#)))
    #expect(try await home.show("/feeds/restaurants").text.contains("24 restaurants"))
    #expect(try await home.show("/feeds/facts").text.contains("15 facts"))
    #expect(try await home.show("/").text.contains(" offers</p>"))
    #expect(
      try await home.show("/?feed=albums").text.contains(
        #"<span class="byline" dir="auto">Marlow Finch</span>"#))
    #expect(try await home.show("/?feed=albums").text.contains("60 albums"))
    #expect(
      try await home.show("/offers/albums:8800001200").text.contains(
        #"<p class="byline" dir="auto">Marlow Finch</p>"#))
  }

  @Test("a feed whose offers have all expired says so with its noun")
  func allExpired() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let end = clock.now.addingTimeInterval(60)
    try await home.take(endingAt: [end, end], of: "albums")
    clock.advance(by: 60)
    let server = try home.server(clock: clock)
    for path in ["/feeds/albums", "/?feed=albums"] {
      let page = try await home.show(path, on: server).text
      #expect(page.contains("All 2 albums have expired"), "\(path)")
      #expect(page.contains("New albums are listed here after a refresh."), "\(path)")
    }
  }

  @Test("a price is named as one on cards, on its page, in the changes and in the API")
  func prices() async throws {
    let home = try await ServedHome(feeds: ["ibotta"])
    try await home.sync("albums", Self.album("9.99"))
    #expect(try await home.show("/feeds/albums").text.contains("Price 9.99 USD"))
    let page = try await home.show("/offers/albums:1").text
    #expect(page.contains(#"<h1 dir="auto">Rise</h1>"#))
    #expect(page.contains(#"<p class="price" dir="auto">Price 9.99 USD</p>"#))
    try await home.sync("albums", Self.album("7.99"))
    let changes = try await home.show("/changes?kind=down").text
    #expect(changes.contains(#"<span class="kind kind-up">Price down</span>"#))
    #expect(try await home.show("/offers/albums:1").text.contains("Price history"))
    #expect(
      try await home.show("/api/v1/offers/albums:1").text.contains(#""reward":{"role":"price""#))
    #expect(
      try await home.show("/api/v1/offers/ibotta:900113").text.contains(
        #""reward":{"role":"reward""#))
    let cheap = try await home.show("/api/v1/offers?max_price=8").text
    #expect(cheap.contains(#""total":1,"#))
    #expect(try await home.show("/api/v1/offers?max_price=7").text.contains(#""total":0,"#))
    #expect(try await home.show("/api/v1/offers?max_price=5%25").status == 400)
  }

  private static func dollars(_ number: Int64) -> Reward {
    Reward(text: "$\(number)", value: .amount(minorUnits: number * 100, currency: "USD"))
  }

  @Test("a feed without a definition is shown as at its last sync")
  func withoutDefinition() async throws {
    let home = try await ServedHome(feeds: [])
    let store = home.database
    let made = try await store.plan(
      [
        FeedOffer(
          "1", name: "Rug", reward: Self.dollars(5), more: [.attributes: #"[["By","Ada"]]"#]),
        FeedOffer("2", name: "Cup", reward: Self.dollars(3)),
      ], feed: "shop", at: 1_700_000_000)
    _ = try await store.apply(
      SyncPlan(
        run: made.run, newRecords: made.newRecords, knownRecords: made.knownRecords,
        vanishedKeys: [], rememberedSource: nil, document: nil,
        presentation: FeedPresentation(
          layout: .rows, noun: OfferNoun("ware"), valueRole: .price, byline: ["By"])))
    let page = try await home.show("/feeds/shop").text
    #expect(page.contains(#"<p class="count">2 wares</p>"#))
    #expect(page.contains(#"Price</span> <span class="amount">$5</span>"#) && page.contains("Ada"))
    #expect(try await home.show("/offers/shop:1").text.contains(">Price $5"))
    #expect(try await home.show("/settings/feeds").text.contains("2 wares"))
    #expect(
      try await home.show("/api/v1/offers/shop:1").text.contains(#""reward":{"role":"price""#))
    #expect(try await home.show("/api/v1/offers?max_price=4").text.contains(#""total":1,"#))
  }

  @Test("the orders by reward and by price are offered where the feeds have such values")
  func orders() async throws {
    let home = try await ServedHome(feeds: ["ibotta"])
    #expect(try await !home.show("/").text.contains("Lowest price"))
    try await home.sync("albums", Self.album("9.99"))
    let all = try await home.show("/?sort=price").text
    #expect(all.contains("Highest reward") && all.contains("Lowest price"))
    let first = try #require(all.between(#"data-ref=""#, "\""))
    #expect(first == "albums:1")
    let albums = try await home.show("/feeds/albums").text
    #expect(!albums.contains("Highest reward") && albums.contains("Lowest price"))
    #expect(try await !home.show("/feeds/ibotta").text.contains("Lowest price"))
  }
}
