import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("Exports and imports with users")
struct UserTransferTests {
  /// A home with the owner Zoe and the users ben, an admin, and Eve, each with favorites.
  private static func household() async throws -> Home {
    let home = try await Home(synced: [
      FeedItem("1", "Tea"), FeedItem("2", "Jam"), FeedItem("3", "Milk"),
    ])
    for words in [
      ["user", "rename", "owner", "Zoe"], ["user", "add", "ben", "--role", "admin"],
      ["user", "add", "Eve", "--role", "viewer"], ["favorite", "1"],
      ["favorite", "1", "2", "--user", "ben"], ["favorite", "3", "--user", "Eve"],
      ["search", "tea", "--user", "ben"],
    ] {
      let result = try await home.call(words)
      guard result.status == 0 else { throw Home.Unexpected(result.errors) }
    }
    // The favorite of Eve is gone.
    _ = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    try await home.call("sync", "--accept-removals")
    return home
  }

  @Test("a household moves to another machine, with a line for each user")
  func moves() async throws {
    let home = try await Self.household()
    let path = home.folder.file("all.json")
    let told = try await home.call("export", "--all-users", "-o", path)
    #expect(told.errors.contains(": 3 offers, 3 users, 4 favorites, "), "\(told.errors)")
    #expect(
      try await home.callDocument("export", "--all-users", "-o", path)["users"] as? Int == 3)
    let other = try Home()
    let taken = try await other.expect("import", path, "--accept-sources")
    #expect(
      taken.output.hasSuffix(
        "; 4 new favorites, 0 known; 4 changes of 2 syncs; 2 new users, 1 known\n"))
    for line in [
      "Zoe: 1 new favorite, 0 known",
      "ben: added as a member, 2 new favorites, 0 known; an admin in the document. To make them one: "
        + "offers user role ben admin",
      "Eve: added as a viewer, 1 new favorite, 0 known",
    ] { #expect(taken.errors.contains(line + "\n"), "\(taken.errors)") }
    #expect(try await other.users() == ["Zoe admin 1", "ben member 2", "Eve viewer 1"])
    #expect(try await other.stars("--user", "eve") == ["ibotta:3"])
    #expect(try await other.call("show", "3", "--user", "Eve").output.contains("Milk"))
    #expect(try await other.call("search", "--user", "ben").output.contains("tea"))
    try await other.expect("user", "role", "ben", "admin")
    let text = try home.folder.text(of: "all.json")
    #expect(try await other.call("export", "--all-users").output == text)
    let again = try await other.callDocument("import", path)
    let users = again["users"] as? [[String: Any]] ?? []
    #expect(users.map { $0["name"] as? String } == ["Zoe", "ben", "Eve"])
    #expect(users.map { $0["new"] as? Bool } == [false, false, false])
    #expect(users.map { $0["favorites"] as? [String: Int] }.map { $0?["known"] } == [1, 2, 1])
    #expect(users.map { $0["role"] as? String } == ["admin", "admin", "viewer"])
  }

  @Test("a stranger's file makes nobody an admin, and changes no name and no role")
  func stranger() async throws {
    let text = try await Self.household().call("export", "--all-users").output
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.call("user", "rename", "owner", "kim")
    try await home.call("user", "add", "EVE")
    try await home.call("favorite", "1")
    #expect(try home.offers("import", "-", "--accept-sources", input: text).status == 0)
    let users = try await home.users()
    #expect(users == ["kim admin 1", "EVE member 1", "Zoe member 1", "ben member 2"])
  }

  @Test("several users are not imported for one, nor one user with all exported")
  func refusals() async throws {
    let home = try await Self.household()
    let text = try await home.call("export", "--all-users").output
    let before = try await home.call("export", "--all-users").output
    let new = try Home()
    for target in [home, new] {
      for (words, variables) in [
        (["--user", "Zoe"], [:]), (["--user", "owner"], [:]), ([], ["OFFERS_USER": "owner"]),
      ] {
        let result = try OffersProgram.run(
          ["import", "-", "--accept-sources"] + words,
          environment: target.environment.merging(variables) { $1 }, input: text)
        if TestStore.isFile, target.database == new.database, words.last == "Zoe" {
          #expect(result.status == 66)
          continue
        }
        #expect((result.status, result.output) == (64, ""), "\(result.errors)")
        #expect(result.errors.contains("the data of 3 users: Zoe, ben, Eve."))
        #expect(result.errors.contains("Leave out --user and unset OFFERS_USER"))
      }
    }
    #expect(try await home.call("export", "--all-users").output == before)
    #expect(!home.exists(new.database))
    let both = try await home.call("export", "--all-users", "--user", "ben")
    #expect((both.status, both.output) == (64, ""))
    #expect(both.errors.contains("--all-users exports all users."))
    // A variable is a default only.
    let all = try await OffersProgram.call(
      ["export", "--all-users"],
      environment: home.environment.merging(["OFFERS_USER": "ben"]) { $1 })
    #expect(all.output == text)
  }

  @Test("the data of one user becomes the owner's, unless the user is known here")
  func one() async throws {
    let home = try await Self.household()
    let text = try await home.call("export", "--user", "ben").output
    let refused = try home.offers("import", "-", input: text)
    #expect((refused.status, refused.output) == (64, ""))
    #expect(
      refused.errors == """
        offers: The document has the data of ben, who is a user here, too.
                Nothing was changed. Say whose it becomes: add --user ben, or --user Zoe

        """)
    #expect(try home.offers("import", "-", "--user", "ben", input: text).status == 0)
    #expect(try await home.users() == ["Zoe admin 1", "ben admin 2", "Eve viewer 1"])
    #expect(try home.offers("import", "-", "--user", "Zoe", input: text).status == 0)
    #expect(try await home.users() == ["Zoe admin 2", "ben admin 2", "Eve viewer 1"])
    let other = try Home()
    let taken = try other.offers("import", "-", "--accept-sources", input: text)
    #expect(!taken.output.contains("user"))
    #expect(taken.errors.contains("owner: ben of the document, 2 new favorites, 0 known"))
    #expect(try await other.users() == ["owner admin 2"])
  }
}
