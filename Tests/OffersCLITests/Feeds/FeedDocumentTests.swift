import Foundation
import OffersTestSupport
import Testing

@Suite("offers feeds: its documents, and the notes on a guess")
struct FeedDocumentTests {
  @Test("relative pictures are said to count from the feed's address, or to have none in a file")
  func relativePictures() async throws {
    let home = try Home()
    let text = #"[{"id":1,"name":"Tea","image":"/a.png"},{"id":2,"name":"Jam","image":"/b.png"}]"#
    let file = try home.folder.write(text, to: "teas.json")
    let guessed = try await home.call("feeds", "guess", file)
    #expect(guessed.errors.contains("“/a.png”, and a file has no address from which they count."))
    #expect(guessed.errors.contains("write image: https://HOST{image}."))
    let server = try ScriptedServer([.answer("200 OK", [], text)])
    let added = try await home.call(
      "feeds", "add", "teas", server.url("/teas.json"), "--allow-private-network")
    #expect(added.errors.contains("“/a.png”, and count from the address of the feed. If the"))
  }

  @Test("check, guess and show print JSON documents")
  func documents() async throws {
    let home = try Home()
    let path = try home.folder.write(FeedsCommandTests.rss, to: "shop.rss")
    try await home.expect("feeds", "add", "shop", path)
    let checked = try await home.callDocument("feeds", "check", "shop")
    let check = try #require((checked["feeds"] as? [[String: Any]])?.first)
    #expect(
      Set(check.keys) == [
        "name", "title", "records", "offers", "skipped", "mended", "repeated", "without_currency",
        "bytes", "found", "shared", "problems", "first",
      ])
    #expect(check["title"] as? String == "Corner Shop" && check["records"] as? Int == 3)
    let found = try #require(check["found"] as? [[String: Any]])
    #expect(found.first { $0["value"] as? String == "link" }?["offers"] as? Int == 1)
    let first = try #require(check["first"] as? [[String: Any]])
    #expect(first.map { $0["name"] as? String } == ["Tea & Honey", "Jam"])
    #expect((first[0]["reward"] as? [String: Any])?["role"] as? String == "price")
    let problem = try #require((check["problems"] as? [[String: Any]])?.first)
    #expect(problem["record"] as? Int == 3 && problem["effect"] as? String == "skipped")
    let guess = try await home.callDocument("feeds", "guess", path, "--name", "corner")
    #expect(Set(guess.keys) == ["name", "definition", "records", "notes"])
    #expect((guess["definition"] as? String)?.hasPrefix("feeds:\n  corner:\n") == true)
    let shown = try await home.callDocument("feeds", "show", "shop")
    #expect(shown["definition"] as? String == (try await home.call("feeds", "show", "shop").output))
    let empty = try home.folder.write(FeedsCommandTests.shop, to: "shop.json")
    try await home.expect("feeds", "check", "ibotta", "--from", empty, "--json", status: 1)
  }
}
