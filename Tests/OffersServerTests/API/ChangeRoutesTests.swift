import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Changes over the API")
struct ChangeRoutesTests {
  private static func feed(_ count: Int, reward: String) -> String {
    let items = (1...count).map {
      "{\"id\":\"\($0)\",\"name\":\"Tea \($0)\",\"current_value\":\"\(reward)\"}"
    }
    return "[\(items.joined(separator: ","))]"
  }

  @Test("a made-up cursor is refused or works like a valid one")
  func madeUp() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let whole = try await client.get("changes?limit=500")
    let known = try #require(try whole.object["next_cursor"] as? String)
    let padding = String(repeating: "=", count: (4 - known.utf8.count % 4) % 4)
    let plain = try #require(
      Data(base64Encoded: known.replacing("-", with: "+").replacing("_", with: "/") + padding))
    let parts = try #require(JSONSerialization.jsonObject(with: plain) as? [String])
    let list = try #require(UInt64(parts[0], radix: 16))
    for since in [Int64.min, -1_000_000_000_000_001, 1_000_000_000_000_001, .max] {
      let cursor = Cursor.change(id: 0, since: since).text(of: list)
      #expect(try await client.get("changes?cursor=\(cursor)").status == 400)
    }
    for since in [-1_000_000_000_000_000, 0, 1_000_000_000_000_000] as [Int64] {
      for (id, status) in [(0, 200), (Int64.max, 400)] {
        let cursor = Cursor.change(id: id, since: since).text(of: list)
        let answer = try await client.get("changes?cursor=\(cursor)")
        #expect(answer.status == status, "\(answer.text)")
      }
    }
  }

  @Test("following the cursors lists each change once, and later only the changes since then")
  func cursor() async throws {
    let home = try await ServedHome(feeds: [])
    for count in [1, 25] {
      let feed = Self.feed(count, reward: "$1.00")
      try await home.sync(from: try home.folder.write(feed, to: "a.json"))
    }
    let client = try home.client()
    let pages = try await client.pages("changes?limit=10") { $0["has_more"] as? Bool == true }
    #expect(pages.count == 3)
    let refs = try pages.flatMap { try $0.objects("changes").compactMap { $0["ref"] as? String } }
    #expect(refs == (2...25).map { "ibotta:\($0)" })
    let next = try #require(try pages.last?.object["next_cursor"] as? String)
    let path = "changes?limit=100&cursor=\(next)"
    #expect(try await client.get(path).objects("changes").isEmpty)
    try await home.sync(from: try home.folder.write(Self.feed(24, reward: "$2.00"), to: "b.json"))
    let later = try await client.get(path).objects("changes")
    #expect(later.filter { $0["kind"] as? String == "up" }.count == 24)
    #expect(later.filter { $0["kind"] as? String == "gone" }.count == 1)
  }

  @Test("changes are filtered by kind, favorites and time, and contradictory filters are refused")
  func filters() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let first = try await client.get("changes?kind=first,up").objects("changes")
    #expect(first.map { $0["offers"] as? Int } == [64] && first[0]["ref"] is NSNull)
    #expect(try await client.get("changes?kind=new,up&limit=500").objects("changes").isEmpty)
    #expect(try await client.get("changes?kind=gone").objects("changes").isEmpty)
    #expect(try await client.get("changes?favorites=true").objects("changes").isEmpty)
    _ = try await client.write(.put, "offers/ibotta:900117/favorite")
    #expect(try await client.get("changes?favorites=true").objects("changes").isEmpty)
    let next = try await client.get("changes").object["next_cursor"] as? String ?? ""
    #expect(try await client.get("changes?since=1d&cursor=\(next)").status == 400)
    #expect(try await client.get("changes?kind=new,,up").status == 400)
    #expect(try await client.get("changes?since=last").status == 400)
    #expect(try await client.get("changes?feed=nothing").status == 404)
  }
}
