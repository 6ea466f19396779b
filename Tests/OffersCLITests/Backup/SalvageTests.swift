import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("The salvage of a damaged database", .aboutFile)
struct SalvageTests {
  private static let count = 3000

  /// Creates a home with many offers, each with a retailer, a change in a row of its own, and a star.
  private static func lived(count: Int = count) async throws -> Home {
    let home = try await Home(
      synced: (0..<count).map { FeedItem("\($0)", "Tea", terms: "Buy one") })
    let filled = try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "INSERT INTO favorite SELECT 1, 'ibotta', id, 5, NULL FROM offer;
        DELETE FROM change; UPDATE offer SET retailer = 'Corner shop', first_run_id = NULL;
        INSERT INTO change (offer_key, run_id, feed_key, kind, at)
        SELECT offer_key, 1, feed_key, 'new', 1 FROM offer;
        PRAGMA wal_checkpoint(TRUNCATE)"
      """)
    guard filled.status == 0 else { throw Home.Unexpected(filled.errors) }
    return home
  }

  private static func saved(_ home: Home, _ words: String...) async throws -> (
    text: String, counts: [String: Int], errors: String
  ) {
    let result = try await OffersProgram.call(
      ["export", "--salvage"] + words, environment: home.environment)
    let document = try Home.parse(result.output)
    let counts = document.compactMapValues { ($0 as? [Any])?.count }
    return (result.output, counts, result.errors)
  }

  @Test(
    "damaged pages lose only the rows that they contain",
    arguments: ["favorite", "change", "offer"])
  func pages(table: String) async throws {
    let home = try await Self.lived()
    let lost = try [1, 3].map { try home.overwritePage($0, of: table) }.reduce(0, +)
    #expect((1..<Self.count).contains(lost))
    let (text, counts, errors) = try await Self.saved(home)
    var least = ["offers": Self.count, "changes": Self.count, "favorites": Self.count]
    switch table {
    case "favorite": least["favorites"] = Self.count - lost
    case "change": least["changes"] = Self.count - lost
    case "offer":
      least["offers"] = Self.count - lost
      least["changes"] = Self.count - lost
    default: break
    }
    for (name, number) in least { #expect(counts[name] == number, "\(name)") }
    let section = ["favorite": "favorites", "change": "changes"][table] ?? "offers"
    #expect(errors == "Some records could not be read: \(section). The export has the others.\n")
    if table == "offer" {
      #expect(text.components(separatedBy: "Corner shop").count - 1 == Self.count - lost)
    }
    let stars = try await Self.saved(home, "--favorites")
    #expect(stars.counts["favorites"] == least["favorites"])
    #expect(stars.counts["offers"] == (table == "favorite" ? Self.count - lost : least["offers"]))
  }

  /// The favorites of each user in an export, by name.
  private static func stars(_ text: String) throws -> [String: Int] {
    let favorites = try Home.parse(text)["favorites"] as? [[String: Any]] ?? []
    return Dictionary(grouping: favorites) { $0["user"] as? String ?? "" }.mapValues(\.count)
  }

  /// A home as `lived`, whose users Ben and Eve have each offer as a favorite, too.
  private static func household() async throws -> Home {
    let home = try await Self.lived()
    for user in ["Ben", "Eve"] { try await home.call("user", "add", user, "--role", "viewer") }
    let filled = try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "INSERT INTO favorite SELECT user_key, feed, id, 7, 8
        FROM (SELECT user_key FROM account WHERE user_key > 1), (SELECT feed, id FROM favorite);
        PRAGMA wal_checkpoint(TRUNCATE)"
      """)
    guard filled.status == 0 else { throw Home.Unexpected(filled.errors) }
    return home
  }

  @Test("the favorites of all users are salvaged, and imported for each of them")
  func users() async throws {
    let home = try await Self.household()
    let sound = try await Self.saved(home)
    #expect(sound.errors == "")
    #expect(try await sound.text == home.call("export", "--all-users").output)
    let whole = ["owner": Self.count, "Ben": Self.count, "Eve": Self.count]
    #expect(try Self.stars(sound.text) == whole)
    let other = try Home()
    let taken = try other.offers("import", "-", "--accept-sources", input: sound.text)
    #expect(taken.status == 0, "\(taken.errors)")
    func users(_ text: String) -> String? { text.components(separatedBy: "\"users\":[").last }
    #expect(try await users(other.call("export", "--all-users").output) == users(sound.text))
    // Between two damaged pages favorites are found by their offers, for each user.
    let lost = try [1, 20].map { try home.overwritePage($0, of: "favorite") }.reduce(0, +)
    let (text, counts, errors) = try await Self.saved(home)
    #expect(counts["favorites"] == 3 * Self.count - lost)
    #expect(errors == "Some records could not be read: favorites. The export has the others.\n")
    #expect(try Home().offers("import", "-", "--accept-sources", input: text).status == 0)
  }

  @Test(
    "an unreadable user is salvaged with their favorites, and a name from the index or a number")
  func unreadableUsers() async throws {
    let home = try await Self.household()
    try home.overwritePage(0, of: "account")
    let (text, counts, errors) = try await Self.saved(home)
    #expect(counts["favorites"] == 3 * Self.count)
    #expect(try Self.stars(text) == ["owner": Self.count, "ben": Self.count, "eve": Self.count])
    #expect(errors.hasPrefix("Some records could not be read: users."))
    try home.overwritePage(0, of: "sqlite_autoindex_account_1")
    let numbered = try await Self.saved(home).text
    #expect(
      try Self.stars(numbered) == ["owner": Self.count, "user 2": Self.count, "user 3": Self.count])
    let other = try Home()
    #expect(try other.offers("import", "-", "--accept-sources", input: numbered).status == 0)
    #expect(
      try await other.call("user").output.contains(/\nuser 2 +viewer +3,?000\b/))
  }

  @Test("a salvaged export can be imported, whichever table or index is damaged")
  func imports() async throws {
    let count = 400
    let sound = try await Self.lived(count: count)
    let names = try sound.shell(
      "sqlite3 \"$OFFERS_DATABASE\" 'SELECT name FROM sqlite_schema WHERE rootpage > 0'"
    ).output.split(separator: "\n").map(String.init)
    #expect(names.contains("feed") && names.contains("sync_run"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: sound.database))
    for (name, bytes) in names.flatMap({ [($0, 8192), ($0, 2048)] }) {
      let home = try Home()
      try whole.write(to: URL(fileURLWithPath: home.database))
      try home.overwritePage(1, of: name, bytes: bytes)
      let saved = try await home.call("export", "--salvage").output
      let other = try Home()
      let taken = try other.offers("import", "-", "--json", "--accept-sources", input: saved)
      #expect(taken.status == 0, "\(name): \(taken.errors)")
      let document = try Home.parse(taken.output)
      let favorites = (document["favorites"] as? [String: Int])?["new"]
      let offers = (document["offers"] as? [String: Int])?["new"]
      if name != "favorite" { #expect(favorites == count, "\(name)") }
      if name != "offer" { #expect(offers == count, "\(name)") }
    }
  }

  @Test("a truncated file yields its remaining offers")
  func cutShort() async throws {
    let home = try await Self.lived()
    #expect(
      try home.shell(
        "truncate -s $(($(stat -c %s \"$OFFERS_DATABASE\") / 2)) \"$OFFERS_DATABASE\""
      ).status == 0)
    let doctor = try await home.call("doctor")
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("offers export --salvage -o saved.json"))
    let saved = try await Self.saved(home)
    #expect(saved.counts["offers"] ?? 0 > 0)
    #expect(
      try Home().offers("import", "-", "--accept-sources", input: saved.text).status == 0)
  }

  @Test("where nothing can be salvaged, the errors suggest sqlite3's .recover instead")
  func hopeless() async throws {
    let home = try await Self.lived()
    #expect(
      try home.shell(
        "head -c 4096 /dev/zero | tr '\\0' Z "
          + "| dd of=\"$OFFERS_DATABASE\" bs=1 seek=100 conv=notrunc status=none"
      ).status == 0)
    let doctor = try await home.call("doctor")
    #expect(doctor.status == 1)
    #expect(!doctor.output.contains("--salvage"), "\(doctor.output)")
    #expect(doctor.output.contains("sqlite3 FILE .recover"))
    let saved = try await home.call("export", "--salvage")
    #expect(saved.status == 1)
    #expect(saved.output == "")
    #expect(!saved.errors.contains("doctor"), "\(saved.errors)")
    #expect(saved.errors.contains("sqlite3 FILE .recover"))
  }

  @Test("the salvage of a sound database is complete")
  func sound() async throws {
    let home = try await Self.lived()
    let all = try await home.call("export")
    let saved = try await home.call("export", "--salvage")
    #expect(saved.status == 0)
    #expect(saved.errors == "")
    #expect(saved.output == all.output)
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
}
