import OffersCore
import Testing

@testable import OffersServer

@Suite("Forms without scripts")
struct PageFormTests {
  @Test("a star is set and taken away, and leads back")
  func stars() async throws {
    let home = try await ServedHome()
    let set = try await home.send(
      "/offers/ibotta:900113/favorite", "favorite=1&back=%2F%3Fpage%3D2")
    #expect(set.status == 303)
    #expect(set.headers[.location] == "/?page=2")
    #expect(
      try await home.database.findOffer(OfferRef(feed: "ibotta", id: "900113"))?.isFavorite == true)
    let taken = try await home.send("/offers/ibotta:900113/favorite", "favorite=0")
    #expect(taken.headers[.location] == "/offers/ibotta:900113")
    #expect(
      try await home.database.findOffer(OfferRef(feed: "ibotta", id: "900113"))?.isFavorite == false
    )
    #expect(try await home.send("/offers/ibotta:none/favorite", "favorite=1").status == 404)
  }

  @Test(
    "a form leads back to this site only",
    arguments: [
      "//evil.example", "https://evil.example", "/\\evil.example", "/%5Cevil", "evil", "/a\nb", "",
      "javascript:x", "/é",
    ])
  func leadsBack(back: String) {
    let path = PageLinks.back(back)
    #expect(path == "/" || path == "/%5Cevil")
  }

  @Test("a form of another site changes nothing")
  func refusesOthers() async throws {
    let home = try await ServedHome()
    for origin in ["http://evil.example", "null", nil] {
      let answer = try await home.send(
        "/offers/ibotta:900113/favorite", "favorite=1", origin: origin)
      #expect(answer.status == 403)
    }
    #expect(try await home.database.fetchOffers(OfferQuery(favoritesOnly: true)).isEmpty)
  }

  @Test("a refresh begins, also while one runs, and leads back")
  func refreshes() async throws {
    let home = try await ServedHome()
    for _ in 0..<2 {
      let answer = try await home.send("/sync", "feed=ibotta&back=%2Fsettings")
      #expect(answer.status == 303)
      #expect(answer.headers[.location] == "/settings")
    }
    #expect(try await home.send("/sync", "feed=unknown").status == 404)
  }

  @Test("a feed is taken up and given up")
  func subscribes() async throws {
    let home = try await ServedHome()
    #expect(try await home.send("/feeds/facts", "subscribed=1").headers[.location] == "/settings")
    #expect(try await home.database.fetchFeeds().map(\.name) == ["facts", "ibotta"])
    #expect(try await home.send("/feeds/ibotta", "subscribed=0").status == 303)
    #expect(try await home.database.fetchFeeds().map(\.name) == ["facts"])
    #expect(try await home.send("/feeds/unknown", "subscribed=1").status == 404)
  }
}
