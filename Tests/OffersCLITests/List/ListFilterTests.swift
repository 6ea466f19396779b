import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("offers list: filters, orders and pages")
struct ListFilterTests {
  /// Creates a home whose offers have values for every filter and order. Three of them expire: in a
  /// day, in a week and in a year.
  static func home() async throws -> Home {
    let home = try Home()
    func day(_ days: Double) -> String {
      (Date() + days * 86_400).formatted(.iso8601)
    }
    let offers = """
      [{"id":"1","title":"Äpple Juice 10 oz.","pays":"$1.50","shop":"Wal-Mart®","tags":["Food","Drinks"],
        "until":"\(day(1))","page":"https://shop.example/1"},
       {"id":"2","title":"apple Juice 2 oz.","pays":"5%","shop":"Target","tags":["Drinks"],
        "until":"\(day(7))","page":"https://shop.example/2?a=b&c='d e'"},
       {"id":"3","title":"Zwieback","pays":"$3.00","shop":"Target","until":"\(day(365))"},
       {"id":"4","title":"Tea | Milk, \\"both\\"","pays":"8%","text":"One\\ntwo\\tthree"},
       {"id":"5","title":"Bread","page":"javascript:alert(1)"}]
      """
    let definitions = try home.define(
      "shop", from: home.folder.write(offers, to: "shop.json"),
      """
      currency: USD, fields: {name: title, reward: pays, link: page, retailer: shop, \
      categories: "tags[*]", expires: until, description: text}
      """)
    try await home.expect("sync", "shop", "--config", definitions)
    return home
  }

  @Test("each filter and each order selects the expected offers")
  func filtersAndOrders() async throws {
    let home = try await Self.home()
    try await home.expect("favorite", "3")
    let cases: [([String], [String])] = [
      ([], ["1", "2", "3", "4", "5"]), (["--feed", "shop", "--limit", "1"], ["1"]),
      (["--favorites"], ["3"]), (["--retailer", "TARGET"], ["2", "3"]),
      (["--retailer", "wal-mart"], ["1"]), (["--category", "drinks"], ["1", "2"]),
      (["--reward-at-least", "1.50"], ["1", "3"]), (["--reward-at-least", "$1.51"], ["3"]),
      (["--reward-at-least", "1.50 EUR"], []), (["--reward-at-least", "5%"], ["2", "4"]),
      (["--reward-at-least", "5.01%"], ["4"]), (["--new-since", "1d"], ["1", "2", "3", "4", "5"]),
      (["--new-since", "2090-01-01"], []), (["--expiring", "48h"], ["1"]),
      (["--expiring", "2w"], ["1", "2"]), (["--gone"], []),
      (["--sort", "reward"], ["3", "1", "4", "2", "5"]),
      (["--sort", "reward", "--reverse"], ["1", "3", "2", "4", "5"]),
      (["--sort", "name"], ["2", "1", "5", "4", "3"]),
      (["--sort", "newest"], ["1", "2", "3", "4", "5"]),
      (["--sort", "expiry"], ["1", "2", "3", "4", "5"]),
      (["--sort", "expiry", "--reverse"], ["3", "2", "1", "5", "4"]),
      (["--sort", "feed", "--reverse"], ["5", "4", "3", "2", "1"]),
      (["--limit", "2", "--page", "2"], ["3", "4"]), (["--page", "1"], ["1", "2", "3", "4", "5"]),
      (["--sort", "name", "--limit", "3", "--page", "2"], ["4", "3"]),
    ]
    for (words, ids) in cases { #expect(try await home.column("id", words) == ids, "\(words)") }
  }

  @Test("words and filters as one text, as arguments and as options select the same")
  func words() async throws {
    let home = try await Self.home()
    try await home.expect("favorite", "3")
    let cases: [([String], [String])] = [
      (["juice"], ["1", "2"]), (["juice -äpple"], []), (["juice", "-10"], ["1"]),
      (["juice", "-\"10 oz\""], ["2"]), (["\"juice 2\""], ["2"]),
      (["zwieback OR bre"], ["3", "5"]),
      (["reward:>=1.50"], ["1", "3"]), (["reward:>=1.50 reward:<=2"], ["1"]),
      (["--reward-at-least", "1.50", "--reward-at-most", "2"], ["1"]),
      (["juice", "retailer:Target", "--category", "drinks"], ["2"]),
      (["retailer:Target", "retailer:Wal-Mart"], ["1", "2", "3"]),
      (["--retailer", "Target", "--retailer", "Wal-Mart", "--not-category", "Food"], ["2", "3"]),
      (["-retailer:Target"], ["1", "4", "5"]), (["-category:Drinks"], ["3", "4", "5"]),
      (["is:favorite"], ["3"]), (["ending:48h"], ["1"]), (["juice sort:name"], ["2", "1"]),
      (["sort:-name juice"], ["1", "2"]), (["--", "--juice"], ["1", "2"]), (["!!!"], []),
    ]
    for (words, ids) in cases { #expect(try await home.column("id", words) == ids, "\(words)") }
    let found = try await home.objects("offers", "search", "juice reward:>=1.50")
    #expect(found.map { $0["id"] as? String } == ["1"])
    let others = try await home.objects(
      "offers", "search", "retailer:Target", "juice", "--category", "Drinks")
    #expect(others.map { $0["id"] as? String } == ["2"])
  }

  @Test("a mistyped filter is refused with its place, and the total is by currency")
  func mistakeAndTotal() async throws {
    let home = try await Self.home()
    let refused = try await home.call("list", "juice", "rewrd:>=2")
    #expect(refused.status != 0 && refused.output == "")
    #expect(refused.errors.contains("“rewrd:>=2” at character 7 is not a filter."))
    #expect(refused.errors.contains("Did you mean reward:?"))
    #expect(
      try await home.call("list", "--total").errors
        == "5 offers: $4.50 in rewards, 3 without an amount\n")
    let answer = try await home.call("list", "--total", "--json", "juice")
    #expect(answer.output.contains(#""currency":"USD","minor_units":150,"offers":1"#))
    let sorted = try await home.call("search", "juice sort:name")
    #expect(sorted.status != 0 && sorted.errors.contains("A search has the best matches first."))
  }

  @Test(
    "expired offers are marked and left out, except among favorites and on demand", .aboutFile)
  func expired() async throws {
    let home = try await Self.home()
    // Offer 1 expires in a day and offer 2 in a week: two weeks earlier, both have expired.
    let sql = "UPDATE offer SET expires_at = expires_at - 14 * 86400"
    #expect(try home.shell("sqlite3 \"$OFFERS_DATABASE\" '\(sql)'").status == 0)
    #expect(try await home.column("id", []) == ["3", "4", "5"])
    let leftOut = "2 expired offers left out (--expired lists them, too)\n"
    #expect(try await home.call("list").errors == leftOut)
    #expect(try await home.call("list", "--limit", "2").errors == "2 of 3 offers; " + leftOut)
    #expect(try await home.call("list", "--format", "csv").errors == "")
    #expect(try await home.call("list", "--expired").errors == "")
    #expect(try await home.column("id", ["--expired"]) == ["3", "4", "5", "1", "2"])
    #expect(
      try await home.column("id", ["--expired", "--sort", "name"]) == ["5", "4", "3", "2", "1"])
    try await home.call("favorite", "1")
    #expect(try await home.call("list", "--favorites").output.contains("expired: Äpple Juice"))
    let only = try await home.call("list", "--retailer", "Wal-Mart")
    #expect(only.output == "")
    #expect(
      only.errors
        == "The only matching offer has expired. To see what has expired, add --expired.\n")
    let shown = try await home.call("show", "1").output
    #expect(shown.contains("★ $1.50 (expired)\n") && shown.contains("\nExpired on  "))
    #expect(try await home.callDocument("show", "1")["expired"] as? Bool == true)
    #expect(try await home.callDocument("show", "3")["expired"] as? Bool == false)
    #expect(try await home.call("search", "juice").errors.contains("Nothing found"))
    let found = try await home.call("search", "juice", "--expired").output
    #expect(found.contains("expired: apple Juice 2 oz."))
    #expect(try await home.call("search", "juice", "--favorites").output.contains("expired: Äpple"))
  }

  @Test("an empty list says where the offers are that left their feed")
  func allGone() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    _ = try home.feed([])
    try await home.call("sync", "--accept-removals")
    let gone = "All 2 offers are gone. See them: offers list --gone"
    #expect(try await home.call("list").errors == gone + "\n")
    #expect(try await home.call("list", "--feed", "ibotta").errors == gone + " --feed ibotta\n")
    #expect(try await home.call("list", "--gone").output.contains("Jam"))
  }

  @Test("list --gone lists offers that left their feed, with the time they left")
  func gone() async throws {
    let home = try await Home(synced: (1...3).map { FeedItem("\($0)", "Tea \($0)") })
    _ = try home.feed([FeedItem("1", "Tea 1"), FeedItem("3", "Tea 3")])
    try await home.expect("sync")
    #expect(
      home.stable(try await home.call("list", "--gone").output) == """
           ID        REWARD           GONE AT           NAME
           ibotta:2  $1.00 Cash Back  TIME  Tea 2

        """)
    #expect(try await home.call("list", "--gone", "--favorites").output == "")
  }

  @Test("a page prints its range and the total; a page past the end, the number of pages")
  func pageNotes() async throws {
    let home = try await Home(synced: (1...120).map { FeedItem("\($0)", "Tea \($0)") })
    func note(_ words: String...) async throws -> String {
      try await home.call(["list"] + words).errors
    }
    #expect(try await note("--page", "2") == "51–100 of 120 offers\n")
    #expect(try await note("--page", "3", "--sort", "reward") == "101–120 of 120 offers\n")
    #expect(try await note("--page", "4") == "120 offers make 3 pages of 50.\n")
    #expect(try await note("--limit", "120", "--page", "1") == "")
    #expect(try await note("--limit", "7", "--reward-at-least", "1") == "7 of 120 offers\n")
    #expect(
      try await note("--page", "2", "--reward-at-least", "9")
        == "No offer matches the filters. See all offers: offers list\n")
  }

  @Test(
    "an invalid value is refused with the accepted ones",
    arguments: [
      (
        ["--sort", "rewrd"], "There is no order “rewrd”.",
        "Did you mean reward? Orders: feed, reward,"
      ),
      (
        ["--format", "jsonl"], "There is no format “jsonl”.",
        "Did you mean json? Formats: table, json,"
      ),
      (
        ["--columns", "ref,nmae"], "There is no column “nmae”.", "Did you mean name? Columns: ref,"
      ),
      (
        ["--columns", "expires"], "There is no column “expires”.",
        "Did you mean expired? Columns:"
      ),
      (["--columns", ""], "There is no column “”.", "Columns: ref,"),
      (["--columns", "name,NAME"], "The column name is listed twice.", "List each column once."),
      (["--reward-at-least", "much"], "“much” is not a reward.", "Write 1.50 for any currency"),
      (["--reward-at-least", "Up to 5%"], "“Up to 5%” is not a reward.", "Write 1.50"),
      (["--reward-at-least", "1,500.00.1"], "“1,500.00.1” is not a reward.", "Write 1.50"),
      (
        ["--new-since", "last"], "“last” is not a time.",
        "Write 30m, 12h, 7d or 2w, today, a day as"
      ),
      (["--expiring", "2026-11-01"], "“2026-11-01” is not a duration.", "Write 30m"),
      (["--page", "9223372036854775807"], "There is no page 9223372036854775807.", "from 1."),
    ])
  func refusals(words: [String], message: String, hint: String) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.expect(["list"] + words, status: 64, says: [hint], output: "")
    #expect(result.errors.hasPrefix("offers: \(message)\n"), "\(result.errors)")
  }

  @Test("wrong usage is reported before anything is read")
  func usage() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    for words in [["--page", "0"], ["--limit", "0"], ["--json", "--format", "csv"]] {
      try await home.expect(["list"] + words, status: 64, output: "")
    }
    try await home.expect("list", "--json", "--format", "json")
  }

  @Test("a misspelt retailer, category or feed gets a suggestion instead of an empty list")
  func misspelt() async throws {
    let home = try await Self.home()
    #expect(
      try await home.call("list", "--retailer", "walmart").errors
        == "No offer has the retailer “walmart”. Did you mean Wal-Mart®? There are: Target, Wal-Mart®.\n"
    )
    #expect(
      try await home.call("list", "--category", "drink", "--json").errors
        == "No offer has the category “drink”. Did you mean Drinks? There are: Drinks, Food.\n")
    let both = try await home.expect("list", "--retailer", "target", "--category", "food")
    #expect(both.errors == "No offer matches the filters. See all offers: offers list\n")
    try await home.expect(
      "list", "--feed", "shp", status: 66, says: ["Did you mean shop? Feeds: shop."])
    let plain = try await Home(synced: [FeedItem("1", "Tea")])
    #expect(
      try await plain.call("list", "--retailer", "\u{1B}c").errors == "No offer has a retailer.\n")
  }
}
