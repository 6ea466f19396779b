import Foundation
import OffersSQLite
import OffersTestSupport
import TestStores
import Testing

@Suite("offers doctor")
struct DoctorCommandTests {
  /// The findings of a level, without the one about the loaded version of SQLite.
  private static func lines(_ result: OffersProgram.Result, _ level: String) -> [String] {
    result.output.split(separator: "\n").map(String.init).filter {
      $0.hasPrefix(level) && !$0.contains("WAL-reset bug")
    }
  }

  @Test(
    "a sound database gets one line per check, all of them ok",
    .aboutFile)
  func sound() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.expect("doctor")
    #expect(result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(Self.lines(result, "warning") + Self.lines(result, "problem") == [])
    let warning = SQLiteEngine.software.warning
    #expect(result.output.contains("WAL-reset bug") == (warning != nil))
    #expect(result.output.contains(warning ?? ""))
    let subjects = lines.map { $0.dropFirst(10).prefix { $0 != " " } }
    for subject in [
      "file", "folder", "files", "disk", "sqlite", "locks", "integrity", "references", "schema",
      "counts", "search", "clock", "sizes", "definitions", "feed", "triggers",
      "libraries", "pictures",
    ] { #expect(subjects.contains(subject[...]), "\(subject)") }
  }

  @Test("the versions of the loaded libraries are printed, in the JSON document by name")
  func libraries() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let document = try await home.callDocument("doctor")
    let libraries = try #require(document["libraries"] as? [String: String])
    // libpq is optional.
    #expect(
      libraries.keys.filter { $0 != "libpq" }.sorted() == [
        "expat", "libcrypto", "libcurl", "sqlite", "zlib",
      ])
    #expect(libraries["sqlite"] == SQLiteEngine.software.version)
    for (name, version) in libraries {
      #expect(version.wholeMatch(of: #/\d+\.\d+(\.\d+)*/#) != nil, "\(name) \(version)")
    }
    let line = Self.lines(try await home.call("doctor"), "ok        libraries").first ?? ""
    for version in libraries.values { #expect(line.contains(" \(version)")) }
  }

  @Test(
    "a trigger that somebody added is reported, on a terminal also when the database is written",
    .aboutFile)
  func triggers() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let added = try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "CREATE TRIGGER forget_stars AFTER INSERT ON favorite
        BEGIN DELETE FROM favorite; END; CREATE VIEW mine AS SELECT id FROM offer"
      """)
    try #require(added.status == 0)
    let result = try await home.expect("doctor")
    let warning = Self.lines(result, "warning").first ?? ""
    #expect(warning.contains("the trigger forget_stars was not created by this program"))
    #expect(warning.contains("and 1 more"))
    // A repair leaves it: the user may have added it.
    #expect(try await home.call("doctor", "--repair").output.contains("forget_stars"))
    guard PseudoTerminal.isPresent else { return }
    let text = try PseudoTerminal.run(["favorite", "1"], in: home)
      .replacing("\n", with: " ")
    #expect(text.contains("has parts that offers did not create: the trigger forget_stars"))
    let listed = try PseudoTerminal.run(["list"], in: home)
    #expect(!listed.contains("forget_stars"))
  }

  @Test(
    "files that others can read or write are reported with the command that restricts access",
    .aboutFile)
  func modes() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(chmod(home.database, 0o644) == 0)
    let readable = try await home.expect("doctor")
    #expect(Self.lines(readable, "warning").count == 1)
    #expect(readable.output.contains("may be read by others → Restrict access: chmod 600 "))
    #expect(chmod(home.database, 0o666) == 0)
    #expect(chmod(home.folder.path, 0o777) == 0)
    let writable = try await home.expect("doctor", status: 1)
    #expect(Self.lines(writable, "problem").count == 2)
    #expect(writable.output.contains("other users can replace the database in"))
  }

  @Test(
    "a clock behind the newest sync is reported until a feed is synced again",
    .aboutFile)
  func clock() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(
      try home.shell(
        "sqlite3 \"$OFFERS_DATABASE\" 'UPDATE sync_run SET started_at = started_at + 864000'"
      ).status == 0)
    let result = try await home.expect("doctor", status: 1)
    #expect(
      Self.lines(result, "problem").first?.contains("but the newest sync or star is of") == true)
    try await home.call("sync", "--force", "--quiet")
    let later = try await home.expect("doctor")
    #expect(
      Self.lines(later, "warning").first?.contains("1 sync, 0 offers and 0 images have times after")
        == true)
  }

  @Test("a schedule is proposed only while none is installed", .aboutFile)
  func proposesSchedule() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let sql = "UPDATE sync_run SET started_at = started_at - 864000"
    #expect(try home.shell("sqlite3 \"$OFFERS_DATABASE\" '\(sql)'").status == 0)
    let without = try await home.call("doctor").output
    #expect(without.contains("has been due since"))
    #expect(without.components(separatedBy: "offers schedule install").count == 3)
    let folder = ".config/systemd/user/timers.target.wants"
    #expect(
      try home.shell("mkdir -p \(folder) && touch \(folder)/offers-sync.timer").status == 0)
    let with = try await home.call("doctor").output
    #expect(with.contains("has been due since"))
    #expect(with.contains("the package's timer of systemd syncs the feeds that are due"))
    #expect(!with.contains("schedule install"))
  }

  @Test("feeds that have no definition or fail, and invalid definitions, are reported")
  func feeds() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let source = try home.feed([FeedItem("7", "Jam")], named: "corner.json")
    let file = try home.define("corner", from: source, "fields: {name: name}")
    try await home.expect("sync", "corner", "--quiet", "--config", file)
    try await home.expect("doctor", "--config", file)
    let missing = try await home.expect("doctor", status: 1)
    #expect(missing.output.contains("problem   feed corner  has no definition here, so"))
    // A source that a command names, and that cannot be read, is no failure of the feed.
    try await home.call("sync", "ibotta", "--quiet", "--from", home.folder.file("gone.json"))
    let trial = try await home.call("doctor", "--config", file)
    #expect(Self.lines(trial, "warning").first?.contains("feed ibotta") != true)
    try home.folder.write("{", to: "feed.json")
    try await home.call("sync", "ibotta", "--quiet")
    let failing = try await home.expect("doctor", "--config", file)
    #expect(Self.lines(failing, "warning").first?.contains("feed ibotta") == true)
    try home.folder.write("feeds: [", to: "feeds.yaml")
    let broken = try await home.expect("doctor", "--config", file, status: 1)
    #expect(broken.output.contains("problem   definitions  \(file):1"))
  }

  @Test(
    "a missing database, or a file that is none, is reported and left untouched",
    .aboutFile)
  func others() async throws {
    let home = try Home()
    let none = try await home.expect("doctor", status: 1)
    #expect(none.output.contains("There is no database yet at"))
    #expect(none.output.contains("→ Make it with a sync: offers sync"))
    let diary = try home.folder.write("Dear diary", to: "diary.txt")
    for words in [[], ["--repair"]] {
      let result = try await home.expect(["doctor", "--database", diary] + words, status: 1)
      #expect(result.output.contains("is not a database of this program"))
    }
    #expect(try home.folder.text(of: "diary.txt") == "Dear diary")
    #expect(try home.files == ["diary.txt"])
  }

  @Test(
    "a repair reports what it did, and changes neither favorites nor chosen sources",
    .aboutFile)
  func repair() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    try await home.call("favorite", "1")
    let before = try await home.call("export").output
    #expect(
      try home.shell(
        """
        sqlite3 "$OFFERS_DATABASE" "UPDATE feed SET current_count = 9"
        """
      ).status == 0)
    let document = try await home.callDocument("doctor")
    #expect(document["healthy"] as? Bool == false)
    let result = try await home.expect("doctor", "--repair")
    #expect(
      Self.lines(result, "repaired").map { $0.dropFirst(10) } == [
        "counts       corrected the counts: ibotta says 9 offers, 0 gone, and has 2, 0 gone"
      ])
    #expect(try await home.call("export").output == before)
    #expect(try await home.call("doctor", "--repair").output.contains("repaired") == false)
  }

  @Test(
    "a damaged page is reported; favorites and readable records can still be exported",
    .aboutFile)
  func damage() async throws {
    let home = try await Home(synced: (0..<3000).map { FeedItem("\($0)", "Tea", terms: "Buy one") })
    try await home.call("favorite", "2999")
    let page = try home.shell(
      """
      sqlite3 "$OFFERS_DATABASE" "SELECT pageno FROM dbstat WHERE name = 'offer'
        AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 3"
      """
    ).output.trimmingCharacters(in: .newlines)
    let number = try #require(Int(page))
    #expect(
      try home.shell(
        "head -c 8192 /dev/zero | tr '\\0' Z | dd of=\"$OFFERS_DATABASE\" bs=8192 "
          + "seek=\(number - 1) conv=notrunc status=none"
      ).status == 0)
    for words in [["doctor"], ["doctor", "--repair"]] {
      let result = try await home.expect(words, status: 1)
      #expect(result.output.contains("SQLite finds damage"))
      #expect(result.output.contains("offers restore --salvage"))
    }
    #expect(try await home.call("export").output == "")
    try await home.expect("backup", home.folder.file("copy.sqlite"), status: 1)
    let names = try home.files
    #expect(!names.contains { $0.hasPrefix("copy") })
    let stars = try await home.expect("export", "--favorites")
    #expect(stars.output.contains("ibotta:2999"))
    try await home.expect("restore", "--salvage")
    #expect(try await home.call("export", "--favorites").output.contains("ibotta:2999"))
    try await home.expect("doctor")
  }
}
