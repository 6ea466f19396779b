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

  @Test("an offer that one user shares is listed for the other, who may take it off")
  func api() async throws {
    let (home, server, ana, ben) = try await Self.home()
    let anas = home.database.bound(to: try await home.database.fetchUser(named: "Ana"))
    let client = try home.client(server)
    let shared = try await client.by(ana).write(.put, "offers/900117/share", "{}")
    #expect(shared.status == 200)
    #expect(try shared.object["changed"] as? Bool == true)
    let offer = try #require(try shared.object["offer"] as? [String: Any])
    #expect(offer["favorite"] as? Bool == true)
    let list = try await client.by(ben).get("household")
    let found = try #require(try list.objects("offers").first)
    #expect(found["ref"] as? String == Self.ref)
    #expect(found["favorite"] as? Bool == false)
    let sharers = try #require(found["shared_by"] as? [[String: String]])
    #expect(sharers.map { $0["user"] } == ["Ana"])
    #expect(Set(sharers[0].keys) == ["user", "shared_at"])
    #expect(try list.object["total"] as? Int == 1)
    // A cached answer is not that of the other user.
    let again = try await client.by(ana).get("household")
    #expect(try again.objects("offers").first?["favorite"] as? Bool == true)
    #expect(again.headers[.eTag] != list.headers[.eTag])
    let taken = try await client.by(ben).write(.delete, "offers/ibotta:900117/share")
    #expect(try taken.object["changed"] as? Bool == true)
    #expect(try await client.by(ana).get("household").objects("offers").isEmpty)
    #expect(
      try await client.by(ben).write(.put, "offers/none/share", "{}").status
        == 404)
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
    let client = try home.client(server)
    var read: [String] = []
    for page in try await client.by(ben).pages("household?limit=2") {
      read += try page.objects("offers").compactMap { $0["ref"] as? String }
      guard let next = try page.object["next_cursor"] as? String else { continue }
      #expect(try await client.by(ben).get("offers?cursor=\(next)").status == 400)
    }
    #expect(read == refs.reversed().map(\.description))
    for wrong in ["limit=0", "cursor=x", "feed=ibotta"] {
      let answer = try await client.by(ana).get("household?\(wrong)")
      #expect(answer.status == 400, "\(wrong)")
    }
    let other = try await client.by(ana).get("offers?limit=2")
    let cursor = try #require(try other.object["next_cursor"] as? String)
    #expect(
      try await client.by(ana).get("household?cursor=\(cursor)").status == 400)
  }

  @Test("the pages work by forms, and name the sharers")
  func forms() async throws {
    let (home, server, ana, ben) = try await Self.home()
    let client = try home.client(server)
    func page(_ path: String, _ cookie: String) async throws -> APIAnswer {
      try await client.by(cookie).get(path)
    }
    func send(_ form: String, _ cookie: String) async throws -> APIAnswer {
      try await client.by(cookie).form("/offers/\(Self.ref)/share", form)
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
      try await client.by(ana).form("/offers/ibotta:none/share", "share=1").status == 404)
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
    let client = try home.client()
    #expect(try await client.get("offline").object["has_household"] as? Bool == false)
    #expect(try await client.get("household").object["total"] as? Int == 1)
    let (other, server, ana, _) = try await Self.home()
    let shared = try other.client(server).by(ana)
    for path in ["/", "/favorites", "/settings", "/offers/\(Self.ref)", "/changes", "/search"] {
      #expect(try await shared.get(path).text.contains(">Household<"), "\(path)")
    }
    let offline = try await shared.get("offline")
    #expect(try offline.object["has_household"] as? Bool == true)
  }
}
