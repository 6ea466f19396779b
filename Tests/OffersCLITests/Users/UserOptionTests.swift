import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("--user and OFFERS_USER")
struct UserOptionTests {
  /// Runs the program with `OFFERS_USER` set.
  private static func run(
    _ home: Home, as user: String, _ arguments: String...
  ) async throws -> OffersProgram.Result {
    try await OffersProgram.call(
      arguments, environment: home.environment.merging(["OFFERS_USER": user]) { $1 })
  }

  @Test("the stars of two users are separate, and a shared star is removed for one only")
  func stars() async throws {
    let home = try await Home.ofTwo()
    try await home.call("favorite", "1", "2")
    try await home.expect("favorite", "2", "3", "--user", "ben")
    #expect(try await home.stars() == ["ibotta:1", "ibotta:2"])
    #expect(try await home.stars("--user", "ben") == ["ibotta:2", "ibotta:3"])
    #expect(try await home.stars("--user", "owner") == ["ibotta:1", "ibotta:2"])
    try await home.call("favorite", "2", "--remove")
    #expect(try await home.stars() == ["ibotta:1"])
    #expect(try await home.stars("--user", "BEN") == ["ibotta:2", "ibotta:3"])
    #expect(try await home.callDocument("show", "2", "--user", "ben")["favorite"] as? Bool == true)
    #expect(try await home.callDocument("show", "2")["favorite"] as? Bool == false)
    let found = try await home.call("search", "milk", "--favorites", "--user", "ben")
    #expect(found.output.contains("★  ibotta:3"))
    #expect(try await home.call("search", "milk", "--favorites").output == "")
  }

  @Test("OFFERS_USER names the user, --user wins over it, and an empty name is refused")
  func variable() async throws {
    let home = try await Home.ofTwo()
    #expect(try await Self.run(home, as: "ben", "favorite", "3").status == 0)
    #expect(try await home.stars() == [])
    #expect(try await Self.run(home, as: "ben", "list", "--favorites").output.contains("ibotta:3"))
    await #expect(
      try !Self.run(home, as: "ben", "list", "--favorites", "--user", "owner").output
        .contains("ibotta:3"))
    let empty = try await Self.run(home, as: "", "list")
    #expect(empty.status == 64)
    #expect(
      empty.errors == """
        offers: The name of the user is empty.
                Name a user with --user, or unset OFFERS_USER.

        """)
    try await home.expect("list", "--user", "", status: 64)
    // A command without users is not affected.
    #expect(try await Self.run(home, as: "", "doctor").status == 0)
  }

  @Test("every command that takes a user refuses an unknown one, and suggests a similar one")
  func unknown() async throws {
    let home = try await Home.ofTwo()
    let saved = try home.folder.write(try await home.call("export").output, to: "saved.json")
    for command in [
      ["sync"], ["list"], ["search", "tea"], ["search"], ["show", "1"], ["open", "1"],
      ["favorite", "1"], ["changes"], ["history", "1"], ["status"], ["export"], ["import", saved],
      ["sync", "--dry-run"], ["sync", "--news"],
    ] {
      let result = try await home.expect(command + ["--user", "bne"], status: 66, output: "")
      #expect(
        result.errors == """
          offers: There is no user “bne”.
                  Did you mean ben? Users: owner, ben.

          """, "\(command)")
    }
    for command in [["doctor"], ["prune"], ["backup", "x"], ["feeds"], ["serve"], ["cache"]] {
      try await home.expect(command + ["--user", "ben"], status: 64)
    }
  }

  @Test("a database is not created for a user whom it cannot have", .aboutFile)
  func absent() async throws {
    let home = try Home()
    let feed = try home.feed([FeedItem("1", "Tea")])
    for command in [["sync", "--from", feed], ["sync", "--from", feed, "--dry-run"], ["list"]] {
      try await home.expect(
        command + ["--user", "ben"], status: 66, says: ["There is no database yet at"])
      #expect(!home.exists(home.database))
    }
    try await home.expect("sync", "--quiet", "--from", feed, "--user", "owner")
    #expect(try await home.call("list", "--user", "owner").output.contains("Tea"))
  }

  @Test("recent searches and the marks of changes belong to a user")
  func records() async throws {
    let home = try await Home.ofTwo()
    try await home.call("search", "tea")
    try await home.call("search", "jam", "--user", "ben")
    #expect(try await home.call("search").output.contains("tea"))
    #expect(try await !home.call("search").output.contains("jam"))
    #expect(try await home.call("search", "1!", "--user", "ben").output.contains("ibotta:2"))
    func read(_ options: String...) async throws -> Int? {
      let document = try await home.callDocument(["changes", "--since", "last"] + options)
      return (document["changes"] as? [Any])?.count
    }
    #expect(try await read() == 1)
    #expect(try await read() == 0)
    #expect(try await read("--user", "ben") == 1)
    #expect(try await read("--user", "ben") == 0)
  }

  @Test("the news are those of the user, each once for each user")
  func news() async throws {
    let home = try await Home.ofTwo()
    try await home.call("favorite", "1")
    try await home.call("favorite", "1", "2", "--user", "ben")
    func news(_ options: String...) async throws -> [String] {
      let result = try await home.call(["sync", "--news", "--json"] + options)
      let changes = try Home.parse(result.output)["changes"] as? [[String: Any]] ?? []
      return changes.map { "\($0["kind"] ?? "") \($0["ref"] ?? "")" }.sorted()
    }
    #expect(try await news() == [])
    #expect(try await news("--user", "ben") == [])
    _ = try home.feed([
      FeedItem("1", "Tea", "$2.00 Cash Back"), FeedItem("2", "Jam", "$3.00 Cash Back"),
      FeedItem("3", "Milk", "$4.00 Cash Back"),
    ])
    #expect(try await news() == ["up ibotta:1"])
    #expect(try await news() == [])
    #expect(try await news("--user", "ben") == ["up ibotta:1", "up ibotta:2"])
    #expect(try await news("--user", "ben") == [])
  }

  @Test(
    "on a terminal a sync names the favorites of the user", .enabled(if: PseudoTerminal.isPresent))
  func terminalNews() async throws {
    let home = try await Home.ofTwo()
    try await home.call("favorite", "1")
    try await home.call("favorite", "2", "--user", "ben")
    _ = try home.feed([
      FeedItem("1", "Tea", "$2.00 Cash Back"), FeedItem("2", "Jam", "$3.00 Cash Back"),
    ])
    let text = try PseudoTerminal.run(
      ["sync", "--force", "--user", "ben"], in: home)
    #expect(text.contains("Jam"))
    #expect(!text.contains("Tea"))
  }

  @Test("an export has the shared data and the user's favorites, which an import gives to a user")
  func transfer() async throws {
    let home = try await Home.ofTwo()
    try await home.call("favorite", "1")
    try await home.call("favorite", "2", "3", "--user", "ben")
    func favorites(_ text: String) -> Int {
      text.components(separatedBy: "\"starred_at\"").count - 1
    }
    let all = try await home.call("export", "--user", "ben").output
    #expect(favorites(all) == 2)
    #expect(all.contains("\"name\":\"Tea\""))
    let stars = try await home.call("export", "--favorites", "--user", "ben").output
    #expect(favorites(stars) == 2)
    #expect(!stars.contains("\"name\":\"Tea\""))
    #expect(favorites(try await home.call("export").output) == 1)

    let other = try await Home.ofTwo()
    let imported = try other.offers(
      "import", "-", "--accept-sources", "--user", "ben", input: stars)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try await other.stars() == [])
    #expect(try await other.stars("--user", "ben") == ["ibotta:2", "ibotta:3"])
    #expect(favorites(try await other.call("export", "--favorites", "--user", "ben").output) == 2)
  }
}
