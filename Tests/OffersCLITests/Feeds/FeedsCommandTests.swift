import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("offers feeds")
struct FeedsCommandTests {
  static let rss = """
    <?xml version="1.0"?>
    <rss version="2.0" xmlns:merchant="http://base.google.com/ns/1.0"><channel>
      <title>Corner Shop</title>
      <item><merchant:id>t1</merchant:id><title>Tea &amp; Honey</title>
        <merchant:price>4.50 USD</merchant:price><link>https://shop.example/t1</link></item>
      <item><merchant:id>t2</merchant:id><title>Jam</title>
        <merchant:price>3.00 USD</merchant:price></item>
      <item><title/></item>
    </channel></rss>
    """

  static let shop = """
    {"data":{"products":[
      {"sku":"a-1","title":"Green Tea","price":{"amount":"3.50","currency":"USD"},"url":"https://shop.example/a-1"},
      {"sku":"a-2","title":"Black Tea","price":{"amount":"2.50","currency":"USD"},"url":"https://shop.example/a-2"}
    ]}}
    """

  @Test("feeds add recognizes a well-known format from the address alone, and syncs the feed")
  func addsByAddress() async throws {
    let home = try Home()
    let path = try home.folder.write(Self.rss, to: "shop.rss")
    let added = try await home.expect("feeds", "add", "corner-shop", path)
    #expect(
      home.stable(added.output)
        == "corner-shop: 2 new, 0 changed, 0 gone, 0 back, 0 unchanged, 1 skipped in TIME\n")
    let offer = try await home.callDocument("show", "corner-shop:t1")
    #expect(offer["name"] as? String == "Tea & Honey")
    #expect((offer["reward"] as? [String: Any])?["minor_units"] as? Int == 450)
    let feeds = try await home.objects("feeds", "feeds")
    let shop = try #require(feeds.first { $0["name"] as? String == "corner-shop" })
    #expect(shop["title"] as? String == "Corner Shop")
    #expect(shop["source"] as? String == path)
    // Later syncs include it.
    #expect(try await home.call("sync").output.contains("corner-shop: 0 new"))
  }

  @Test("feeds set stores a feed's sync interval beside its definition, and restores the default")
  func setsInterval() async throws {
    let home = try Home()
    func every() async throws -> Int? {
      let feeds = try await home.objects("feeds", "feeds")
      return feeds.first { $0["name"] as? String == "albums" }?["every_seconds"] as? Int
    }
    #expect(
      try await home.call("feeds", "set", "albums", "--every", "90m").output
        == "albums: every 90m\n")
    #expect(try await every() == 5400)
    #expect(
      try await home.call("feeds", "set", "albums", "--every", "90m").output
        == "albums: every 90m, as before\n")
    #expect(
      try await home.call("feeds", "set", "albums", "--every", "default").output
        == "albums: every 6h\n"
    )
    #expect(try await every() == 21_600)
    for (name, every, said) in [
      ("album", "1h", "Did you mean albums?"), ("albums", "often", "not an interval between syncs"),
    ] {
      let refused = try await home.call("feeds", "set", name, "--every", every)
      #expect(refused.status != 0)
      #expect(refused.errors.contains(said))
    }
    // An interval in the user's own file counts, and is changed there.
    let own = try home.folder.write("intervals: {albums: 3h}\n", to: "feeds.yaml")
    try await home.expect(
      "feeds", "set", "albums", "--every", "2h", "--config", own, status: 64,
      says: ["sets the interval of albums, and that counts."])
  }

  @Test("options on the command line take precedence over guesses")
  func addsByHand() async throws {
    let home = try Home()
    let path = try home.folder.write(Self.shop, to: "shop.json")
    try await home.expect(
      "feeds", "add", "teas", path, "--items", "data.products", "--map", "id=sku",
      "name={title} ({sku})", "--every", "2h", "--format", "json")
    #expect(try await home.callDocument("show", "teas:a-1")["name"] as? String == "Green Tea (a-1)")
    let shown = try await home.call("feeds", "show", "teas").output
    #expect(shown.contains("every: 2h"))
    #expect(shown.contains("items: data.products"))
    // The printed text is itself a valid definition.
    let copy = try home.folder.write(shown, to: "copy.yaml")
    try await home.expect("feeds", "check", copy)
  }

  @Test("a definitions file of more than 1 MiB is refused")
  func boundsFiles() async throws {
    let home = try Home()
    let path = try home.folder.write(String(repeating: "#", count: (1 << 20) + 1), to: "feeds.yaml")
    let result = try await home.call(["feeds", "--config", path])
    #expect(result.status != 0)
    #expect(result.errors.contains("is larger than 1 MiB."), "\(result.errors)")
  }

  @Test(
    "a document without offers is added if its format says what they will be",
    arguments: [
      (
        "<rss version='2.0'><channel><title>Sales</title></channel></rss>",
        "<rss version='2.0'><channel><item><guid>k1</guid><title>Kettle</title></item></channel></rss>"
      ),
      (
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>Sales</title></feed>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>k1</id><title>Kettle</title></entry></feed>"
      ),
      (
        #"{"version":"https://jsonfeed.org/version/1.1","title":"Sales","items":[]}"#,
        #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"k1","title":"Kettle"}]}"#
      ),
    ])
  func addsEmptyFeeds(empty: String, later: String) async throws {
    let home = try Home()
    let path = try home.folder.write(empty, to: "feed")
    let added = try await home.expect("feeds", "add", "sales", path)
    #expect(added.output.contains("sales: no offers found"))
    try await home.expect("list", "--feed", "sales")
    try home.folder.write(later, to: "feed")
    #expect(try await home.call("sync", "sales").output.contains("sales: 1 new"))
    #expect(try await home.callDocument("show", "sales:k1")["name"] as? String == "Kettle")
  }

  @Test("feeds add shows the first three offers on standard error, unless told --yes")
  func showsOffers() async throws {
    let home = try Home()
    let path = try home.folder.write(Self.rss, to: "shop.rss")
    let shown = try await home.call("feeds", "add", "one", path)
    #expect(
      shown.errors.contains("  Tea & Honey  4.50 USD  https://shop.example/t1\n  Jam  3.00 USD\n"))
    let quiet = try await home.expect("feeds", "add", "two", path, "--yes")
    #expect(!quiet.errors.contains("Jam"))
    #expect(home.stable(quiet.output).contains("two: 2 new"))
  }

  @Test(
    "feeds add counts the offers with a reward and an end, and those that have them by their text")
  func countsRewardsAndEnds() async throws {
    let home = try Home()
    func item(_ title: String) -> String {
      "<item><guid>\(title)</guid><title>\(title)</title></item>"
    }
    for (name, titles, note) in [
      (
        "all", ["$2.50 off Folgers Coffee (exp 11/25/2026)", "$1 off jam (exp 11/26/2026)"],
        "2 offers: all with a reward from the text, all with an end from the text.\n"
      ),
      (
        "some", ["$2.50 off Folgers Coffee", "Jam"],
        "2 offers: 1 with a reward from the text, none with an end.\n"
      ),
      ("none", ["Tea", "Jam"], "2 offers: none with a price or an end.\n"),
    ] {
      let path = try home.folder.write(
        "<rss version='2.0'><channel><title>Coupons</title>\(titles.map(item).joined())"
          + "</channel></rss>", to: name)
      try await home.expect("feeds", "add", name, path, says: [note])
    }
  }

  @Test("adding a document without offers is refused and stores no definition")
  func refusesEmptyDocuments() async throws {
    let home = try Home()
    for (name, text) in [
      ("empty.xml", "<deals><title>x</title></deals>"),
      ("broken.rss", "<rss version='2.0'><channel><item><author>x</author></item></channel></rss>"),
      ("empty.json", #"{"items":[]}"#), ("page.html", "<!DOCTYPE html><html></html>"),
      ("torn.json", #"[{"id":1,"na"#),
    ] {
      let path = try home.folder.write(text, to: name)
      let result = try await home.expect("feeds", "add", "feed", path, status: 1)
      #expect(!result.errors.isEmpty)
      try await home.expect("feeds", "show", "feed", status: 66)
    }
    let shop = try home.folder.write(Self.shop, to: "shop.json")
    try await home.expect(
      "feeds", "add", "feed", shop, "--items", "data.things", "--map", "id=sku", "name=title",
      status: 1, says: ["data.things"])
  }

  @Test(
    "invalid names, fields, formats and intervals are refused before anything is read",
    arguments: [
      (["Feed", "x.json"], "not a valid feed name"), (["albums", "x.json"], "already"),
      (["feed", "x.json", "--map", "nmae=title"], "Did you mean name?"),
      (["feed", "x.json", "--map", "title"], "has no equals sign"),
      (["feed", "x.json", "--format", "jsn"], "Did you mean json?"),
      (["feed", "x.json", "--every", "soon"], "not an interval between syncs"),
      (["feed", "x.json", "--items", "a["], "a["),
    ])
  func refusesMistakes(words: [String], says: String) async throws {
    let home = try Home()
    try await home.expect(["feeds", "add"] + words, status: 64, says: [says])
  }

  @Test("a mistake in the definitions file is reported with its line, for any feed")
  func refusesWrongFiles() async throws {
    let home = try Home()
    let path = try home.folder.write(
      "feeds:\n  a:\n    id: id\n    fields:\n      nmae: title\n", to: "feeds.yaml")
    for words in [["feeds"], ["sync", "a"], ["feeds", "check", "a"]] {
      try await home.expect(
        words + ["--config", path], status: 64,
        says: ["feeds.yaml:5: “nmae” is not a field.", "Did you mean name?"])
    }
    try await home.expect("sync", "a", "--config", home.folder.file("none.yaml"), status: 66)
  }

  @Test("a check stores nothing and reports what each field matched")
  func checks() async throws {
    let home = try Home()
    let path = try home.folder.write(Self.rss, to: "shop.rss")
    try await home.expect("feeds", "add", "shop", path)
    let before = try await home.callDocument("status")["feeds"] as? [[String: Any]]
    let result = try await home.expect("feeds", "check", "shop")
    #expect(result.output.hasPrefix("Corner Shop: 2 of 3 records are offers, 1 skipped"))
    #expect(result.output.contains(/\n  link +1 +50 %\n/))
    #expect(result.output.contains("record 3 skipped: no id"))
    let after = try await home.callDocument("status")["feeds"] as? [[String: Any]]
    #expect(before?.count == after?.count)
    try await home.expect("feeds", "check", "albums", "--from", "sample")
    let unnamed = try await home.expect("feeds", "check", "ibotta")
    #expect(
      unnamed.errors == """
        These are the built-in sample offers. To check your own feed:
          offers feeds check ibotta --from URL-OR-FILE

        """)
  }

  @Test("a removed feed is no longer synced, keeps its offers, and can be subscribed again")
  func removes() async throws {
    let home = try Home()
    try await home.expect("sync", "restaurants", "--from", "sample")
    let listed = try await home.objects("offers", "list", "--feed", "restaurants")
    let ref = try #require(listed.first?["ref"] as? String)
    try await home.expect("favorite", ref)
    let removed = try await home.call("feeds", "remove", "restaurants")
    #expect(removed.output.hasPrefix("restaurants: no longer synced. Its "))
    #expect(removed.output.hasSuffix(" offers stay, with 1 favorite, kept for good.\n"))
    #expect(try await home.call("sync").output == "")
    #expect(try await home.call("list", "--favorites").output.contains(ref))
    #expect(
      try await home.call("feeds", "remove", "restaurants").output.contains("was not subscribed"))
    try await home.expect("feeds", "remove", "nosuch", status: 66)
    try await home.expect("sync", "restaurants", "--from", "sample")
    #expect(try await home.call("sync", "ibotta", "restaurants", "--quiet").status != 64)
  }

  @Test("feeds added by concurrent processes are all stored")
  func addsSideBySide() async throws {
    let home = try Home()
    let feed = try home.folder.write(#"[{"id":1,"name":"Tea"}]"#, to: "tea.json")
    let names = (1...5).map { "tea-\($0)" }
    let processes = try names.map { name in
      try OffersProgram.start(
        ["feeds", "add", name, feed, "--database", home.database])
    }
    for process in processes {
      #expect(process.wait() == 0)
    }
    let database = home.store
    #expect(try await Set(database.open().fetchDefinitions().map(\.feed)) == Set(names))
  }

  @Test(
    "a field called name is guessed as the name despite one odd value, and notes are printed")
  func guessesOddNames() async throws {
    let home = try Home()
    let odd = String(repeating: "x", count: 200)
    let feed = try home.folder.write(
      #"[{"id":"a1","name":"\#(odd)","reward":"$1"},{"id":"b2","name":"Tea","reward":"$2"},"#
        + #"{"id":"c3","name":"Jam","reward":"$3"}]"#, to: "odd.json")
    #expect(try await home.call("feeds", "guess", feed).output.contains("\n      name: name\n"))
    let added = try await home.expect("feeds", "add", "odd", feed)
    let asked = "no currency. Which one is it? Set it: offers feeds set odd --currency USD"
    #expect(added.errors.contains(asked))
    #expect(added.errors.components(separatedBy: "urrency").count == 3)
    let guessed = try await home.call("feeds", "guess", feed)
    #expect(guessed.errors.contains("The currency of the rewards is unknown: write currency: USD"))
    #expect(try await home.call("list").output.contains("Tea"))
  }

  @Test("a failed search does not change the status of the feed's syncs")
  func failedSearch() async throws {
    let home = try Home()
    try await home.call("sync", "movies", "--from", "sample")
    #expect(
      try await home.call("search", "--feed", "movies", "superman").errors.contains("TMDB_API_KEY"))
    let status = try await home.callDocument("status")
    let movies = try #require(
      (status["feeds"] as? [[String: Any]])?.first { $0["name"] as? String == "movies" })
    #expect((movies["last_run"] as? [String: Any])?["outcome"] as? String == "updated")
    #expect(movies["failures"] as? Int == 0)
  }
}
