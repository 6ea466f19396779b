import Foundation
import OffersSQLite
import TestStores
import Testing

@Suite("offers list, show, favorite and status")
struct ReadingCommandsTests {
  private static let items = [
    FeedItem(
      "110579", "Sunrise® Tea", "$0.75 Cash Back", description: "20 bags",
      terms: "Buy one box.\n\nOne a household.", image: "https://e.com/1.png"),
    FeedItem("110580", "Any Brand Milk", "Up to 2.5% back"),
    FeedItem("110581", "Jam", nil),
    FeedItem("a:b", "Odd id", "Free after offer"),
  ]

  @Test("A list shows the offers in the feed's order, with stars, and truncates nothing when piped")
  func list() async throws {
    let home = try await Home(synced: Self.items)
    try await home.expect("favorite", "110580")
    let result = try await home.call("list")
    #expect(
      result.output == """
           ID             REWARD            NAME
           ibotta:110579  $0.75 Cash Back   Sunrise® Tea
        ★  ibotta:110580  Up to 2.5% back   Any Brand Milk
           ibotta:110581  –                 Jam
           ibotta:a:b     Free after offer  Odd id

        """)
    #expect(result.errors == "")
  }

  @Test("A limited list shows the first offers and prints the total to standard error")
  func limit() async throws {
    let home = try await Home(synced: Self.items)
    let result = try await home.call("list", "--limit", "2")
    #expect(result.output.split(separator: "\n").count == 3)
    #expect(result.errors == "2 of 4 offers\n")
    #expect(try await home.call("list", "--limit", "4").errors == "")
  }

  @Test("A list that spans several database pages shows each offer once, in order")
  func manyPages() async throws {
    let home = try await Home(synced: (1...1203).map { FeedItem("\($0)", "Offer \($0)") })
    let names = try await home.call("list").output.split(separator: "\n").dropFirst().map {
      $0.drop { $0 != "O" }
    }
    #expect(names == (1...1203).map { "Offer \($0)" })
    let limited = try await home.callDocument("list", "--limit", "1001")
    #expect((limited["offers"] as? [Any])?.count == 1001)
  }

  @Test("A favorite that left its feed is still listed and shown, marked as gone")
  func goneFavorite() async throws {
    let home = try await Home(synced: Self.items)
    try await home.expect("favorite", "110581")
    _ = try home.feed([Self.items[0], Self.items[1], Self.items[3]])
    try await home.expect("sync")
    #expect(
      try await home.call("list", "--favorites").output == """
           ID             NAME
        ★  ibotta:110581  gone: Jam

        """)
    #expect(!(try await home.call("list").output.contains("Jam")))
    #expect(
      home.stable(try await home.call("show", "110581").output) == """
        ★ (gone)
        Jam

        ID          ibotta:110581
        First seen  TIME
        Gone since  TIME

        """)
    #expect(
      try await home.call("favorite", "110581").output
        == "★ ibotta:110581  Jam (gone from its feed) (was already a favorite)\n")
  }

  @Test("show prints a card with the offer's terms, for an id with or without its feed")
  func card() async throws {
    let home = try await Home(synced: Self.items)
    let card = """
      $0.75 Cash Back
      Sunrise® Tea
      20 bags

      Terms
        Buy one box.

        One a household.

      ID          ibotta:110579
      Image       https://e.com/1.png
      First seen  TIME

      """
    #expect(home.stable(try await home.call("show", "110579").output) == card)
    #expect(home.stable(try await home.call("show", "ibotta:110579").output) == card)
    #expect(try await home.call("show", "a:b").output.contains("Odd id"))
    #expect(try await home.call("show", "ibotta:a:b").output.contains("Odd id"))
  }

  @Test("Categories that are an attribute as well are shown once, with its label")
  func categories() async throws {
    let home = try Home()
    try await home.call("sync", "albums", "--quiet", "--from", "sample")
    let shown = try await home.call("show", "albums:8800001200").output
    #expect(shown.contains("\nGenre       Singer/Songwriter, Music\n"))
    #expect(!shown.contains("\nCategory"))
    #expect(shown.components(separatedBy: "Singer/Songwriter").count == 2)
  }

  @Test("A label that is longer than its column has a line of its own")
  func longLabels() async throws {
    let home = try Home()
    let path = try home.folder.write(
      "id;name;date of the last modification here;unit\n1;Tea;May;kg\n2;Jam;June;g\n", to: "a.csv")
    try await home.call("feeds", "add", "tea", path, "--yes")
    let shown = try await home.call("show", "tea:1").output
    #expect(
      shown.contains(
        "\nDate of the last modification here\n\(String(repeating: " ", count: 26))May\n"),
      "\(shown)")
    #expect(shown.contains("\nUnit\(String(repeating: " ", count: 22))kg\n"))
  }

  @Test("The JSON of an offer has every key, null for missing values, and exact amounts")
  func offerDocument() async throws {
    let home = try await Home(synced: Self.items)
    #expect(
      home.stable(try await home.call("show", "110580", "--json").output)
        == #"{"ref":"ibotta:110580","feed":"ibotta","id":"110580","name":"Any Brand Milk","#
        + #""description":null,"terms":null,"reward":{"role":"reward","text":"Up to 2.5% back","#
        + #""kind":"percent","minor_units":null,"currency":null,"percent":2.5,"up_to":true},"image_url":null,"#
        + #""url":null,"favorite":false,"state":"current","expired":false,"first_seen_at":"TIME","#
        + #""changed_at":"TIME","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"#
        + #""expires_at":null,"latitude":null,"longitude":null,"attributes":[]}"# + "\n")
    let offer = try await home.callDocument("show", "110579")
    let reward = try #require(offer["reward"] as? [String: Any])
    #expect(
      Set(reward.keys) == [
        "role", "text", "kind", "minor_units", "currency", "percent", "up_to",
      ])
    #expect(reward["minor_units"] as? Int == 75)
    #expect(reward["currency"] as? String == "USD")
    #expect(try await home.callDocument("show", "110581")["reward"] is NSNull)
    let listed = try await home.objects("offers", "list")
    #expect(listed.map { $0["id"] as? String } == ["110579", "110580", "110581", "a:b"])
    for document in listed + [offer] {
      #expect(
        Set(document.keys) == [
          "ref", "feed", "id", "name", "description", "terms", "reward", "image_url", "url",
          "favorite", "state", "expired", "first_seen_at", "changed_at", "gone_at", "retailer",
          "categories",
          "starts_at", "expires_at", "latitude", "longitude", "attributes",
        ])
    }
  }

  @Test("favorite reports what changed, also for repeated calls, and --remove removes the star")
  func favorite() async throws {
    let home = try await Home(synced: Self.items)
    #expect(
      try await home.call("favorite", "110579", "ibotta:110581").output
        == "★ ibotta:110579  Sunrise® Tea\n★ ibotta:110581  Jam\n")
    #expect(
      try await home.call("favorite", "110579").output
        == "★ ibotta:110579  Sunrise® Tea (was already a favorite)\n")
    #expect(
      try await home.call("favorite", "--remove", "110579", "--json").output
        == #"{"favorites":[{"ref":"ibotta:110579","favorite":false,"changed":true}]}"# + "\n")
    #expect(
      try await home.call("favorite", "--remove", "110579", "110581").output
        == "☆ ibotta:110579  Sunrise® Tea (was not a favorite)\n☆ ibotta:110581  Jam\n")
    #expect(try await home.call("list", "--favorites").output == "")
  }

  @Test("When one of several offers is unknown, none is starred")
  func favoriteOfUnknown() async throws {
    let home = try await Home(synced: Self.items)
    let result = try await home.expect("favorite", "110579", "999", status: 66, output: "")
    #expect(
      result.errors == """
        offers: There is no offer “999”.
                See what there is: offers list

        """)
    #expect(try await home.call("list", "--favorites").output == "")
  }

  @Test("status shows the database, each feed, and why the last sync failed")
  func status() async throws {
    let home = try await Home(synced: Self.items)
    try await home.expect("favorite", "110579")
    try home.folder.write("<html>", to: "feed.json")
    try await home.expect("sync", status: 1)
    // The doctor warns of a version of SQLite.
    let status = try await home.call("status", "--verbose").output
    #expect(!status.contains("WAL-reset"))
    let short = status.split(separator: "\n", omittingEmptySubsequences: false).filter {
      !$0.hasPrefix("History") && !$0.hasPrefix("Engine")
    }
    #expect(try await home.call("status").output == short.joined(separator: "\n"))
    let place =
      TestStore.isFile
      ? "HOME/offers.sqlite (SIZE)"
      : home.database.replacing("postgres://offers@", with: "postgres://")
    let engine =
      TestStore.isFile
      ? "Engine    SQLite VERSION, writers take turns by a lock file"
      : "Engine    PostgreSQL VERSION, by libpq VERSION"
    #expect(
      home.stable(status) == """
        Database  \(place)
        Holds     4 offers, 1 favorite
        History   2 syncs; 4 changes in 1 record, about SIZE; at most 2,000,000 records or 1.0 GB are kept
        \(engine)

        FEED    OFFERS  GONE  STARRED  LAST SYNC        NEXT DUE          SOURCE
        ibotta       4     0        1  failed just now  TIME  HOME/feed.json

        ibotta: failed once since TIME
        ibotta: The document is a web page or XML (it begins with “<” at byte 0), not JSON. \
        Nothing was changed. Open the source in a browser: it may ask for a login.

        """)
  }

  @Test("status --json has the database and the feeds")
  func statusDocument() async throws {
    let home = try await Home(synced: Self.items)
    let document = try await home.callDocument("status")
    #expect(Set(document.keys) == ["database", "feeds", "former_feeds", "channels"])
    let database = try #require(document["database"] as? [String: Any])
    let engine = TestStore.isFile ? "sqlite" : "postgresql"
    #expect(
      Set(database.keys) == [
        "path", "bytes", "\(engine)_version", "\(engine)_warning", "offers", "favorites",
        "changes", "runs", "users", "logins", "history",
      ])
    let name = home.database.replacing("postgres://offers@", with: "postgres://")
    #expect(database["path"] as? String == name)
    let feed = try #require((document["feeds"] as? [[String: Any]])?.first)
    #expect(
      Set(feed.keys) == [
        "name", "defined", "source", "current", "gone", "favorites", "last_success_at",
        "last_run_at",
        "last_run", "next_due_at", "failures", "failing_since", "wait_until", "stopped_at",
        "held_back", "kept",
      ])
    #expect(feed["current"] as? Int == 4)
  }

  @Test("A closed pipe ends the program without an error message", arguments: ["", "--json"])
  func closedPipe(option: String) async throws {
    let home = try await Home(synced: (1...4000).map { FeedItem("\($0)", "Offer \($0)") })
    let result = try home.shell("offers list \(option) | head -c 100")
    #expect(result.output.utf8.count == 100)
    #expect(result.errors == "")
  }
}
