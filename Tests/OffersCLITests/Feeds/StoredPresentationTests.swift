import Foundation
import OffersTestSupport
import Testing

@Suite("Feeds whose definitions are elsewhere, on the command line")
struct StoredPresentationTests {
  /// Creates a home that has synced a shop of prices, and books with a byline, whose definitions are in
  /// a file that only `--config` names.
  private static func home() async throws -> Home {
    let home = try Home()
    try home.folder.write(definitions(noun: "product", home), to: "elsewhere.yaml")
    try write("$25.00", to: home)
    try home.folder.write(
      #"[{"id":"1","title":"Rise","by":"Skillet"},{"id":"2","title":"Fall"}]"#, to: "books.json")
    let synced = try await home.call(
      "sync", "shop", "books", "--quiet", "--config", home.folder.file("elsewhere.yaml"))
    guard synced.status == 0 else { throw Home.Unexpected(synced.errors) }
    return home
  }

  private static func write(_ price: String, to home: Home) throws {
    try home.folder.write(
      #"[{"id":"1","title":"Rug","price":"\#(price)"},{"id":"2","title":"Cup","price":"$3.00"}]"#,
      to: "shop.json")
  }

  private static func definitions(noun: String, _ home: Home) -> String {
    """
    feeds:
      shop:
        noun: \(noun)
        source: \(home.folder.file("shop.json"))
        id: id
        currency: USD
        fields: {name: title, price: price}
      books:
        noun: book
        byline: Author
        source: \(home.folder.file("books.json"))
        id: id
        fields: {name: title}
        attributes: {Author: by}
    """
  }

  /// Checks all that shows what the values of the shop are.
  private static func checkPrices(in home: Home) async throws {
    #expect(
      try await home.call("list", "--price-at-most", "20").output == """
           ID      PRICE  NAME
           shop:2  $3.00  Cup

        """)
    let sorted = try await home.call(
      "list", "--sort", "price", "--feed", "shop", "--columns", "ref,reward_role", "--format", "tsv"
    )
    #expect(sorted.output == "ref\treward_role\nshop:2\tprice\nshop:1\tprice\n")
    #expect(
      try await home.call("list", "--feed", "shop", "--limit", "1").errors == "1 of 2 products\n")
    #expect(try await home.call("list", "--feed", "books").output.contains("Rise – Skillet"))
    for words in [["list"], ["search", "rug"], ["show", "shop:1"], ["history", "shop:1"]] {
      let json = try await home.call(words + ["--json"])
      #expect(json.output.contains(#""reward":{"role":"price""#), "\(words)")
    }
    #expect(try await home.call("show", "shop:1").output.hasPrefix("Price $25.00\nRug\n"))
    #expect(try await home.call("history", "shop:1").output.contains("The price has not changed"))
    #expect(
      try await home.call("changes", "--feed", "shop").output.contains("2 products, first sync"))
  }

  @Test("a price stays a price, and nouns and bylines stay, without the definitions")
  func staysPrice() async throws {
    let home = try await Self.home()
    try await Self.checkPrices(in: home)
    try await home.expect("household", "add", "shop:1")
    #expect(try await home.call("household", "list").output.contains("PRICE"))
  }

  @Test("they do so in a database that imports an export")
  func travels() async throws {
    let home = try await Self.home()
    let document = try home.folder.write(try await home.call("export").output, to: "kept.json")
    let other = try Home()
    try await other.expect("import", document, "--accept-sources")
    try await Self.checkPrices(in: other)
    // The words of a definition at hand take precedence.
    try other.folder.write(Self.definitions(noun: "ware", home), to: "mine.yaml")
    let mine = other.folder.file("mine.yaml")
    #expect(
      try await other.call("list", "--feed", "shop", "--limit", "1", "--config", mine).errors
        == "1 of 2 wares\n")
    #expect(
      try await other.call("changes", "--feed", "shop", "--config", mine).output
        .contains("2 wares, first sync"))
    for words in [["history", "shop:1"], ["household", "list"]] {
      let status = try await other.call(words + ["--config", mine]).status
      #expect(status == 0, "\(words)")
    }
  }

  @Test("a feed that is named like a shipped one stays what its own definition made of it")
  func overridesShipped() async throws {
    let home = try Home()
    try Self.write("$25.00", to: home)
    let yaml = Self.definitions(noun: "product", home).replacing("shop:", with: "ibotta:")
    try home.folder.write(yaml, to: "elsewhere.yaml")
    try await home.call("sync", "ibotta", "--config", home.folder.file("elsewhere.yaml"))
    let list = try await home.call("list", "--price-at-most", "20", "--limit", "1")
    #expect(list.output.contains("PRICE") && list.output.contains("ibotta:2"))
    #expect(try await home.call("list", "--limit", "1").errors == "1 of 2 products\n")
  }

  @Test("a sync of the document that is stored keeps what the definition says now")
  func follows() async throws {
    let home = try await Self.home()
    try home.folder.write(Self.definitions(noun: "ware", home), to: "elsewhere.yaml")
    let synced = try await home.call(
      "sync", "shop", "--config", home.folder.file("elsewhere.yaml"))
    #expect(synced.output.contains(" 2 unchanged"))
    #expect(
      try await home.call("list", "--feed", "shop", "--limit", "1").errors == "1 of 2 wares\n")
  }

  @Test("a script learns by --exit-status that a list is empty, and which feed is not synced")
  func exitStatus() async throws {
    let home = try await Self.home()
    for (words, status) in [
      (["list", "--feed", "shop"], 0), (["list", "--price-at-most", "1"], 66),
      (["list", "--price-at-most", "1", "--json"], 66), (["changes"], 0),
      (["changes", "--kind", "gone"], 66), (["search", "rug"], 0), (["search", "tea"], 66),
    ] as [([String], Int32)] {
      let result = try await home.call(words + ["--exit-status"])
      #expect(result.status == status, "\(words)")
    }
    for command in ["list", "changes"] {
      try await home.expect(
        command, "--feed", "facts", status: 66, says: ["Sync it: offers sync facts"])
    }
  }
}
