import Foundation
import OffersTestSupport
import Testing

@Suite("offers hide")
struct HideCommandTests {
  private static let items = [
    FeedItem("1", "Alpha Coffee"), FeedItem("2", "Green Tea"), FeedItem("3", "Coffee Pods"),
  ]

  @Test("what is hidden is left out of lists and searches until it is shown again")
  func hides() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("favorite", "3")
    try await home.expect(
      "hide", "coffee", output: "coffee: hidden, 1 offer left out now; 1 favorite stays\n")
    try await home.expect(
      "hide", "Coffee",
      output: "coffee: was already hidden, 1 offer left out now; 1 favorite stays\n"
    )
    try await home.expect(
      "hide", "2", output: "ibotta:2  Green Tea: hidden, 1 offer left out now\n")
    #expect(try await home.column("id", []) == ["3"])
    #expect(try await home.column("id", ["--hidden"]) == ["1", "2"])
    #expect(try await home.column("id", ["is:hidden", "tea"]) == ["2"])
    let found = try await home.objects("offers", "search", "coffee")
    #expect(found.map { $0["id"] as? String } == ["3"])
    let hidden = try await home.objects("offers", "search", "coffee", "--hidden")
    #expect(hidden.map { $0["id"] as? String } == ["1"])
    let none = try await home.call("list", "tea")
    #expect(none.output.isEmpty && none.errors.contains("add --hidden"))
    try await home.expect(
      "hide", output: "OFFERS  HIDDEN\n     1  coffee\n     1  ibotta:2  Green Tea\n")
    try await home.expect("hide", "--remove", "2", output: "ibotta:2  Green Tea: shown again\n")
    try await home.expect("hide", "COFFEE", "--remove", output: "coffee: shown again\n")
    #expect(try await home.column("id", []) == ["1", "2", "3"])
    let empty = try await home.call("hide")
    #expect(empty.output.isEmpty && empty.errors.contains("You hide nothing."))
  }

  @Test("the documents name what is hidden, and how many offers that leaves out")
  func documents() async throws {
    let home = try await Home(synced: Self.items)
    let made = try await home.callDocument("hide", "ibotta:1")
    #expect(made["hidden"] as? String == "ibotta:1" && made["name"] as? String == "Alpha Coffee")
    #expect(made["offers"] as? Int == 1 && made["favorites"] as? Int == 0)
    #expect(made["changed"] as? Bool == true && made["hidden_at"] is String)
    let listed = try await home.objects("hidings", "hide")
    #expect(listed.map { $0["offers"] as? Int } == [1])
    let removed = try await home.callDocument("hide", "1", "--remove")
    #expect(removed["hidden"] as? String == "ibotta:1")
    #expect(try await home.objects("hidings", "hide").isEmpty)
  }

  @Test("what cannot be hidden is refused with what to do")
  func refuses() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("favorite", "3")
    let cases: [([String], Int32, String)] = [
      (["3"], 64, "offers favorite ibotta:3 --remove"), (["ibotta:9"], 66, "ibotta:9"),
      (["reward:>=2"], 64, "retailer:"), (["retailr:Mart"], 64, "Did you mean retailer:?"),
      (["feed:none"], 66, "none"), (["tea", "--remove"], 66, "offers hide"),
      (["--remove"], 64, "--remove needs"),
    ]
    for (words, status, text) in cases {
      try await home.expect(["hide"] + words, status: status, says: [text])
    }
    #expect(try await home.objects("hidings", "hide").isEmpty)
  }
}
