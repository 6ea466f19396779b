import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("The salvage of a damaged database", .aboutFile)
struct SalvageTests {
  private static let count = 3000

  /// A home in which the owner, Ben and Eve have each of many offers as a favorite, Eve's shared.
  private static func household(count: Int = count) async throws -> Home {
    let home = try await Home(
      synced: (0..<count).map { FeedItem("\($0)", "Tea", terms: "Buy one") })
    for user in ["Ben", "Eve"] { try await home.call("user", "add", user, "--role", "viewer") }
    let filled = try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "INSERT INTO favorite
          SELECT user_key, 'ibotta', id, 5, CASE user_key WHEN 3 THEN 8 END FROM account, offer;
        PRAGMA wal_checkpoint(TRUNCATE)"
      """)
    guard filled.status == 0 else { throw Home.Unexpected(filled.errors) }
    return home
  }

  /// The rows of a database that a salvage copies: favorites, users, feeds and their definitions.
  private static func kept(_ home: Home) throws -> String {
    try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "SELECT * FROM favorite;
        SELECT user_key, name, folded_name, role, created_at FROM account;
        SELECT name, source, subscribed_at, unsubscribed_at, chosen_source, source_origin FROM feed;
        SELECT * FROM feed_definition"
      """
    ).output
  }

  /// The numbers of favorites of each user, by name.
  private static func stars(_ home: Home, _ condition: String = "true") throws -> String {
    try home.shell(
      """
      sqlite3 -separator ' ' "$OFFERS_DATABASE" "SELECT name, count(id) FROM account
        LEFT JOIN favorite ON favorite.user_key = account.user_key AND \(condition)
        GROUP BY account.user_key ORDER BY account.user_key"
      """
    ).output
  }

  @Test("keeps users, feeds with sources and definitions, and shared favorites, and no more")
  func sound() async throws {
    let home = try await Self.household()
    try await home.call("feeds", "set", "ibotta", "--every", "2h")
    let before = try Self.kept(home)
    let result = try await home.expect(
      "restore", "--salvage", says: ["To read the offers again: offers sync"])
    #expect(result.output.contains("3 users, 1 feed, 9,000 favorites"))
    #expect(try Self.kept(home) == before)
    #expect(
      try await home.call("list", "--favorites").errors.contains(
        "favorites of no stored offer. Read the offers: offers sync"))
    try await home.expect("doctor")
    try await home.call("user", "add", "Zoe")
    try await home.expect("sync", "ibotta")
    #expect(try await home.call("list").output.split(separator: "\n").count > 2000)
    #expect(try Self.stars(home) == "owner 3000\nBen 3000\nEve 3000\nZoe 0\n")
  }

  @Test("finds the favorites between damaged pages in their indexes, without their times")
  func favorites() async throws {
    let home = try await Self.household()
    for page in [1, 20] { try home.overwritePage(page, of: "favorite") }
    let result = try await home.expect(
      "restore", "--salvage", "--json", status: 1,
      says: ["Some of these could not be read: favorites. Try: sqlite3 "])
    let document = try Home.parse(result.output)
    #expect(document["favorites"] as? Int == 3 * Self.count)
    #expect(document["unread"] as? [String] == ["favorites"])
    #expect(try Self.stars(home) == "owner 3000\nBen 3000\nEve 3000\n")
    // Sharing is known from the index of what is shared.
    #expect(try Self.stars(home, "shared_at = 8") == "owner 0\nBen 0\nEve 3000\n")
    let dated = try home.shell(
      "sqlite3 \"$OFFERS_DATABASE\" 'SELECT count(*) FROM favorite WHERE created_at < 9'"
    ).output
    #expect(try #require(Int(dated.dropLast())) > Self.count)
  }

  @Test(
    "an unreadable user is salvaged with their favorites, and a name from the index or a number")
  func unreadableUsers() async throws {
    let home = try await Self.household()
    let whole = try Data(contentsOf: URL(fileURLWithPath: home.database))
    try home.overwritePage(0, of: "account")
    try await home.expect("restore", "--salvage", status: 1)
    #expect(try Self.stars(home) == "owner 3000\nben 3000\neve 3000\n")
    try whole.write(to: URL(fileURLWithPath: home.database))
    for name in ["account", "sqlite_autoindex_account_1"] { try home.overwritePage(0, of: name) }
    try await home.expect("restore", "--salvage", status: 1)
    #expect(try Self.stars(home) == "owner 3000\nuser 2 3000\nuser 3 3000\n")
    try await home.expect("doctor")
  }

  @Test("gives a sound database, whichever table or index is damaged, or half of the file is lost")
  func everyPage() async throws {
    let count = 400
    let home = try await Self.household(count: count)
    let names = try home.shell(
      "sqlite3 \"$OFFERS_DATABASE\" 'SELECT name FROM sqlite_schema WHERE rootpage > 0'"
    ).output.split(separator: "\n").map(String.init)
    #expect(names.contains("feed") && names.contains("sync_run"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: home.database))
    let other = try Home()
    let damaged = other.folder.file("damaged.sqlite")
    for (name, bytes) in names.flatMap({ [($0, 8192), ($0, 2048)] }) {
      try whole.write(to: URL(fileURLWithPath: home.database))
      try home.overwritePage(1, of: name, bytes: bytes)
      try Data(contentsOf: URL(fileURLWithPath: home.database)).write(
        to: URL(fileURLWithPath: damaged))
      let result = try await other.call("restore", "--salvage", damaged, "--json")
      let document = try Home.parse(result.output)
      #expect(document["favorites"] as? Int == 3 * count, "\(name): \(result.errors)")
      #expect(document["feeds"] as? Int == 1, "\(name)")
      #expect(try other.integrity() == "ok\n")
    }
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: damaged))
    let half = try await other.call("restore", "--salvage", damaged)
    #expect(half.status <= 1)
    #expect(try other.integrity() == "ok\n")
  }

  @Test("where nothing can be salvaged, the errors suggest sqlite3's .recover instead")
  func hopeless() async throws {
    let home = try await Self.household(count: 400)
    #expect(
      try home.shell(
        "head -c 4096 /dev/zero | tr '\\0' Z "
          + "| dd of=\"$OFFERS_DATABASE\" bs=1 seek=100 conv=notrunc status=none"
      ).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: home.database))
    let doctor = try await home.expect("doctor", status: 1)
    #expect(!doctor.output.contains("--salvage"), "\(doctor.output)")
    #expect(doctor.output.contains("sqlite3 FILE .recover"))
    let saved = try await home.call("restore", "--salvage")
    #expect((saved.status, saved.output) == (1, ""))
    #expect(!saved.errors.contains("doctor"), "\(saved.errors)")
    #expect(saved.errors.contains("sqlite3 FILE .recover"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: home.database)) == before)
  }

  /// Each cell of an interior page points to the same leaf, whose keys then come again and again.
  @Test("ends at keys that do not grow, and writes no more than it reads")
  func loops() async throws {
    let home = try await Self.household()
    for name in ["favorite", "favorite_by_offer", "favorite_by_sharing"] {
      try home.repeatFirstChild(of: name)
    }
    let result = try await home.expect("restore", "--salvage", "--json", status: 1)
    let document = try Home.parse(result.output)
    #expect((1...3 * Self.count).contains(document["favorites"] as? Int ?? 0))
    #expect(try home.integrity() == "ok\n")
  }

  @Test("export names the command that replaces its former option")
  func former() async throws {
    let result = try await Home().call("export", "--salvage")
    #expect(result.status == 64)
    #expect(result.errors.contains("offers restore --salvage"))
  }
}

extension Home {
  /// Overwrites a leaf page of a table or an index directly in the file, without SQLite.
  ///
  /// - Parameter number: The index of the page among the leaf pages, from 0. If there are fewer
  ///   pages, the last one is overwritten.
  /// - Returns: The number of rows on the page.
  @discardableResult
  func overwritePage(_ number: Int = 1, of name: String, bytes: Int = 8192) throws -> Int {
    let found = try shell(
      """
      sqlite3 -separator ' ' "$OFFERS_DATABASE" "SELECT pageno, ncell FROM dbstat
        WHERE name = '\(name)' AND pagetype = 'leaf' ORDER BY path LIMIT \(number + 1)"
      """
    ).output.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) }
    guard let found, found.count == 2 else { throw Unexpected("\(name) has no pages") }
    // A partial overwrite spares the page's header and its end.
    let offset = (found[0] - 1) * 8192 + (8192 - bytes) / 2
    let written = try shell(
      "head -c \(bytes) /dev/zero | tr '\\0' Z | dd of=\"$OFFERS_DATABASE\" bs=1024 "
        + "seek=\(offset / 1024) conv=notrunc status=none")
    guard written.status == 0 else { throw Unexpected(written.errors) }
    return found[1]
  }

  /// Lets all cells of the root of a table or an index lead to the child of the first one, directly in the
  /// file. https://sqlite.org/fileformat2.html#b_tree_pages
  func repeatFirstChild(of name: String) throws {
    let number = try shell(
      """
      sqlite3 "$OFFERS_DATABASE" "SELECT pageno FROM dbstat
        WHERE name = '\(name)' AND pagetype = 'internal' ORDER BY path LIMIT 1"
      """
    ).output.dropLast()
    guard let number = Int(number) else { throw Unexpected("\(name) has one page") }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
    let page = (number - 1) * 8192
    let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
    func cell(_ index: Int) -> Int {
      let place = page + 12 + 2 * index
      return page + (Int(bytes[place]) << 8 | Int(bytes[place + 1]))
    }
    let child = bytes[cell(0)..<cell(0) + 4]
    for index in 1..<count { bytes.replaceSubrange(cell(index)..<cell(index) + 4, with: child) }
    try bytes.write(to: URL(fileURLWithPath: database))
  }
}
