import OffersCore
import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Rewards and ends read from the text of offers")
struct TextValueTests {
  private static let coupons = """
    <rss version="2.0"><channel><title>Coupons</title><language>en-us</language>
    <item><guid>1</guid><title>$2.50 off Folgers Coffee (exp 12/05/2026)</title>
      <pubDate>Thu, 26 Nov 2026 10:00:00 GMT</pubDate></item>
    <item><guid>2</guid><title>Pizza</title><description>BOGO. Ends Sunday!</description>
      <pubDate>Thu, 26 Nov 2026 10:00:00 GMT</pubDate></item>
    <item><guid>3</guid><title>2% milk news</title></item></channel></rss>
    """

  @Test("coupons in RSS that say their reward and last day in words have both, and say where from")
  func readsCoupons() throws {
    let guess = try GuessReading(Self.coupons)
    #expect(guess.definition.presentation.valueRole == .reward)
    #expect(guess.all(.reward) == ["$2.50 off", "BOGO", nil])
    #expect(guess.all(.expiresAt) == ["1796515199", "1795996799", nil])
    let marks = guess.offers.map { $0[.attributes].map(OfferAttribute.parse) ?? [] }
    #expect(
      marks[0].suffix(2) == [
        OfferAttribute(label: "Reward from the text", value: "$2.50 off"),
        OfferAttribute(label: "End from the text", value: "exp 12/05/2026"),
      ])
    #expect(marks[1].last == OfferAttribute(label: "End from the text", value: "Ends Sunday"))
    #expect(marks[2].isEmpty)
  }

  private static func read(_ lines: String, _ record: String) throws -> YAMLReading {
    try YAMLReading(
      """
      id: id
      currency: USD
      \(lines)fields: {name: t, description: d, reward: r, expires: e}
      """, "[{\"id\":1,\(record)}]")
  }

  @Test("a field of the record comes before the text, and one that says none does, too")
  func prefersFields() throws {
    let text = #""t":"$5 off until 5 December 2026""#
    let own = try Self.read("", text + #","r":"$1","e":"2026-12-01""#)
    #expect(own.all(.reward) == ["$1"])
    #expect(own.all(.expiresAt) == ["1796169599"])
    #expect(own.all(.attributes) == [nil])
    #expect(try Self.read("", text + #","e":"9999-12-31""#).all(.expiresAt) == [nil])
    let missing = try Self.read("", text)
    #expect(missing.all(.reward) == ["$5 off"])
    #expect(missing.all(.expiresAt) == ["1796515199"])
  }

  @Test("a title that states several is not explained by the description")
  func leavesSeveral() throws {
    let reading = try Self.read("", #""t":"20% off or $5 off","d":"Save $3""#)
    #expect(reading.all(.reward) == [nil])
    #expect(try Self.read("", #""t":"Tea","d":"Save $3 on tea""#).all(.reward) == ["Save $3"])
  }

  @Test("one line of the definition switches it off, and survives writing")
  func switchesOff() throws {
    let reading = try Self.read("from-text: false\n", #""t":"$5 off until 5 December 2026""#)
    #expect(reading.all(.reward) == [nil])
    #expect(reading.all(.expiresAt) == [nil])
    let lines = "id: id\nfrom-text: price\nfields: {name: t}"
    let prices = try YAMLReading(lines, #"[{"id":1,"t":"Lamp, now $5"}]"#)
    #expect(prices.all(.reward) == ["$5"])
    let file = "feeds:\n  x:\n    " + lines.replacing("\n", with: "\n    ")
    let definition = try #require(try DefinitionFile.parse(file, name: "first.yaml").first)
    #expect(definition.presentation.valueRole == .price)
    let text = DefinitionText.yaml(for: definition)
    #expect(try DefinitionFile.parse(text, name: "again.yaml") == [definition])
  }

  @Test(
    "the shipped feeds without coupons read no text",
    arguments: [
      "albums", "chart", "facts", "ibotta", "movies", "restaurants", "shopify",
    ])
  func shippedFeeds(name: String) throws {
    #expect(try !FeedCatalog.definition(of: name).readsText)
  }

  @Test("news with few such texts are added without reading them")
  func leavesNews() throws {
    let items = (0..<20).map { number in
      let title = number == 3 ? "Save $3 on tea" : "News of day \(number)"
      return "{\"id\":\(number),\"title\":\"\(title)\"}"
    }
    #expect(try !GuessReading("[\(items.joined(separator: ","))]").definition.readsText)
  }
}
