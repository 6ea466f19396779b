import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Routes of the stored offers")
struct OfflineRoutesTests {
  /// The hashes of the listed offers by reference.
  private static func hashes(_ client: TestClient) async throws -> [String: String] {
    let pairs = try #require(try await client.get("offline").object["offers"] as? [[String]])
    return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
  }

  private static func document(_ offers: [(id: Int, name: String, terms: String)]) throws -> String
  {
    let items = offers.map { offer in
      [
        "id": String(offer.id), "name": offer.name, "terms": offer.terms,
        "current_value": "$1.00 Cash Back",
      ]
    }
    return String(decoding: try JSONSerialization.data(withJSONObject: items), as: UTF8.self)
  }

  @Test(
    "the list has each current offer once, in the order of the feeds, and the pages of the lists")
  func list() async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums"])
    let client = try home.client()
    let list = try await client.get("offline").object
    let pairs = try #require(list["offers"] as? [[String]])
    let all = try await home.database.fetchOffers(OfferQuery())
    #expect(pairs.map { $0[0] } == all.map(\.ref.description))
    let pages = try #require(list["pages"] as? [[String: Any]])
    #expect(
      Set(pages.compactMap { $0["path"] as? String })
        == [
          "/", "/all", "/favorites", "/search", "/feeds/ibotta", "/feeds/albums", "/web",
          "/settings", "/settings/about",
        ])
  }

  @Test(
    "an offer has the hash of the list, and the variables of its card and page without the user's")
  func offer() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let hashes = try await Self.hashes(client)
    _ = try await client.write(.put, "offers/ibotta:900117/favorite", "{}")
    let found = try await client.get("offline/offers?refs=ibotta:900117,ibotta:1,ibotta:900118")
      .objects("offers")
    #expect(found.map { $0["ref"] as? String } == ["ibotta:900117", "ibotta:900118"])
    for offer in found {
      let ref = try #require(offer["ref"] as? String)
      #expect(offer["hash"] as? String == hashes[ref])
      let card = try #require(offer["card"] as? [String: Any])
      #expect(card["name"] as? String != nil)
      for name in ["isFavorite", "starTo", "back"] { #expect(card[name] == nil) }
    }
  }

  @Test("a star and a sync without changes leave the list as it is")
  func unchanged() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let tag = try #require(try await client.get("offline").headers[.eTag])
    _ = try await client.write(.put, "offers/ibotta:900117/favorite", "{}")
    try await home.sync(from: "sample")
    let again = try await client.get("offline", headers: [.ifNoneMatch: tag])
    #expect(again.status == 304)
  }

  @Test("a sync changes the hashes of the offers that it changes, and no other")
  func changed() async throws {
    let home = try await ServedHome(feeds: [])
    let path = try home.folder.write(
      Self.document([(1, "One", "a"), (2, "Two", "b"), (3, "Three", "c")]), to: "ibotta.json")
    try await home.sync(from: path)
    let client = try home.client()
    let before = try await Self.hashes(client)
    try Self.document([(1, "One", "a"), (2, "Two", "new terms"), (4, "Four", "d")])
      .write(toFile: path, atomically: true, encoding: .utf8)
    try await home.sync(from: path)
    let after = try await Self.hashes(client)
    #expect(Set(after.keys) == ["ibotta:1", "ibotta:2", "ibotta:4"])
    #expect(after["ibotta:1"] == before["ibotta:1"])
    #expect(after["ibotta:2"] != before["ibotta:2"])
  }

  @Test("the offers of the list have at most 8 MB")
  func bytes() async throws {
    let home = try await ServedHome(feeds: [])
    let terms = String(repeating: "word ", count: 12_000)
    let path = try home.folder.write(
      Self.document((1...200).map { ($0, "Offer \($0)", terms) }), to: "ibotta.json")
    try await home.sync(from: path)
    let client = try home.client()
    let list = try await client.get("offline").object
    let refs = try #require(list["offers"] as? [[String]]).map { $0[0] }
    #expect(refs.count < 200)
    var bytes = 0
    for ref in refs {
      bytes += try await client.get("offline/offers?refs=\(ref)").text.utf8.count
    }
    #expect(bytes > OfflineRoutes.bytes / 2)
    // Each answer also has the member `offers` and the hash.
    #expect(bytes <= OfflineRoutes.bytes + 100 * refs.count)
  }

  @Test("a reference may contain a comma")
  func comma() async throws {
    let home = try await ServedHome(feeds: [])
    let path = try home.folder.write(
      #"[{"id": "a,b", "name": "Comma", "current_value": "$1.00 Cash Back"}]"#, to: "ibotta.json")
    try await home.sync(from: path)
    let client = try home.client()
    let found = try await client.get("offline/offers?refs=ibotta%3Aa%252Cb").objects("offers")
    #expect(found.map { $0["ref"] as? String } == ["ibotta:a,b"])
  }

  @Test("a wrong list of references is refused")
  func refused() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    let many = Array(repeating: "ibotta:1", count: 101).joined(separator: ",")
    for query in ["", "?refs=", "?refs=nothing", "?refs=ibotta:1,", "?refs=\(many)", "?other=1"] {
      let answer = try await client.get("offline/offers\(query)")
      #expect(answer.status == 400, "\(query)")
    }
    let answer = try await client.get("offline?after=1")
    #expect(answer.status == 400)
  }

  @Test("a client without the token gets neither the list nor the offers")
  func token() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server(token: ServedHome.token))
    for path in ["offline", "offline/offers?refs=ibotta:900117"] {
      let answer = try await client.get(path)
      #expect(answer.status == 401)
    }
  }
}
