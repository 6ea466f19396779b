import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Offers over the API")
struct OfferRoutesTests {
  @Test(
    "in every order, the pages of a list together have each offer once",
    arguments: OfferQuery.Sort.allCases)
  func paging(sort: OfferQuery.Sort) async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums"])
    let client = try home.client()
    for reverse in ["", "&reverse=true"] {
      let pages = try await client.pages("offers?sort=\(sort.rawValue)&limit=20\(reverse)")
      #expect(try pages.allSatisfy { try $0.object["total"] as? Int == 124 })
      let refs = try pages.flatMap { try $0.objects("offers").compactMap { $0["ref"] as? String } }
      #expect(refs.count == 124)
      #expect(Set(refs).count == 124)
    }
  }

  @Test("a cursor is valid for its own list only, with any limit")
  func foreignCursor() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let first = try await client.get("offers?feed=ibotta&limit=3")
    let cursor = try #require(try first.object["next_cursor"] as? String)
    #expect(try await client.get("offers?feed=ibotta&limit=9&cursor=\(cursor)").status == 200)
    for path in [
      "offers?limit=3&cursor=\(cursor)", "offers?feed=ibotta&sort=name&cursor=\(cursor)",
      "changes?feed=ibotta&cursor=\(cursor)", "offers?feed=ibotta&cursor=\(cursor)A",
      "offers?feed=ibotta&cursor=%21",
    ] {
      let answer = try await client.get(path)
      #expect(answer.status == 400, "\(path)")
      #expect(answer.detail.contains("cursor"), "\(answer.detail)")
    }
  }

  @Test(
    "an unknown, invalid, empty or repeated parameter is refused with its name",
    arguments: [
      ("limt=3", "limt"), ("limit=0", "limit"), ("limit=501", "limit"), ("limit=+5", "limit"),
      ("limit=", "limit"), ("limit", "limit"), ("favorites=1", "favorites"),
      ("sort=rewards", "sort"), ("min_reward=much", "min_reward"), ("new_since=soon", "new_since"),
      ("expiring=2026-01-01", "expiring"), ("reverse=yes", "reverse"),
      ("limit=1&limit=2", "limit"), ("cursor=x", "cursor"),
    ])
  func wrongParameters(query: String, name: String) async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    let answer = try await client.get("offers?\(query)")
    #expect(answer.status == 400)
    #expect(answer.detail.contains("“\(name)”"), "\(answer.detail)")
  }

  @Test("what is hidden is left out of lists and searches, and of what browsers store")
  func hidings() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    func total(_ query: String = "") async throws -> Int {
      try await client.get("offers?limit=1\(query)").object["total"] as? Int ?? -1
    }
    let all = try await total()
    for what in ["ibotta:900117", "coffee"] {
      let answer = try await client.send(
        .put, "hidings?what=\(what)", headers: [.contentType: "application/json"], body: "{}")
      #expect(try answer.object["changed"] as? Bool == true)
    }
    let hidden = try await total("&hidden=true")
    #expect(hidden > 1)
    #expect(try await total() == all - hidden)
    #expect(try await client.get("search?q=coffee").objects("offers").isEmpty)
    #expect(try await !client.get("search?q=coffee&hidden=true").objects("offers").isEmpty)
    let stored = try await client.get("offline").object["offers"] as? [[String]]
    #expect(stored?.contains { $0.first == "ibotta:900117" } == false)
    #expect(try await home.show("/offers/ibotta:900117").text.contains("Show again"))
    let refused = try await client.send(
      .delete, "hidings?what=tea", headers: [.contentType: "application/json"], body: "{}")
    #expect(refused.status == 404)
  }

  @Test("the parameters of the list filter and order the offers")
  func filters() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let high = try await client.get("offers?min_reward=2.00&sort=reward&limit=500")
    let rewards = try high.objects("offers").compactMap { $0["reward"] as? [String: Any] }
      .compactMap { $0["minor_units"] as? Int }
    #expect(!rewards.isEmpty)
    #expect(rewards.allSatisfy { $0 >= 200 })
    #expect(rewards == rewards.sorted(by: >))
    #expect(try await client.get("offers?new_since=1h&limit=1").object["total"] as? Int == 64)
    #expect(try await client.get("offers?gone=true").object["total"] as? Int == 0)
    #expect(try await client.get("offers?feed=nothing").status == 404)
  }

  @Test("an offer whose id has any characters is found by its percent-encoded reference")
  func strangeIDs() async throws {
    let home = try await ServedHome(feeds: [])
    let ids = ["a/b?c#d", "ä ö&ü=%", "..", "\u{202E}x", "é:1"]
    let items = ids.map { "{\"id\":\(String(reflecting: $0)),\"name\":\"Tea\"}" }
    let feed = try home.folder.write(
      "[" + items.joined(separator: ",").replacing("\\u{202E}", with: "\u{202E}") + "]",
      to: "f.json")
    try await home.sync(from: feed)
    let client = try home.client()
    for id in ids {
      let ref = PercentCode.encode("ibotta:\(id)")
      let answer = try await client.get("offers/\(ref)")
      #expect(answer.status == 200, "\(id)")
      #expect(try answer.object["id"] as? String == id)
      #expect(try await client.write(.put, "offers/\(ref)/favorite").status == 200)
    }
    #expect(try await client.get("favorites").object["favorites"] as? [String] != nil)
  }

  @Test("adding or removing a favorite a second time changes nothing")
  func favorite() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let path = "offers/ibotta:900117/favorite"
    for (method, didChange, isFavorite) in [
      (HTTPRequest.Method.put, true, true), (.put, false, true), (.delete, true, false),
      (.delete, false, false),
    ] {
      let answer = try await client.write(method, path, "{}")
      #expect(answer.status == 200)
      #expect(try answer.object["changed"] as? Bool == didChange)
      let offer = try #require(try answer.object["offer"] as? [String: Any])
      #expect(offer["favorite"] as? Bool == isFavorite)
      let refs = try await client.get("favorites").object["favorites"] as? [String]
      #expect(refs == (isFavorite ? ["ibotta:900117"] : []))
    }
    #expect(try await client.write(.put, "offers/ibotta:1/favorite").status == 404)
    #expect(try await client.write(.put, path, "[]").status == 400)
    #expect(try await client.write(.put, path, #"{"favorite":true}"#).status == 400)
    #expect(try await client.write(.put, path, "{").status == 400)
    #expect(try await client.write(.post, path).status == 405)
  }
}
