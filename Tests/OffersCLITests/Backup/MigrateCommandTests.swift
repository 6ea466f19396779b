import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@Suite("offers migrate")
struct MigrateCommandTests {
  /// A home with feeds, favorites, a history and several users who can log in.
  private func makeSource() async throws -> Home {
    let home = try await Home(synced: [FeedItem("1", "Oat Milk"), FeedItem("2", "Olives")])
    let changed = try home.feed([
      FeedItem("1", "Oat Milk", "$2.00 Cash Back"), FeedItem("3", "Tea"),
    ])
    try await home.call("sync", "--quiet", "--from", changed, "--accept-removals")
    try await home.call("sync", "facts", "--quiet", "--from", "sample")
    try await home.call("favorite", "ibotta:1", "ibotta:2")
    try await home.call("search", "oat")
    try await home.call("changes")
    try await home.call("user", "add", "ben")
    try await home.call("user", "add", "ann", "--role", "admin")
    try await home.call("user", "passphrase", "ann", input: "a passphrase of some length\n")
    try await home.call("token", "add", "phone", "--user", "ben")
    try await home.call("household", "add", "ibotta:3", "--user", "ben")
    try await home.call("watch", "add", "tea", "--user", "ben")
    try await home.call("channel", "add", "command", "/bin/true")
    return home
  }

  private func export(_ database: String, _ home: Home) async throws -> String {
    try await home.call("export", "--all-users", "--database", database).output
  }

  @Test(
    "a copy has the same export, roles, passphrases and tokens, and a second run changes nothing")
  func copies() async throws {
    let home = try await makeSource()
    let before = try await export(home.database, home)
    let target = home.folder.file("copy.sqlite")
    let first = try await home.expect("migrate", "--to", target, "--verify", "--json")
    let result = try Home.parse(first.output)
    #expect(result["copied"] as? Bool == true)
    #expect(result["verified"] as? Bool == true)
    #expect(result["users"] as? Int == 3)
    #expect(try await export(target, home) == before)
    #expect(try await export(home.database, home) == before)
    let tokens = try await home.call("token", "list", "--user", "ben", "--database", target)
    #expect(tokens.output.contains("phone"))
    for words in [["watch", "list", "--user", "ben"], ["channel", "list"]] {
      let copied = try await home.call(words + ["--json", "--database", target])
      #expect(try await copied.output == home.call(words + ["--json"]).output)
    }
    let second = try await home.expect("migrate", "--to", target)
    #expect(second.output.contains("were there already"))
    let logins = try await (
      TestStore.open(home.database, .readOnly).fetchLogins(),
      TestStore.open(target, .readOnly).fetchLogins()
    )
    #expect(logins.0.map(\.name) == logins.1.map(\.name))
    #expect(logins.0.map(\.passphrase) == logins.1.map(\.passphrase))
    #expect(logins.0.map { $0.tokens.map(\.hash) } == logins.1.map { $0.tokens.map(\.hash) })
    #expect(logins.0.flatMap(\.tokens).count == 1)
  }

  @Test("a copy that was interrupted before the logins is completed by the next run")
  func completes() async throws {
    let home = try await makeSource()
    let target = home.folder.file("copy.sqlite")
    let document = try await home.folder.write(export(home.database, home), to: "export.json")
    try await home.call("import", document, "--accept-sources", "--database", target)
    // An import makes nobody an admin, unlike a migration.
    try await home.call("user", "role", "ann", "admin", "--database", target)
    try await home.expect("migrate", "--to", target)
    let logins = try await TestStore.open(target, .readOnly).fetchLogins()
    #expect(logins.contains { $0.passphrase != nil })
  }

  @Test(
    "a target in which somebody could still log in who no longer can in the source is refused",
    arguments: [
      ["token", "revoke", "phone", "--user", "ben"], ["user", "passphrase", "ann", "--remove"],
      ["user", "passphrase", "ann"],
    ])
  func refusesOtherLogins(change: [String]) async throws {
    let home = try await makeSource()
    let target = home.folder.file("copy.sqlite")
    try await home.call("migrate", "--to", target)
    let before = try await TestStore.open(target, .readOnly).fetchLogins()
    try await home.expect(change, input: "another passphrase of some length\n")
    let result = try await home.expect("migrate", "--to", target, "--verify", status: 64)
    let user = change[0] == "token" ? "ben" : "ann"
    #expect(result.errors.contains("has other logins than the source, of \(user)."))
    let after = try await TestStore.open(target, .readOnly).fetchLogins()
    #expect(after.map(\.passphrase) == before.map(\.passphrase))
    #expect(after.flatMap(\.tokens).count == before.flatMap(\.tokens).count)
  }

  @Test("a target with other data is refused and left as it is")
  func refusesOtherData() async throws {
    let home = try await makeSource()
    let other = try await Home(synced: [FeedItem("9", "Rice")])
    let before = try await export(other.database, home)
    try await home.expect(
      "migrate", "--to", other.database, status: 64, says: ["has other data than the source"])
    #expect(try await export(other.database, home) == before)
  }

  @Test("the source as the target and a missing source are refused")
  func refusesItself() async throws {
    let home = try Home()
    try await home.expect("migrate", "--to", home.folder.file("new.sqlite"), status: 66)
    #expect(!home.exists(home.folder.file("new.sqlite")))
    let full = try await Home(synced: [FeedItem("1", "Oat Milk")])
    try await full.expect("migrate", "--to", full.database, status: 64, says: ["the same database"])
  }

  @Test("is refused while a process has either side open", .aboutFile)
  func inUse() async throws {
    let home = try await Home(synced: [FeedItem("1", "Oat Milk")])
    let result = try home.shell(
      """
      offers sync --quiet --from sample --database other.sqlite
      offers serve --port 0 --json > address & server=$!
      for try in {1..400}; do test -s address && break; sleep 0.05; done
      offers migrate --to new.sqlite; echo "status $?"
      offers migrate --database other.sqlite --to "$OFFERS_DATABASE"; echo "status $?"
      kill $server; wait $server
      offers migrate --to new.sqlite > /dev/null; echo "status $?"
      """)
    #expect(result.output == "status 11\nstatus 11\nstatus 0\n", "\(result.errors)")
    #expect(result.errors.contains("is open in offers (process "))
  }

  @Test("the origin of a named source, which says how far it is trusted, goes on")
  func keepsOrigins() async throws {
    let home = try await makeSource()
    let target = home.folder.file("copy.sqlite")
    try await home.call("migrate", "--to", target)
    let states = try await (
      TestStore.open(home.database, .readOnly).findSyncState(of: "ibotta")?.source,
      TestStore.open(target, .readOnly).findSyncState(of: "ibotta")?.source
    )
    #expect(states.0 != nil)
    #expect(states.0 == states.1)
  }
}
