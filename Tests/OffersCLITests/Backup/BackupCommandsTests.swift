import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@Suite("Exporting, importing and backing up")
struct BackupCommandsTests {
  /// Creates a home with every shipped sample, changes of each kind, and favorites.
  private static func lived() async throws -> Home {
    let home = try Home()
    for feed in ["ibotta", "albums", "facts", "movies", "restaurants"] {
      try await home.call("sync", feed, "--quiet", "--from", "sample")
    }
    // The other offers of the sample give way to those of the first file.
    try await home.expect("favorite", "900117")
    let odd = "Mil\u{1B}[31mk\r\r\n\t\u{2028}日本🍓 \"é\u{301}\\"
    let feeds = [
      [FeedItem("1", "Tea"), FeedItem("2", odd, "Up to 2.5% back", description: odd)],
      [FeedItem("1", "Tea", "$2.00 Cash Back"), FeedItem("a:b", "Jam", "Win a car")],
      [FeedItem("2", odd, nil, description: odd), FeedItem("a:b", "Jam", "Win a car")],
    ]
    for (number, items) in feeds.enumerated() {
      let path = try home.feed(items, named: "\(number).json")
      try await home.call("sync", "ibotta", "--quiet", "--accept-removals", "--from", path)
    }
    try await home.call("sync", "ibotta", "--quiet", "--from", home.folder.file("missing.json"))
    try await home.expect("favorite", "ibotta:1", "ibotta:a:b")
    try await home.call("feeds", "remove", "facts")
    return home
  }

  private static func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test("importing an export recreates the database, and exports the same bytes again")
  func roundTrip() async throws {
    let home = try await Self.lived()
    let saved = home.folder.file("saved.json")
    let told = try await home.call("export", "-o", saved)
    #expect(told.output == "")
    #expect(told.errors.hasPrefix("\(saved): 143 offers, 3 favorites, "))
    #expect(try Self.mode(of: saved) == 0o600)
    let text = try home.folder.text(of: "saved.json")
    #expect(try await home.call("export", "--json").output == text)
    #expect(
      try await home.call("export", "--json", "-o", saved).output
        == "{\"path\":\"\(saved)\",\"bytes\":\(text.utf8.count),\"offers\":143,"
        + "\"users\":1,\"favorites\":3,\"changes\":148}\n")
    let other = try Home()
    #expect(
      try await other.call("import", saved, "--accept-sources").output
        == "143 new offers; 3 new favorites, 0 known; 148 changes of 9 syncs\n")
    #expect(try await other.call("export").output == text)
    for command in [["list"], ["changes"], ["history", "ibotta:1"], ["list", "--favorites"]] {
      let old = try await home.call(command + ["--json"])
      let new = try await other.call(command + ["--json"])
      #expect(old.output == new.output, "\(command)")
    }
    let feeds = ["albums", "facts", "ibotta", "movies", "restaurants"]
    let again = try other.offers("import", "-", input: text)
    #expect(
      again.output
        == "0 new offers; 0 new favorites, 3 known; 0 changes of 0 syncs; left as here: "
        + feeds.joined(separator: ", ")
        + ", of which the file has 143 offers, 148 changes, 9 syncs\n")
    let names = feeds.joined(separator: "\",\"")
    let document = try other.offers("import", "-", "--json", input: text).output
    #expect(
      document == """
        {"offers":{"new":0,"mended":0},"favorites":{"new":0,"known":3},\
        "feeds":0,"changes":0,"runs":0,"left":{"feeds":["\(names)"],"offers":143,\
        "changes":148,"runs":9},"watches":0,"channels":0,"left_out_channels":[],"left_out_definitions":[],"sources":[],\
        "users":[{"name":"owner","user":"owner","role":"admin","new":false,"favorites":{"new":0,"known":3}}]}

        """)
    #expect(try await other.call("export").output == text)
    // The next sync of the same documents finds no changes.
    for feed in ["albums", "movies", "restaurants"] {
      let run = try await other.call("sync", feed, "--from", "sample").output
      #expect(run.contains(": 0 new, 0 changed, 0 gone, 0 back"), "\(run)")
    }
    #expect(try other.integrity() == "ok\n" || other.integrity() == "ok")
  }

  @Test("a sync after an import finds the offers unchanged, coordinates to their last digit")
  func isUnchangedAfterImport() async throws {
    let home = try Home()
    let feed = try home.folder.write(
      """
      {"restaurants":[{"name":"Ember","category":"Grill","location":{"address":"1 Main St",
        "lat":32.950787000000005,"lng":-96.82111809999999}}]}
      """, to: "restaurants.json")
    try await home.expect("sync", "restaurants", "--quiet", "--from", feed)
    try await home.call("export", "-o", home.folder.file("all.json"))
    let other = ["OFFERS_DATABASE": home.folder.file("other.sqlite")]
    func run(_ words: String...) async throws -> String {
      try await OffersProgram.call(words, environment: home.environment.merging(other) { $1 })
        .output
    }
    _ = try await run("import", home.folder.file("all.json"))
    #expect(try await run("sync", "restaurants", "--from", feed).contains(" 0 changed, 0 gone"))
    // A change of another field names that field only.
    let text = try String(contentsOfFile: feed, encoding: .utf8).replacing("Grill", with: "Steak")
    let changed = try home.folder.write(text, to: "changed.json")
    #expect(try await run("sync", "restaurants", "--from", changed).contains(" 1 changed"))
    let changes = try await run("changes", "--kind", "changed")
    #expect(changes.contains("(categories)"), "\(changes)")
  }

  @Test("the documentation's example of an export is exactly what an export writes")
  func documented() async throws {
    let parts = try PackageFolder.text(of: "Sources/OffersCore/OffersCore.docc/Format.md")
      .components(
        separatedBy: "\n```json\n")
    let document = try #require(parts.last?.components(separatedBy: "```").first)
    let home = try Home()
    #expect(try home.offers("import", "-", "--accept-sources", input: document).status == 0)
    #expect(try await home.call("export").output == document)
  }

  @Test("an export of favorites round-trips, including those of unsubscribed feeds")
  func favorites() async throws {
    let home = try await Self.lived()
    let text = try await home.call("export", "--favorites").output
    let other = try Home()
    try other.offers("import", "-", "--accept-sources", input: text)
    #expect(try await other.call("export", "--favorites").output == text)
    #expect(try await other.call("list", "--favorites").output.contains("Harvest Row"))
  }

  @Test(
    "a refused import changes nothing and creates no database",
    .aboutFile)
  func refusals() async throws {
    let home = try await Self.lived()
    let text = try await home.call("export").output
    let before = try Data(contentsOf: URL(fileURLWithPath: home.database))
    let empty = try Home()
    let cases: [(String, String, Int32)] = [
      (String(text.prefix(100_000)), "ends too early, at byte 10", 1),
      (text.replacing("\"version\":4,", with: "\"version\":9,"), "a newer version", 1),
      ("[{\"id\":1,\"name\":\"Tea\"}]", "is not an export of offers", 1),
      ("", "is empty", 1),
      (text.replacing("\"kind\":\"gone\"", with: "\"kind\":\"lost\""), "in change", 1),
      (
        text.replacing("\"ref\":\"ibotta:a:b\",\"run\"", with: "\"ref\":\"ibotta:x\",\"run\""),
        "not among its offers", 1
      ),
    ]
    for (input, reason, status) in cases {
      // A feed that is there is left as it is, whatever the document has of it.
      for target in reason == "not among its offers" ? [empty] : [home, empty] {
        let result = try target.offers("import", "-", "--accept-sources", input: input)
        #expect(result.status == status, "\(reason)")
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(result.errors.contains("Nothing was changed."))
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: home.database)) == before)
    let list = try await empty.call("list")
    #expect(list.status == 66 || list.output == "")
    try await home.expect("import", home.folder.file("nothing.json"), status: 66)
    #expect(try await home.call("export").output == text)
  }

  @Test(
    "an export overwrites no database, and a failed one leaves no temporary file",
    .aboutFile)
  func exportTargets() async throws {
    let home = try await Self.lived()
    try await home.call("backup", home.folder.file("copy.sqlite"))
    for name in ["offers.sqlite", "offers.sqlite-lock", "copy.sqlite"] {
      try await home.expect(
        "export", "-o", home.folder.file(name), status: 64,
        says: ["is a database. It was left untouched."])
    }
    try await home.expect("export", "-o", home.folder.file("no/where.json"), status: 1)
    #expect(try await home.call("export", "-o", "/dev/null").errors.contains("not a regular file"))
    let names = try home.files
    #expect(!names.contains { $0.contains(".new-") })
  }

  @Test(
    "an output path that is not a regular file is refused before anything is written",
    .aboutFile)
  func specialFiles() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(try home.shell("mkfifo pipe").status == 0)
    for command in ["backup pipe", "backup --force pipe", "export -o pipe", "list --database pipe"]
    {
      let result = try home.shell("timeout 20 offers \(command)")
      #expect(result.status == 64 || result.status == 1, "\(command): \(result.status)")
      #expect(result.errors.contains("regular file") || result.errors.contains("not a backup"))
    }
  }

  @Test(
    "an interrupted export or backup leaves the old or the new file, and no temporary file",
    .aboutFile)
  func interruption() async throws {
    let home = try await Home(synced: (0..<3000).map { FeedItem("\($0)", "Tea", terms: "Buy one") })
    for command in ["export -o", "backup"] {
      let result = try home.shell(
        """
        offers \(command) saved
        for milliseconds in 04 06 08 10 12 14 16 18 20 24 28 32 40 50; do
          timeout --foreground --preserve-status -s INT 0.0$milliseconds offers \(command) saved
          case $? in 0 | 130) ;; *) exit 1 ;; esac
          test -s saved || exit 2
        done
        ls; rm saved
        """)
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.contains(".new-"), "\(result.output)")
    }
  }

  @Test(
    "an export removes a dead process's temporary file, but not that of a running process",
    .aboutFile)
  func remains() async throws {
    let home = try await Self.lived()
    let process = try OffersProgram.start(["--version"])
    process.wait()
    let dead = ["old-1.sqlite.offers.new-\(process.pid)"]
    let living = "saved.json.offers.new-\(ProcessInfo.processInfo.processIdentifier)"
    let mine = "saved.json.new-\(process.pid)"
    for name in dead + [living, mine] { try home.folder.write("x", to: name) }
    let found = try await home.call("doctor").output
    #expect(found.contains("killed processes have left files (1): "))
    try await home.call("export", "-o", home.folder.file("saved.json"))
    let names = try home.files
    #expect(!names.contains(where: dead.contains))
    #expect(names.contains(living))
    #expect(names.contains(mine))
    for name in dead { try home.folder.write("x", to: name) }
    let repaired = try await home.call("doctor", "--repair").output
    #expect(repaired.contains("removed the files of killed processes (1)"), "\(repaired)")
    #expect(try await !home.call("doctor").output.contains("killed processes have left"))
  }

  @Test(
    "a backup is a single private file with the same contents",
    .aboutFile)
  func backup() async throws {
    let home = try await Self.lived()
    let copy = home.folder.file("copy.sqlite")
    try home.folder.write("", to: "copy.sqlite")
    let result = try await home.call("backup", copy)
    #expect(home.stable(result.output).hasPrefix("HOME/copy.sqlite: "))
    #expect(result.output.hasSuffix(", sound\n"))
    #expect(try Self.mode(of: copy) == 0o600)
    let names = try home.files
    #expect(names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    #expect(
      try await home.call("export", "--database", copy).output == home.call("export").output)
  }

  @Test("a backup to standard output has the same bytes, and leaves no file", .aboutFile)
  func backupToOutput() async throws {
    let home = try await Self.lived()
    let names = try home.files
    let result = try home.shell(
      """
      offers backup whole.sqlite > /dev/null
      offers backup - > piped.sqlite && cmp whole.sqlite piped.sqlite && offers backup - --json
      """)
    #expect(result.status == 64)
    #expect(result.output == "")
    let left = try home.files
    let new = Set(left).subtracting(names).filter { !$0.hasPrefix("shell-") }
    #expect(new.sorted() == ["piped.sqlite", "whole.sqlite"])
    guard PseudoTerminal.isPresent else { return }
    let shown = try PseudoTerminal.result(["backup", "-"], in: home)
    #expect(shown.status == 64)
    #expect(shown.text.contains("cannot be shown on a terminal"))
  }

  @Test(
    "a backup replaces an older backup; other files need --force, and never the database",
    .aboutFile)
  func backupTargets() async throws {
    let home = try await Self.lived()
    let diary = try home.folder.write("Dear diary", to: "diary.txt")
    try await home.expect(
      "backup", diary, status: 64, says: ["is not a backup of offers. It was left untouched."])
    #expect(try home.folder.text(of: "diary.txt") == "Dear diary")
    try await home.expect("backup", diary, "--force")
    #expect(try await home.call("backup", diary, "--json").output.hasPrefix("{\"path\":"))
    for name in ["offers.sqlite", "offers.sqlite-wal", "offers.sqlite-lock"] {
      try await home.expect(
        "backup", home.folder.file(name), "--force", status: 64, says: ["is the database itself"])
    }
    try await home.expect("list")
    let other = try await Self.lived()
    let path = other.folder.file("offers.sqlite")
    try await home.expect(
      "backup", path, status: 64, says: ["is another database of offers. It was left untouched."])
    try await home.expect("export", "--output", path, status: 64)
    #expect(try await other.call("list", "--favorites").output.contains("Harvest Row"))
  }
}
