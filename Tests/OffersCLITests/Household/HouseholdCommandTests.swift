import Foundation
import OffersTestSupport
import Testing

@Suite("offers household")
struct HouseholdCommandTests {
  @Test("adds, lists and removes offers; the stars of both users stay")
  func list() async throws {
    let home = try await Home.ofTwo()
    #expect(try await home.call("household").output == "")
    #expect(try await home.call("household").errors.contains("Nobody shares an offer"))
    #expect(
      try await home.call("household", "add", "1", "ibotta:2").output
        == "+ ibotta:1  Tea\n+ ibotta:2  Jam\n")
    let again = try await home.call("household", "add", "1", "--user", "ben")
    #expect(again.output == "+ ibotta:1  Tea\n")
    #expect(
      try await home.call("household", "add", "1").output
        == "+ ibotta:1  Tea (was shared already)\n")
    let shown = try await home.call("household", "--user", "ben").output
    #expect(shown.contains("SHARED BY") && shown.contains(/★  ibotta:1 .* owner, ben +Tea/))
    #expect(shown.contains(/\n   ibotta:2 .* owner +Jam/))
    let document = try await home.callDocument("household", "list")
    let offers = try #require(document["offers"] as? [[String: Any]])
    #expect(offers.map { $0["ref"] as? String } == ["ibotta:1", "ibotta:2"])
    let sharers = try #require(offers[0]["shared_by"] as? [[String: String]])
    #expect(sharers.map { $0["user"] } == ["owner", "ben"])
    let removed = try await home.callDocument("household", "remove", "1", "3", "--user", "ben")
    let changes = try #require(removed["offers"] as? [[String: Any]])
    #expect(changes.map { $0["changed"] as? Bool } == [true, false])
    #expect(
      try await home.call("household", "remove", "1").output == "- ibotta:1  Tea (was not shared)\n"
    )
    for user in ["owner", "ben"] {
      #expect(
        try await home.call("list", "--favorites", "--user", user).output.contains("ibotta:1"))
    }
    #expect(try await home.callDocument("household")["offers"].map { ($0 as? [Any])?.count } == 1)
  }

  @Test("lists one feed, and page by page, as the other lists do")
  func pages() async throws {
    let home = try await Home.ofTwo()
    try await home.expect("household", "--exit-status", status: 66)
    try await home.call("household", "add", "1", "2", "3")
    func refs(_ words: String...) async throws -> [String] {
      let result = try await home.call(["household", "list"] + words)
      return result.output.matches(of: /ibotta:\d/).map { String($0.output) }
    }
    #expect(try await refs("--exit-status") == ["ibotta:1", "ibotta:2", "ibotta:3"])
    #expect(try await refs("--limit", "2") == ["ibotta:1", "ibotta:2"])
    #expect(try await refs("--limit", "2", "--page", "2", "--json") == ["ibotta:3"])
    #expect(try await home.call("household", "--limit", "2").errors == "More: --page 2\n")
    #expect(try await home.call("household", "--limit", "3").errors == "")
    #expect(try await home.call("household", "--page", "2").errors == "Nothing on page 2.\n")
    #expect(try await refs("--feed", "ibotta").count == 3)
    try await home.expect(
      "household", "--feed", "facts", status: 66, says: ["Sync it: offers sync facts"])
    try await home.expect("household", "--limit", "0", status: 64)
    try await home.call("sync", "facts", "--from", "sample")
    #expect(
      try await home.call("household", "--feed", "facts").errors
        == "Nobody shares an offer of facts with the household.\n")
  }

  @Test("the list has the formats of other lists, with who shares each offer")
  func formats() async throws {
    let home = try await Home.ofTwo()
    try await home.call("household", "add", "1", "2")
    try await home.call("household", "add", "1", "--user", "ben")
    func list(_ words: String...) async throws -> String {
      try await home.call(["household"] + words).output
    }
    let json = try await list("--format", "json", "--limit", "1")
    let document = try Home.parse(json)
    #expect(Set(document.keys) == ["offers", "total", "next_page"])
    #expect(document["total"] as? Int == 2 && document["next_page"] as? Int == 2)
    #expect(try await list("--json", "--limit", "1") == json)
    #expect(try await list("--format", "ndjson").split(separator: "\n").count == 2)
    let csv = try await list("--format", "csv").components(separatedBy: "\r\n")
    #expect(csv.count == 4)
    #expect(csv[0].hasPrefix("ref,feed,") && csv[0].hasSuffix(",attributes,shared_by"))
    #expect(csv[1].hasPrefix("ibotta:1,") && csv[1].hasSuffix(",owner; ben"))
    #expect(try await list("--format", "tsv").hasSuffix("\towner\n"))
    #expect(
      try await list("--format", "markdown").hasPrefix("|  | ID | REWARD | SHARED BY | NAME |\n"))
    try await home.expect("household", "--json", "--format", "csv", status: 64)
    #expect(try await home.call("household", "--format", "cvs").errors.contains("csv"))
    let empty = try await Home.ofTwo()
    #expect(
      try await empty.call("household", "--format", "csv").output == csv[0] + "\r\n")
    #expect(
      try await empty.call("household", "--json").output
        == #"{"offers":[],"total":0,"next_page":null}"# + "\n")
  }

  @Test("refuses unknown offers, users and databases, and changes nothing then")
  func refusals() async throws {
    let home = try await Home.ofTwo()
    for words in [["add", "1", "no"], ["remove", "no"], ["add", "1", "--user", "eve"]] {
      try await home.expect(["household"] + words, status: 66)
    }
    #expect(try await home.call("list", "--favorites").output == "")
    let empty = try Home()
    try await empty.expect("household", "add", "1", status: 66)
    #expect(!home.exists(empty.database))
  }
}
