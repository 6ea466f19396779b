import Foundation
import OffersTestSupport
import Testing

@Suite("Prices, bylines and nouns on the command line")
struct PriceListTests {
  /// Creates a home with a shop of prices, with albums, and with the cash back of the sample.
  private static func home(price: String = "$5.00", includesSample: Bool = true) async throws
    -> Home
  {
    let home = try Home()
    try home.folder.write(
      """
      feeds:
        shop:
          noun: product
          source: \(home.folder.file("shop.json"))
          id: id
          currency: USD
          fields: {name: title, price: price}
        records:
          noun: album
          byline: Artist
          source: \(home.folder.file("records.json"))
          id: id
          fields: {name: title}
          attributes: {Artist: by}
      """, to: ".config/offers/feeds.yaml")
    try write(price, to: home)
    try home.folder.write(
      #"[{"id":"1","title":"Rise","by":"Skillet"},{"id":"2","title":"Fall"}]"#,
      to: "records.json")
    for feed in ["shop", "records"] + (includesSample ? ["ibotta"] : []) {
      let result = try await home.call("sync", "--quiet", feed)
      guard result.status == 0 else { throw Home.Unexpected(result.errors) }
    }
    return home
  }

  private static func write(_ price: String, to home: Home) throws {
    try home.folder.write(
      """
      [{"id":"1","title":"Rug","price":"\(price)"},{"id":"2","title":"Cup","price":"$3.00"}]
      """, to: "shop.json")
  }

  @Test("amounts without a currency are sorted and filtered, and a later currency makes no news")
  func currencyLater() async throws {
    let home = try Home()
    try home.folder.write(
      #"[{"id":"1","title":"Rug","price":"21.90"},{"id":"2","title":"Cup","price":9.9}]"#,
      to: "shop.json")
    try await home.expect(
      "feeds", "add", "shop", home.folder.file("shop.json"),
      says: ["offers feeds set shop --currency USD"])
    let sorted = try await home.call(
      "list", "--sort", "price", "--columns", "ref", "--format", "tsv")
    #expect(sorted.output == "ref\nshop:2\nshop:1\n")
    for (price, refs) in [("20", ["shop:2"]), ("9,90", ["shop:2"]), ("20 USD", []), ("9.89", [])] {
      let found = try await home.call(
        "list", "--price-at-most", price, "--columns", "ref", "--format", "tsv")
      #expect(found.output.split(separator: "\n").dropFirst().map(String.init) == refs, "\(price)")
    }
    let json = try await home.call("show", "shop:2", "--json").output
    #expect(json.contains(#""kind":"amount","minor_units":990,"currency":null"#))
    #expect(
      try await home.call("feeds", "check", "shop").output.contains(
        "2 amounts without a currency. Set it with: offers feeds set shop --currency USD"))
    #expect(
      try await home.call("feeds", "set", "shop", "--currency", "USD").output
        == "shop: amounts in USD\n")
    #expect(try await home.call("sync", "shop", "--news").output == "")
    #expect(
      try await home.call("show", "shop:2", "--json").output.contains(
        #""minor_units":990,"currency":"USD""#))
    #expect(try await !home.call("changes").output.contains("Cup"))
    #expect(
      try await home.call("feeds", "set", "shop", "--currency", "USD").output
        == "shop: amounts in USD, as before\n")
    let refused = try await home.call("feeds", "set", "shop", "--currency", "usd")
    #expect(refused.status != 0)
    #expect(refused.errors.contains("Did you mean USD?"))
    #expect(try await home.call("feeds", "set", "shop").status != 0)
    try await home.expect("feeds", "remove", "shop")
    #expect(try await home.store.open().fetchDefinitions() == [])
  }

  @Test("a list of prices has a column for them, and a mixed one says which values are prices")
  func columns() async throws {
    let home = try await Self.home()
    let shop = try await home.call("list", "--feed", "shop").output
    #expect(
      shop == """
           ID      PRICE  NAME
           shop:1  $5.00  Rug
           shop:2  $3.00  Cup

        """)
    let mixed = try await home.call("list", "--sort", "price", "--limit", "5").output
    #expect(mixed.contains("VALUE"))
    #expect(mixed.contains("price $3.00"))
    #expect(mixed.contains("ibotta:"))
    let csv = try await home.call(
      "list", "--feed", "shop", "--format", "csv", "--columns", "id,price,reward_role"
    ).output
    #expect(csv == "id,reward,reward_role\r\n1,$5.00,price\r\n2,$3.00,price\r\n")
    #expect(try await home.call("search", "rug").output.contains("PRICE"))
    #expect(
      try await home.call("changes", "--feed", "shop").output.contains("2 products, first sync"))
    let offer = try await home.callDocument("show", "shop:1")
    #expect((offer["reward"] as? [String: Any])?["role"] as? String == "price")
    let card = try await home.call("show", "shop:1").output
    #expect(card.hasPrefix("Price $5.00\nRug\n"))
    #expect(try await home.call("history", "shop:1").output.contains("The price has not changed"))
  }

  @Test("rewards and prices are filtered separately, and a note names the other filter")
  func filters() async throws {
    let home = try await Self.home()
    func ids(_ words: String...) async throws -> [String] { try await home.column("ref", words) }
    #expect(try await ids("--price-at-most", "4") == ["shop:2"])
    #expect(try await ids("--price-at-most", "$5.00") == ["shop:1", "shop:2"])
    #expect(try await !ids("--reward-at-least", "3").contains { $0.hasPrefix("shop:") })
    #expect(try await ids("--sort", "price", "--limit", "2") == ["shop:2", "shop:1"])
    let wrong = try await home.call("list", "--feed", "shop", "--reward-at-least", "3")
    #expect(wrong.errors.contains("--price-at-most"))
    let none = try await home.call("list", "--feed", "ibotta", "--price-at-most", "3")
    #expect(none.errors.contains("--reward-at-least"))
    try await home.expect(
      "list", "--price-at-most", "5%", status: 64, says: ["“5%” is not a price."])
  }

  @Test("the byline follows the name, and a list without values has no column for them")
  func bylines() async throws {
    let home = try await Self.home()
    let list = try await home.call("list", "--feed", "records").output
    #expect(
      list == """
           ID         NAME
           records:1  Rise – Skillet
           records:2  Fall

        """)
    #expect(try await home.call("search", "rise").output.contains("Rise – Skillet"))
    #expect(try await home.call("show", "records:1").output.hasPrefix("Rise\nSkillet\n"))
    let chosen = try await home.call("list", "--feed", "records", "--columns", "name").output
    #expect(chosen == "NAME\nRise\nFall\n")
  }

  @Test("counts say what is counted")
  func nouns() async throws {
    let home = try await Self.home(includesSample: false)
    #expect(
      try await home.call("list", "--feed", "records", "--limit", "1").errors == "1 of 2 albums\n")
    #expect(
      try await home.call("list", "--feed", "shop", "--page", "2", "--limit", "1").errors
        == "2–2 of 2 products\n")
    #expect(try await home.call("list", "--limit", "1").errors == "1 of 4 offers\n")
    #expect(try await home.call("doctor").output.contains("2 albums, "))
  }

  @Test("a price that falls is good news, and the news name it as a price")
  func changes() async throws {
    let home = try await Self.home()
    try await home.call("favorite", "shop:1")
    try await home.call("sync", "--news")
    try Self.write("$4.00", to: home)
    #expect(
      try await home.call("sync", "shop", "--news").output
        == "★ price down: Rug, $5.00 → $4.00 (shop:1)\n")
    let colored = try home.shell("offers changes --kind down").output
    #expect(colored.contains("$5.00 → $4.00"))
    guard PseudoTerminal.isPresent else { return }
    let shown = try PseudoTerminal.run(
      ["changes", "--kind", "down", "--no-pager"], in: home, variables: ["NO_COLOR": ""])
    #expect(shown.contains("\u{1B}[32m"))
  }

  @Test(
    "a plain sync on a terminal names the favorites that changed before the counts",
    .enabled(if: PseudoTerminal.isPresent))
  func namesFavorites() async throws {
    func feed(_ items: [FeedItem], in home: Home) throws { _ = try home.feed(items) }
    let home = try await Home(synced: [
      FeedItem("1", "Tea", "$1.00"), FeedItem("2", "Jam", "$2.00"), FeedItem("3", "Soap", "$1.00"),
      FeedItem("4", "Rice", "$1.00"),
    ])
    try await home.call("favorite", "1", "2", "3")
    #expect(try !PseudoTerminal.run(["sync"], in: home).contains("★"))
    try feed(
      [FeedItem("1", "Tea", "$1.50"), FeedItem("2", "Jam", "$1.00"), FeedItem("4", "Rice", "$9")],
      in: home)
    // A slow sync shows its progress, which is erased before the first line.
    let lines = try PseudoTerminal.run(["sync"], in: home)
      .replacing(/[^\n]*\u{1B}\[K/, with: "").split(separator: "\n")
    #expect(lines.contains("★ up: Tea, $1.00 → $1.50 (ibotta:1)"))
    #expect(lines.contains("★ down: Jam, $2.00 → $1.00 (ibotta:2)"))
    #expect(lines.contains("★ gone: Soap (ibotta:3)"))
    #expect(!lines.contains { $0.contains("Rice") })
    #expect(lines.last?.hasPrefix("ibotta: 0 new, 3 changed, 1 gone") == true)
    try feed([FeedItem("3", "Soap", "$1.00"), FeedItem("1", "Tea", "$1.50")], in: home)
    let piped = try await home.call("sync").output
    #expect(!piped.contains("★"))
  }

  @Test(
    "a plain sync on a terminal names no expired favorites", .enabled(if: PseudoTerminal.isPresent))
  func namesNoExpiredFavorites() async throws {
    let home = try Home()
    let folder = home.folder
    let definitions = try home.define(
      "shop", from: folder.file("shop.json"),
      "currency: USD, fields: {name: title, reward: pays, expires: until}")
    func feed(_ pays: String) throws {
      try folder.write(
        """
        [{"id":"1","title":"Tea","pays":"\(pays)","until":"2020-01-01"},
         {"id":"2","title":"Jam","pays":"\(pays)"}]
        """, to: "shop.json")
    }
    try feed("$1.00")
    let words = ["sync", "shop", "--config", definitions]
    _ = try PseudoTerminal.run(words, in: home)
    try await home.call("favorite", "1", "2")
    try feed("$2.00")
    let shown = try PseudoTerminal.run(words, in: home)
    #expect(shown.contains("★ up: Jam, $1.00 → $2.00 (shop:2)"))
    #expect(!shown.contains("Tea"))
  }
}
