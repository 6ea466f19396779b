import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("The household list on the server")
struct HouseholdTests {
  private static let ref = "ibotta:900117"

  /// A home with two users, and their cookies.
  private static func home() async throws -> (
    home: ServedHome, server: OffersServer, ana: String, ben: String
  ) {
    let clock = SteppedClock()
    let home = try await ServedHome()
    let ana = try await home.addUser("Ana", .member)
    let ben = try await home.addUser("Ben <b>", .viewer)
    return (
      home, try home.server(clock: clock), try await home.cookie(of: ana, at: clock.now),
      try await home.cookie(of: ben, at: clock.now)
    )
  }

  private static func json(_ cookie: String) -> HTTPFields {
    [.contentType: "application/json", .cookie: cookie]
  }

  private static func form(_ cookie: String) -> HTTPFields {
    var fields = ServedHome.form
    fields[.cookie] = cookie
    return fields
  }

  @Test("an offer that one user shares is listed for the other, who may take it off")
  func api() async throws {
    let (home, server, ana, ben) = try await Self.home()
    let anas = home.database.bound(to: try await home.database.fetchUser(named: "Ana"))
    try await home.ask(server) { (client) async throws in
      let shared = try await client.write(
        .put, "offers/900117/share", "{}", headers: Self.json(ana))
      #expect(shared.status == 200)
      #expect(try shared.object["changed"] as? Bool == true)
      let offer = try #require(try shared.object["offer"] as? [String: Any])
      #expect(offer["favorite"] as? Bool == true)
      let list = try await client.get("household", headers: [.cookie: ben])
      let found = try #require(try list.objects("offers").first)
      #expect(found["ref"] as? String == Self.ref)
      #expect(found["favorite"] as? Bool == false)
      let sharers = try #require(found["shared_by"] as? [[String: String]])
      #expect(sharers.map { $0["user"] } == ["Ana"])
      #expect(Set(sharers[0].keys) == ["user", "shared_at"])
      #expect(try list.object["total"] as? Int == 1)
      // A cached answer is not that of the other user.
      let again = try await client.get("household", headers: [.cookie: ana])
      #expect(try again.objects("offers").first?["favorite"] as? Bool == true)
      #expect(again.headers[.eTag] != list.headers[.eTag])
      let taken = try await client.write(
        .delete, "offers/ibotta:900117/share", headers: Self.json(ben))
      #expect(try taken.object["changed"] as? Bool == true)
      #expect(try await client.get("household", headers: [.cookie: ana]).objects("offers").isEmpty)
      #expect(
        try await client.write(.put, "offers/none/share", "{}", headers: Self.json(ben)).status
          == 404)
    }
    #expect(try await anas.countOffers(OfferQuery(favoritesOnly: true)) == 1)
  }

  @Test("the list has pages, whose cursor belongs to it alone")
  func pages() async throws {
    let (home, server, ana, ben) = try await Self.home()
    let anas = home.database.bound(to: try await home.database.fetchUser(named: "Ana"))
    let refs = try await anas.fetchOffers(OfferQuery(limit: 5)).map(\.ref)
    for (index, ref) in refs.enumerated() {
      try await anas.share([ref], at: .init(timeIntervalSince1970: Double(100 + index)))
    }
    try await home.ask(server) { (client) async throws in
      var read: [String] = []
      var path = "household?limit=2"
      while true {
        let page = try await client.get(path, headers: [.cookie: ben])
        read += try page.objects("offers").compactMap { $0["ref"] as? String }
        guard let next = try page.object["next_cursor"] as? String else { break }
        #expect(
          try await client.get("offers?cursor=\(next)", headers: [.cookie: ben]).status == 400)
        path = "household?limit=2&cursor=\(next)"
      }
      #expect(read == refs.reversed().map(\.description))
      for wrong in ["limit=0", "cursor=x", "feed=ibotta"] {
        let answer = try await client.get("household?\(wrong)", headers: [.cookie: ana])
        #expect(answer.status == 400, "\(wrong)")
      }
      let other = try await client.get("offers?limit=2", headers: [.cookie: ana])
      let cursor = try #require(try other.object["next_cursor"] as? String)
      #expect(
        try await client.get("household?cursor=\(cursor)", headers: [.cookie: ana]).status == 400)
    }
  }

  @Test("the pages work by forms, and name the sharers")
  func forms() async throws {
    let (home, server, ana, ben) = try await Self.home()
    try await home.ask(server) { (client) async throws in
      func page(_ path: String, _ cookie: String) async throws -> APIAnswer {
        try await client.send(.get, path, headers: [.cookie: cookie])
      }
      func send(_ form: String, _ cookie: String) async throws -> APIAnswer {
        try await client.send(
          .post, "/offers/\(Self.ref)/share", headers: Self.form(cookie), body: form)
      }
      let empty = try await page("/household", ben)
      #expect(empty.status == 200 && empty.text.contains("Nothing is shared yet"))
      let before = try await page("/offers/\(Self.ref)", ben)
      #expect(before.text.contains("Share with the household"))
      #expect(!before.text.contains("Take off the list"))
      let shared = try await send("share=1&back=%2Foffers%2F\(Self.ref)", ben)
      #expect(shared.status == 303 && shared.headers[.location] == "/offers/\(Self.ref)")
      let offer = try await page("/offers/\(Self.ref)", ana)
      #expect(offer.text.contains("Shared by <bdi>Ben &lt;b&gt;</bdi>"))
      #expect(offer.text.contains("Share it, too") && offer.text.contains("Take off the list"))
      #expect(try await send("share=1", ana).headers[.location] == "/offers/\(Self.ref)")
      let list = try await page("/household", ana)
      // Both may have shared it in the same second.
      let sharers = try #require(list.text.between("Added by ", "</p>"))
      #expect(
        Set(sharers.components(separatedBy: ", "))
          == ["<bdi>Ben &lt;b&gt;</bdi>", "<bdi>Ana</bdi>"])
      #expect(list.text.contains("<p class=\"count\">1 offer</p>"))
      #expect(try await !page("/offers/\(Self.ref)", ana).text.contains("Share it, too"))
      #expect(try await send("share=0&back=%2Fhousehold", ana).headers[.location] == "/household")
      #expect(try await page("/household", ben).text.contains("Nothing is shared yet"))
      // The favorites of both stay.
      for cookie in [ana, ben] {
        #expect(try await page("/favorites", cookie).text.contains(Self.ref))
      }
      #expect(
        try await client.send(
          .post, "/offers/ibotta:none/share", headers: Self.form(ana), body: "share=1"
        ).status == 404)
    }
  }

  @Test("a page that another user has opened changes nothing")
  func guarded() async throws {
    let (home, server, ana, ben) = try await Self.home()
    let number = try await home.database.fetchUser(named: "Ana").id
    let name = try #require(HTTPField.Name("X-Offers-User"))
    try await home.ask(server) { (client) async throws in
      var fields = Self.json(ben)
      fields[name] = String(number)
      let refused = try await client.write(.put, "offers/900117/share", "{}", headers: fields)
      #expect(refused.status == 409)
      #expect(
        try await client.get("household", headers: [.cookie: ana]).object["total"] as? Int == 0)
    }
  }

  @Test("with one user, no page shows anything of it; with a second one, all have the entry")
  func alone() async throws {
    let home = try await ServedHome()
    try await home.database.share(named: [Self.ref], at: .init(timeIntervalSince1970: 100))
    for path in ["/", "/favorites", "/settings", "/offers/\(Self.ref)", "/changes", "/search"] {
      let text = try await home.show(path).text
      #expect(!text.contains(">Household<") && !text.contains("/share"), "\(path)")
    }
    #expect(try await home.show("/household").status == 404)
    try await home.ask { (client) async throws in
      #expect(try await client.get("offline").object["has_household"] as? Bool == false)
      #expect(try await client.get("household").object["total"] as? Int == 1)
    }
    let (other, server, ana, _) = try await Self.home()
    try await other.ask(server) { (client) async throws in
      for path in ["/", "/favorites", "/settings", "/offers/\(Self.ref)", "/changes", "/search"] {
        let page = try await client.send(.get, path, headers: [.cookie: ana])
        #expect(page.text.contains(">Household<"), "\(path)")
      }
      let offline = try await client.get("offline", headers: [.cookie: ana])
      #expect(try offline.object["has_household"] as? Bool == true)
    }
  }
}
