import Foundation
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI

@Suite("offers changes, history and prune")
struct ChangesCommandTests {
  /// A home with a favorite 1 whose reward rises and then falls, a favorite 2 that disappears and
  /// returns as 4, and an edited offer 3.
  private static func home() async throws -> Home {
    let home = try await Home(synced: [
      FeedItem("1", "Tea", "$0.75 Cash Back"), FeedItem("2", "Jam", "Up to 5% back"),
      FeedItem("3", "Bun", nil),
    ])
    try await home.expect("favorite", "1", "2")
    _ = try home.feed([FeedItem("1", "Tea", "$1.25 Cash Back"), FeedItem("3", "Bun", "Free")])
    try await home.expect("sync", "--quiet")
    _ = try home.feed([
      FeedItem("1", "Teas", "$1.00 Cash Back"), FeedItem("3", "Bun", "Free", terms: "One."),
      FeedItem("4", "Jam", "Up to 5% back"),
    ])
    try await home.expect("sync", "--quiet")
    return home
  }

  private static let table = """
       WHEN  KIND     ID        REWARD         NAME
       TIME  first    ibotta    –              3 offers, first sync
    ★  TIME  up       ibotta:1  $0.75 → $1.25  Teas
       TIME  changed  ibotta:3  – → Free       Bun
    ★  TIME  gone     ibotta:2  Up to 5% back  Jam
    ★  TIME  down     ibotta:1  $1.25 → $1.00  Teas
       name: Tea → Teas
       TIME  changed  ibotta:3  Free           Bun
       terms: – → One.
       TIME  new      ibotta:4  Up to 5% back  Jam
       probably your favorite ibotta:2 again; star it: offers favorite ibotta:4

    """

  /// Collapses the padding of the WHEN heading, which is as wide as the times that `stable`
  /// replaces.
  private static func stable(_ home: Home, _ text: String) -> String {
    home.stable(text).replacing("WHEN            ", with: "WHEN")
  }

  @Test("changes are listed oldest first, with old and new rewards and a star for favorites")
  func table() async throws {
    let home = try await Self.home()
    let result = try await home.call("changes")
    #expect(Self.stable(home, result.output) == Self.table)
    #expect(result.errors == "")
    for since in ["2w", "12h", "2020-01-01", "2020-01-01T08:15:00+02:00"] {
      #expect(try await home.call("changes", "--since", since).output == result.output)
    }
  }

  @Test("sync --news prints only if there are changes; with --json it always prints a document")
  func news() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let nothing = #"{"changes":[],"failing":[],"recovered":[],"held_back":[]}"# + "\n"
    try await home.call("favorite", "1")
    #expect(try await home.call("sync", "--news").output == "")
    #expect(try await home.call("sync", "--news", "--json").output == nothing)
    _ = try home.feed([FeedItem("1", "Tea", "$2.00 Cash Back")])
    let changes = try await home.objects("changes", "sync", "--news")
    #expect(changes.map { $0["kind"] as? String } == ["up"])
    #expect(try await home.call("sync", "--news", "--json").output == nothing)
  }

  @Test("a line of the news names every change that matters, and no address")
  func namesEveryChange() async throws {
    let home = try Home()
    let definitions = try home.define(
      "shop", from: home.folder.file("shop.json"),
      "currency: USD, fields: {name: name, reward: pays, terms: terms, expires: until, image: pic, "
        + "link: link}")
    func news(_ fields: String) async throws -> String {
      try home.folder.write(#"[{"id":"1",\#(fields)}]"#, to: "shop.json")
      return try await home.call("sync", "shop", "--news", "--config", definitions).output
    }
    let year = Calendar.current.component(.year, from: Date()) + 1
    let picture = #""pic":"https://a.example/1.png","link":"https://a.example/1""#
    let other = #""pic":"https://a.example/2.png","link":"https://a.example/2""#
    _ = try await news(#""name":"Alpha Coffee","pays":"$1.00","terms":"Any size",\#(picture)"#)
    try await home.call("favorite", "shop:1")
    let changed =
      #""name":"Alpha Coffee","pays":"$1.50","terms":"36 oz only","until":"\#(year)-12-05""#
    #expect(
      try await news("\(changed),\(picture)")
        == "★ up: Alpha Coffee, $1.00 → $1.50; now “36 oz only”; ends 5 Dec \(year) (shop:1)\n")
    #expect(try await news("\(changed),\(other)") == "")
    let renamed = changed.replacing("Alpha Coffee", with: "Alpha Roast").replacing(
      "\(year)-12-05", with: "")
    #expect(
      try await news("\(renamed),\(picture)")
        == "★ changed: Alpha Roast, was “Alpha Coffee”; no end now (shop:1)\n")
  }

  @Test("the first sync --news tells what was held back before")
  func newsOfHeld() async throws {
    let offers = (1...30).map { FeedItem("\($0)", "Tea") }
    let home = try await Home(synced: offers)
    _ = try home.feed(Array(offers.prefix(10)))
    try await home.call("sync")
    #expect(
      try await home.call("sync", "--news").output
        .hasPrefix("ibotta: 20 of 30 offers are missing from the feed since "))
    #expect(try await home.call("sync", "--news").output == "")
  }

  @Test("options limit changes to favorites, a feed, kinds or a number")
  func filters() async throws {
    let home = try await Self.home()
    func kinds(_ options: String...) async throws -> [String] {
      let document = try await home.callDocument(["changes"] + options)
      let changes = document["changes"] as? [[String: Any]] ?? []
      return changes.map { "\($0["kind"] ?? "") \($0["ref"] ?? "")" }
    }
    #expect(
      try await kinds("--favorites") == ["up ibotta:1", "gone ibotta:2", "down ibotta:1"])
    #expect(
      try await kinds("--kind", "up,gone", "--feed", "ibotta") == ["up ibotta:1", "gone ibotta:2"])
    #expect(try await kinds("--limit", "2") == ["changed ibotta:3", "new ibotta:4"])
    #expect(try await kinds("--kind", "expiring") == [])
  }

  @Test("the JSON of a change has every key, with null for unknown values")
  func document() async throws {
    let home = try await Self.home()
    #expect(
      home.stable(try await home.call("changes", "--kind", "down,gone", "--json").output)
        == #"{"changes":[{"at":"TIME","kind":"gone","feed":"ibotta","ref":"ibotta:2","#
        + #""name":"Jam","url":null,"state":"gone","favorite":true,"offers":null,"from":null,"to":null,"fields":[],"texts":[],"returned_favorite":null},"#
        + #"{"at":"TIME","kind":"down","feed":"ibotta","ref":"ibotta:1","name":"Teas","#
        + #""url":null,"state":"current","favorite":true,"offers":null,"from":{"role":"reward","text":"$1.25 Cash Back","kind":"amount","minor_units":125,"#
        + #""currency":"USD","percent":null,"up_to":false},"#
        + #""to":{"role":"reward","text":"$1.00 Cash Back","kind":"amount","#
        + #""minor_units":100,"currency":"USD","percent":null,"up_to":false},"#
        + #""fields":["name","reward"],"texts":[{"field":"name","from":"Tea","to":"Teas"}],"#
        + #""returned_favorite":null}]}"# + "\n")
    #expect(
      home.stable(try await home.call("changes", "--kind", "first", "--json").output)
        == #"{"changes":[{"at":"TIME","kind":"first","feed":"ibotta","ref":null,"name":null,"#
        + #""url":null,"state":null,"favorite":false,"offers":3,"from":null,"to":null,"fields":[],"texts":[],"#
        + #""returned_favorite":null}]}"# + "\n")
    let new = try await home.callDocument("changes", "--kind", "new", "--limit", "1")
    let changes = try #require(new["changes"] as? [[String: Any]])
    #expect(changes.first?["returned_favorite"] as? String == "ibotta:2")
  }

  @Test("with --limit, changes --since last marks no change as read")
  func limitedLast() async throws {
    let home = try await Self.home()
    for _ in 1...2 {
      let cut = try await home.call("changes", "--since", "last", "--limit", "2")
      #expect(
        Self.stable(home, cut.output) == """
             WHEN  KIND     ID        REWARD         NAME
             TIME  changed  ibotta:3  Free           Bun
             terms: – → One.
             TIME  new      ibotta:4  Up to 5% back  Jam
             probably your favorite ibotta:2 again; star it: offers favorite ibotta:4

          """)
      #expect(cut.errors == "Only the newest 2 are shown, so none is marked as read.\n")
    }
    let whole = try await home.call("changes", "--since", "last", "--limit", "\(Int.max)")
    #expect(Self.stable(home, whole.output) == Self.table)
    #expect(whole.errors == "")
    #expect(try await home.call("changes", "--since", "last").output == "")
  }

  @Test("changes --since last lists each change once per reader and says when there are none")
  func last() async throws {
    let home = try await Self.home()
    let first = try await home.call("changes", "--since", "last")
    #expect(Self.stable(home, first.output) == Self.table)
    let second = try await home.call("changes", "--since", "last")
    #expect(second.output == "")
    #expect(home.stable(second.errors) == "No changes since TIME.\n")
    #expect(
      try await home.call("changes", "--since", "last", "--reader", "mail").output == first.output)
    _ = try home.feed([FeedItem("3", "Bun", "Free", terms: "One."), FeedItem("4", "Jam")])
    try await home.expect("sync", "--quiet")
    for reader in ["default", "mail"] {
      let third = try await home.call("changes", "--since", "last", "--reader", reader)
      #expect(
        Self.stable(home, third.output) == """
             WHEN  KIND     ID        REWARD                           NAME
             TIME  changed  ibotta:4  Up to 5% back → $1.00 Cash Back  Jam
          ★  TIME  gone     ibotta:1  $1.00 Cash Back                  Teas

          """)
      #expect(
        try await home.call("changes", "--since", "last", "--reader", reader, "--json").output
          == "{\"changes\":[]}\n")
    }
  }

  @Test("with a filter, --since last marks as read what it showed, and nothing else")
  func filteredLast() async throws {
    let home = try await Self.home()
    func last(_ words: String...) async throws -> [String] {
      let result = try await home.call(["changes", "--since", "last", "--json"] + words)
      let changes = try Home.parse(result.output)["changes"] as? [[String: Any]] ?? []
      return changes.map { "\($0["kind"] ?? "") \($0["ref"] as? String ?? "")" }
    }
    #expect(try await last("--kind", "up,gone") == ["up ibotta:1", "gone ibotta:2"])
    #expect(try await last("--kind", "gone,up") == [])
    #expect(try await last("--kind", "gone,new", "--limit", "1") == ["new ibotta:4"])
    #expect(try await last("--kind", "gone") == [])
    let rest = ["first ", "changed ibotta:3", "down ibotta:1", "changed ibotta:3"]
    #expect(try await last("--limit", "1") == ["changed ibotta:3"])
    #expect(try await last() == rest)
    for words in [[], ["--kind", "new"], ["--feed", "ibotta"]] {
      let result = try await home.call(["changes", "--since", "last"] + words)
      #expect(result.output == "", "\(words)")
    }
    // A star that is set later marks no earlier change as read.
    #expect(try await last("--reader", "mail", "--favorites").count == 3)
    try await home.call("favorite", "3")
    let mailed = try await last("--reader", "mail")
    #expect(mailed.filter { $0 == "changed ibotta:3" }.count == 2)
    #expect(try await last("--reader", "mail", "--favorites") == [])
    try await home.expect("changes", "--since", "last", "--reader", "a\u{1F}b", status: 64)
  }

  @Test("changes that could not be printed are not marked as read")
  func failedOutput() async throws {
    let home = try await Self.home()
    #expect(try home.shell("offers changes --since last > /dev/full").status == 1)
    #expect(
      Self.stable(home, try await home.call("changes", "--since", "last").output) == Self.table)
  }

  @Test("changes that span several database pages are listed once each, in order")
  func manyPages() async throws {
    let home = try await Home(synced: [FeedItem("0", "Tea")])
    _ = try home.feed((0...1203).map { FeedItem("\($0)", $0 == 0 ? "Tea" : "Offer \($0)") })
    try await home.expect("sync", "--quiet")
    let names = try await home.call("changes").output.split(separator: "\n").dropFirst(2).map {
      $0.drop { $0 != "O" }
    }
    #expect(names == (1...1203).map { "Offer \($0)" })
  }

  @Test(
    "invalid options are refused",
    arguments: [
      (["--since", "yesterday"], 64), (["--since", "7"], 64), (["--since", ""], 64),
      (["--since", "2026-02-30"], 64), (["--kind", "up,sideways"], 64), (["--kind", ""], 64),
      (["--limit", "0"], 64), (["--reader", "mail"], 64),
      (["--since", "last", "--reader", ""], 64), (["--feed", "nope"], 66),
      (["--database", "/nowhere/x.sqlite"], 66),
    ] as [([String], Int32)])
  func refuses(options: [String], status: Int32) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.expect(["changes"] + options, status: status, output: "")
    #expect(result.errors != "")
  }

  @Test("history lists each reward, without a chart when piped")
  func history() async throws {
    let home = try await Self.home()
    let table = """
      ★ $1.00 Cash Back
      Teas
      ibotta:1

      WHEN  REWARD           EVENT
      TIME  $0.75 Cash Back  new
      TIME  $1.25 Cash Back  up
      TIME  $1.00 Cash Back  down
         name: Tea → Teas

      """
    #expect(Self.stable(home, try await home.call("history", "1").output) == table)
    #expect(
      home.stable(try await home.call("history", "4").output) == """
        Up to 5% back
        Jam
        ibotta:4

        The reward has not changed since TIME.

        """)
    #expect(
      home.stable(try await home.call("history", "2", "--json").output)
        == #"{"ref":"ibotta:2","name":"Jam","points":[{"at":"TIME","event":"new","reward":"#
        + #"{"role":"reward","text":"Up to 5% back","kind":"percent","minor_units":null,"currency":null,"#
        + #""percent":5,"up_to":true},"texts":[]},{"at":"TIME","event":"gone","reward":{"role":"reward","text":"#
        + #""Up to 5% back","kind":"percent","minor_units":null,"currency":null,"percent":5,"#
        + #""up_to":true},"texts":[]}]}"# + "\n")
    try await home.expect("history", "9", status: 66)
    _ = try home.feed([
      FeedItem("1", "Teas", "$1.00 Cash Back", terms: String(repeating: "Any size. ", count: 20)),
      FeedItem("3", "Bun", "Free", terms: "One."), FeedItem("4", "Jam", "Up to 5% back"),
    ])
    try await home.expect("sync", "--quiet")
    let news = try await home.call("changes", "--kind", "changed", "--limit", "1").output
    #expect(news.contains("\n   terms: – → Any size. ") && news.hasSuffix("…\n"))
    #expect(try await home.call("history", "1").output.hasSuffix(news.suffix(60)))
  }

  @Test("prune reports what it removed; with --dry-run, what it would remove")
  func prune() async throws {
    let home = try await Home(synced: (1...4).map { FeedItem("\($0)", "Tea \($0)") })
    try await home.expect("favorite", "1")
    _ = try home.feed([FeedItem("3", "Tea 3"), FeedItem("5", "Tea 5")])
    try await home.expect("sync", "--quiet", "--accept-removals")
    _ = try home.feed([FeedItem("3", "Tea"), FeedItem("5", "Tea 5")])
    try await home.expect("sync", "--quiet")
    let now = TestStore.isFile ? " The file has SIZE." : ""
    let size = TestStore.isFile ? " The file has SIZE; before it had SIZE." : ""
    func prune(_ options: String...) async throws -> String {
      try await home.call(["prune"] + options).output
        .replacing(/\d[\d.]* k?B/, with: "SIZE").replacing(/"bytes_([a-z]+)":\d+/) {
          "\"\($0.output.1)\":SIZE"
        }
    }
    #expect(
      try await prune()
        == "Removed 0 gone offers, 0 changes and 0 syncs.\(size)\n")
    #expect(
      try await prune("--older-than", "0m", "--dry-run")
        == "Would remove 2 gone offers, 2 changes and 0 syncs.\(now)\n")
    #expect(
      try await prune("--older-than", "0m")
        == "Removed 2 gone offers, 2 changes and 0 syncs.\(size)\n")
    #expect(
      try await prune("--json")
        == #"{"offers":0,"changes":0,"runs":0,"dry_run":false,"counted_from":null,"#
        + (TestStore.isFile
          ? #""before":SIZE,"after":SIZE}"# : #""bytes_before":null,"bytes_after":null}"#)
        + "\n")
    #expect(try await home.call("list", "--favorites").output.contains("gone: Tea 1"))
  }

  @Test("prune does not believe the clock after a jump", .aboutFile)
  func pruneAfterJump() async throws {
    let home = try await Home(synced: (1...4).map { FeedItem("\($0)", "Tea \($0)") })
    for days in [20, 401] {
      let sql = "UPDATE sync_run SET started_at = started_at - \(days * 86_400)"
      #expect(try home.shell("sqlite3 \"$OFFERS_DATABASE\" '\(sql)'").status == 0)
      for options in [[], ["--dry-run"]] {
        try await home.expect(
          ["prune"] + options,
          says: ["Ages are counted from the sync of", "add --trust-clock."])
      }
      let trusting = try await home.expect(["prune", "--trust-clock", "--dry-run"])
      #expect(trusting.errors.isEmpty)
    }
    for (options, status) in [
      (["--older-than", "last"], Int32(64)), (["--database", "/nowhere/x.sqlite"], 66),
    ] {
      try await home.expect(["prune"] + options, status: status)
    }
  }
}
