import OffersCore
import Testing

@testable import OffersServer

@Suite("Searches over the API")
struct SearchRoutesTests {
  @Test("a result has the positions of its matches, and the search is stored once")
  func found() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for _ in 1...2 {
      let answer = try await client.get("search?q=pasta+sauce")
      #expect(try answer.object["source"] as? String == "store")
      let first = try #require(try answer.objects("offers").first)
      #expect(first["name"] as? String == "Harvest Row Pasta Sauce")
      let match = (first["matches"] as? [[String: Any]])?.first
      #expect(match?["ranges"] as? [[Int]] == [[12, 17], [18, 23]])
    }
    let searches = try await client.get("searches").objects("searches")
    #expect(searches.compactMap { $0["words"] as? String } == ["pasta sauce"])
  }

  @Test("words and filters select the same in lists and searches, and mistakes name their place")
  func selection() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for path in ["offers", "search"] {
      let answer = try await client.get("\(path)?q=coffee+reward:%3E%3D3")
      #expect(try answer.objects("offers").map { $0["id"] as? String } == ["900113"])
      let bound = try await client.get("\(path)?q=coffee&max_reward=2")
      #expect(try bound.objects("offers").map { $0["id"] as? String } == ["900150"])
      let wrong = try await client.get("\(path)?q=coffee+rewrd:%3E%3D3")
      #expect(wrong.status == 400)
      #expect((try wrong.object["detail"] as? String)?.contains("at character 8") == true)
    }
    let page = try await home.show(
      "/search?q=coffee+rewrd:%3E%3D3", headers: [.accept: "text/html"])
    #expect(page.text.contains("at character 8 is not a filter"))
    #expect(page.text.contains("Did you mean reward:?"))
    let narrowed = try await home.show(
      "/search?q=coffee&minimum=3", headers: [.accept: "text/html"])
    #expect(narrowed.text.contains("Remove: At least 3"))
    #expect(narrowed.text.contains("900113") && !narrowed.text.contains("900150"))
    let list = try await home.show("/?q=coffee+-decaf", headers: [.accept: "text/html"])
    #expect(list.text.contains("Remove: coffee -decaf"))
  }

  @Test("a search from another site, or without results, is not added to the recent searches")
  func notRemembered() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    _ = try await client.get("search?q=xyzzyxyzzy")
    _ = try await client.get(
      "search?q=pasta", headers: [.init("Sec-Fetch-Site") ?? .from: "cross-site"])
    #expect(try await client.get("searches").objects("searches").isEmpty)
  }

  @Test(
    "a search with too many words or characters is refused by a sentence, and no server is asked",
    arguments: [
      String(repeating: "a-", count: 51), String(repeating: "tea+", count: 51),
      String(repeating: "x", count: 1001),
    ])
  func refused(words: String) async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let client = try home.client()
    for path in ["search?q=\(words)", "search?feed=movies&q=\(words)"] {
      let answer = try await client.get(path)
      #expect(answer.status == 400)
      #expect(try answer.object["code"] as? String == "invalidRequest")
      #expect(
        (try answer.object["detail"] as? String)?.hasPrefix("A search has at most ") == true)
    }
    for path in ["/search?q=\(words)", "/search?feed=movies&q=\(words)"] {
      let page = try await home.show(path, headers: [.accept: "text/html"])
      #expect(page.status == 400)
      #expect(page.text.contains("A search has at most "))
      #expect(page.text.contains("Search for fewer words."))
    }
  }

  @Test("if a feed's server fails, the stored offers are searched, with the reason")
  func standIn() async throws {
    let home = try await ServedHome(feeds: ["movies"])
    let client = try home.client()
    let name = try #require(
      try await client.get("offers?limit=1").objects("offers").first?["name"] as? String)
    let words = PercentCode.encode(name)
    let answer = try await client.get("search?q=\(words)&feed=movies")
    #expect(try answer.object["source"] as? String == "store")
    let error = try #require(try answer.object["error"] as? [String: Any])
    #expect(error["message"] as? String == "The server cannot be reached.")
    #expect(try answer.objects("offers").first?["name"] as? String == name)
    #expect(try await client.get("searches").objects("searches").isEmpty)
  }

  @Test("a search without words is refused, and a page past the end is empty")
  func bounds() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let wordless = try await client.get("search")
    #expect(wordless.status == 400)
    #expect(try await client.get("search?q=").status == 400)
    #expect(try await client.get("search?q=pasta&page=900").objects("offers").isEmpty)
    #expect(try await client.get("search?q=pasta&page=0").status == 400)
    #expect(try await client.get("search?q=%20").status == 200)
  }
}
