import Foundation
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI

@Suite("offers user")
struct UserCommandTests {
  /// A home whose users are owner, with a star, and ben, with two.
  private static func household() async throws -> Home {
    let home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    for command in [
      ["user", "add", "ben"], ["favorite", "1"], ["favorite", "1", "2", "--user", "ben"],
    ] {
      let result = try await home.call(command)
      guard result.status == 0 else { throw Home.Unexpected(result.errors) }
    }
    return home
  }

  private static func names(in home: Home) throws -> [String] {
    try home.files
  }

  @Test("users are added with a role, listed, renamed, and given another role")
  func changes() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(try await home.call("user", "add", "ben").output == "ben: added as a member\n")
    let added = try await home.callDocument("user", "add", "Grandma", "--role", "viewer")
    #expect(
      added.keys.sorted() == [
        "created_at", "favorites", "id", "last_seen_at", "name", "owner", "role",
      ])
    #expect(added["id"] as? Int == 3)
    #expect(added["owner"] as? Bool == false)
    #expect(try await home.users() == ["owner admin 0", "ben member 0", "Grandma viewer 0"])
    #expect(
      try await home.call("user", "rename", "owner", "ana").output == "owner: now named ana\n")
    #expect(
      try await home.callDocument("user", "rename", "grandma", "Oma")["name"] as? String == "Oma")
    try await home.expect("user", "rename", "ben", "Ben")
    #expect(try await home.call("user", "role", "ben", "admin").output == "Ben: now an admin\n")
    #expect(
      try await home.call("user", "role", "ben", "admin").output == "Ben: an admin, as before\n")
    #expect(
      try await home.callDocument("user", "role", "oma", "member")["role"] as? String == "member")
    #expect(try await home.users() == ["ana admin 0", "Ben admin 0", "Oma member 0"])
    #expect(try await home.call("user").output == home.call("user", "list").output)
  }

  @Test("what cannot be is refused, with the reason, and changes nothing")
  func refusals() async throws {
    let home = try await Self.household()
    let before = try await home.call("user", "list", "--json").output
    for (words, status, reason) in [
      (["add", "BEN"], 64, "There is a user “ben” already."),
      (["add", ""], 64, "is no name for a user"),
      (["add", "b\u{1B}[2J"], 64, "A name has 1 to 64 characters"),
      (
        ["add", "eve", "--role", "viewr"], 64, "Did you mean viewer? Roles: viewer, member, admin."
      ),
      (["rename", "ben", "Owner"], 64, "There is a user “owner” already."),
      (["rename", "bne", "eve"], 66, "Did you mean ben?"),
      (["role", "ben", "boss"], 64, "There is no role “boss”."),
      (["role", "owner", "member"], 64, "The owner of the database is always an admin."),
      (["role", "eve", "member"], 66, "There is no user “eve”."),
      (["remove", "owner", "--yes"], 64, "owner is the owner of the database"),
      (["remove", "eve", "--yes"], 66, "There is no user “eve”."),
      (["remove", "ben", "--yes", "--export", "x", "--no-export"], 64, "exclude each other"),
    ] {
      let result = try await home.call(["user"] + words)
      #expect(Int(result.status) == status, "\(words)")
      #expect(result.output == "", "\(words)")
      #expect(result.errors.contains(reason), "\(words): \(result.errors)")
      #expect(!result.errors.contains("\u{1B}"))
    }
    #expect(try await home.call("user", "list", "--json").output == before)
  }

  @Test("without a database no user is listed or added, and none is created")
  func absent() async throws {
    let home = try Home()
    for words in [["list"], ["add", "ben"], ["remove", "ben", "--yes"], ["role", "a", "admin"]] {
      try await home.expect(
        ["user"] + words, status: 66,
        says: [
          TestStore.isFile
            ? "Make it with a sync: offers sync" : "Make it ready with a sync: offers sync"
        ])
    }
    #expect(try await !home.store.exists)
  }

  @Test(
    "the table fits 80 columns, with long names in full", .enabled(if: PseudoTerminal.isPresent))
  func table() async throws {
    let home = try await Self.household()
    let usual = try PseudoTerminal.run(["user"], in: home).split(separator: "\n")
    #expect(usual.count == 3)
    #expect(
      usual[0].wholeMatch(of: /NAME   ROLE          FAVORITES  ADDED             LAST SEEN/) != nil)
    let times = /ben    member                2  \d{4}-\d\d-\d\d \d\d:\d\d  never/
    #expect(usual[2].wholeMatch(of: times) != nil)
    let long = String(repeating: "Wilhelmina ", count: 5) + "the second"
    try #require(long.count <= 80)
    let name = String(long.prefix(64)).trimmingCharacters(in: .whitespaces)
    try await home.expect("user", "add", name)
    let text = try PseudoTerminal.run(["user"], in: home)
    #expect(text.contains(name))
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test("a user's favorites are exported before the user is removed; those of others stay")
  func removes() async throws {
    let home = try await Self.household()
    let stars = try await home.call("export", "--favorites", "--user", "ben").output
    let others = try await home.call("export").output
    let path = home.folder.file("saved.json")
    let result = try await home.expect(
      "user", "remove", "ben", "--yes", "--export", path, output: "ben: removed, with 2 favorites\n"
    )
    #expect(
      home.stable(result.errors) == """
        HOME/saved.json: 2 favorites (SIZE)
        To give them to a user: offers import HOME/saved.json --user NAME

        """)
    #expect(try home.folder.text(of: "saved.json") == stars)
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(try await home.users() == ["owner admin 1"])
    #expect(try await home.call("export").output == others)
    try await home.expect("list", "--user", "ben", status: 66)
    // Somebody of the same name has none of it, until it is imported.
    try await home.expect("user", "add", "ben")
    #expect(try await home.users().last == "ben member 0")
    try await home.expect("import", path, "--accept-sources", "--user", "ben")
    let again = try await home.call("export", "--favorites", "--user", "ben").output
    func favorites(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { $0.contains("starred_at") }
    }
    #expect(favorites(again) == favorites(stars))
    #expect(favorites(stars).count == 2)
  }

  @Test("no favorite that is set during the removal is lost")
  func starsMeanwhile() async throws {
    let count = 60
    let home = try await Home(synced: (1...count).map { FeedItem("\($0)", "Tea") })
    try await home.call("user", "add", "ben")
    let result = try home.shell(
      """
      for id in $(seq \(count)); do
        offers favorite $id --user ben >/dev/null 2>>errors && echo "ibotta:$id" >>starred
      done &
      until test -s starred; do :; done
      tries=0
      until offers user remove ben --yes --export saved.json >/dev/null 2>>errors; do
        ls saved.json 2>/dev/null
        tries=$((tries + 1))
        test $tries -lt 200 || exit 1
      done
      wait
      """)
    #expect((result.status, result.output) == (0, ""), "\(result.errors)")
    let starred = try home.folder.text(of: "starred").split(separator: "\n")
    let saved = try Home.parse(home.folder.text(of: "saved.json"))["favorites"] as? [[String: Any]]
    #expect(Set(saved?.compactMap { $0["ref"] as? String } ?? []) == Set(starred.map(String.init)))
    #expect(try await home.users() == ["owner admin 0"])
  }

  @Test("the export has a name of its own in the current folder, and overwrites nothing")
  func exportFile() async throws {
    let home = try await Self.household()
    let mine = try home.folder.write("mine", to: "ben-favorites.json")
    let taken = TestStore.isFile ? ["--export \"$OFFERS_DATABASE\""] : []
    for words in ["", "--export '\(mine)'", "--export ."] + taken {
      let refused = try home.shell("offers user remove ben --yes \(words)")
      #expect(refused.status == 64, "\(words)")
      #expect(refused.errors.contains("exists already. It was left untouched."))
    }
    #expect(try home.shell("offers user remove ben --yes --export no/where").status == 1)
    #expect(try home.folder.text(of: "ben-favorites.json") == "mine")
    #expect(try await home.users().count == 2)
    try FileManager.default.removeItem(atPath: mine)
    let removed = try home.shell("offers user remove ben --yes --json")
    #expect(removed.output == #"{"name":"ben","favorites":2,"export":"ben-favorites.json"}"# + "\n")
    #expect(try home.folder.text(of: "ben-favorites.json").contains("ibotta:2"))
    // Nothing is written for a user without favorites, or if none is wanted.
    try await home.call("user", "add", "eve")
    #expect(try home.shell("offers user remove eve --yes --json").output.contains(":null}"))
    try await home.call("user", "add", "joe")
    try await home.call("favorite", "1", "--user", "joe")
    let bare = try home.shell("offers user remove joe --yes --no-export")
    #expect((bare.output, bare.errors) == ("joe: removed, with 1 favorite\n", ""))
    #expect(try Self.names(in: home).count { $0.hasSuffix("favorites.json") } == 1)
  }

  @Test(
    "the name of the file has only letters, digits and hyphens",
    arguments: [
      ("ben", "ben"), ("../etc/passwd", "etc-passwd"), ("-rf *", "rf"), ("a b/../c", "a-b-c"),
      ("Zoë", "Zoë"), ("Zoe\u{308}", "Zoë"), ("明子", "明子"), ("🙂", "user"), ("$(x)", "x"),
      (String(repeating: "𝒜", count: 64), String(repeating: "𝒜", count: 40)),
    ])
  func fileName(name: String, start: String) {
    #expect(UserRemoveCommand.fileName(for: name) == start + "-favorites.json")
  }

  @Test("without a terminal a user is removed only with --yes")
  func unasked() async throws {
    let home = try await Self.household()
    let result = try await home.expect("user", "remove", "ben", status: 64, input: "y\n")
    #expect(
      result.errors == """
        offers: There is no terminal to ask whether to remove ben.
                To remove the user with 2 favorites without being asked, add --yes

        """)
    #expect(try await home.users().count == 2)
  }

  @Test(
    "on a terminal a user is removed only after a yes", .enabled(if: PseudoTerminal.isPresent),
    arguments: [("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("\u{4}", false)])
  func asked(typing: String, isRemoved: Bool) async throws {
    let home = try await Self.household()
    let path = home.folder.file("stars.json")
    let (text, status) = try PseudoTerminal.result(
      ["user", "remove", "ben", "--export", path], in: home, typing: typing)
    #expect(text.contains("Remove the user ben with 2 favorites? [y/N] "))
    #expect(text.contains("Nothing was removed.") == !isRemoved)
    #expect(status == (isRemoved ? 0 : 1))
    #expect(try await home.users().count == (isRemoved ? 1 : 2))
    #expect(FileManager.default.fileExists(atPath: path) == isRemoved)
  }

  @Test("the searches of a removed user are exported, too; the passphrase stays at a logout")
  func searches() async throws {
    let home = try await Self.household()
    try await home.expect("search", "tea", "--user", "ben")
    #expect(
      try await home.call("user", "logout", "ben").output == "ben: logged out of 0 browsers\n")
    #expect(
      try await home.call("user", "logout", "--json").output == #"{"user":"owner","sessions":0}"#
        + "\n"
    )
    try await home.expect("user", "logout", "eve", status: 66)
    let path = home.folder.file("saved.json")
    try await home.expect("user", "remove", "ben", "--yes", "--export", path)
    try await home.expect("user", "add", "joe")
    try await home.expect("import", path, "--accept-sources", "--user", "joe")
    let searches = try await home.callDocument("search", "--user", "joe")["searches"]
    #expect((searches as? [[String: Any]])?.map { $0["words"] as? String } == ["tea"])
  }

  @Test("status and doctor tell the number of users if there are more than the owner")
  func counts() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(try await !home.call("status", "--verbose").output.contains("\nUsers "))
    #expect(try await !home.call("doctor").output.contains("  users "))
    func users() async throws -> Int? {
      (try await home.callDocument("status")["database"] as? [String: Any])?["users"] as? Int
    }
    #expect(try await users() == 1)
    for name in ["ben", "joe"] { try await home.call("user", "add", name) }
    try await home.call("favorite", "1", "--user", "ben")
    let status = try await home.call("status", "--verbose", "--user", "joe").output
    #expect(status.contains("\nUsers     3: 1 admin, 2 members\n"))
    #expect(status.contains("0 favorites"))
    #expect(status.contains(/\nibotta +1 +0 +0\b/))
    let starred = try await home.call("status", "--verbose", "--user", "ben").output
    #expect(starred.contains(", 1 favorite\n"))
    #expect(starred.contains(/\nibotta +1 +0 +1\b/))
    #expect(try await users() == 3)
    #expect(try await home.call("doctor").output.contains(/\nok +users +3: 1 admin, 2 members\n/))
    let findings = try await home.callDocument("doctor")["findings"] as? [[String: Any]] ?? []
    #expect(
      findings.first { $0["subject"] as? String == "users" }?["message"] as? String
        == "3: 1 admin, 2 members")
  }
}
