import OffersCore
import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Words, bylines and the role of values in definitions")
struct PresentationTests {
  private static func definition(_ lines: String, fields: String) throws -> FeedDefinition {
    let yaml = """
      feeds:
        shop:
          id: id
      \(lines)
          fields: {name: title, \(fields)}
          attributes: {Artist: by, Released: {from: day, as: date}}
      """
    let definition = try DefinitionFile.parse(yaml, name: "test.yaml")[0]
    let again = try DefinitionFile.parse(DefinitionText.yaml(for: definition), name: "again.yaml")
    #expect(again == [definition])
    return definition
  }

  @Test("the noun, its plural, the byline and the role are read, and survive writing")
  func reads() throws {
    let definition = try Self.definition(
      "    noun: goose\n    nouns: geese\n    byline: [Artist, Released]", fields: "price: cost")
    let presentation = definition.presentation
    #expect(presentation.noun == OfferNoun("goose", plural: "geese"))
    #expect(presentation.byline == ["Artist", "Released"])
    #expect(presentation.valueRole == .price)
    #expect(definition.fields[.reward]?.alternatives.count == 1)
    let plain = try Self.definition("    noun: album", fields: "reward: cashback")
    #expect(plain.presentation == FeedPresentation(noun: OfferNoun("album")))
  }

  @Test("the words do not change what is stored; the role does, since a price is no percentage")
  func keepsSeed() throws {
    let price = try Self.definition("    noun: album\n    byline: Artist", fields: "price: cost")
    let covers = try Self.definition("    layout: covers", fields: "price: cost")
    let reward = try Self.definition("    layout: covers", fields: "reward: cost")
    #expect(price.derivationSeed == covers.derivationSeed)
    #expect(reward.derivationSeed != covers.derivationSeed)
  }

  @Test("a feed has either a reward or a price, and a byline names each attribute once")
  func refuses() {
    #expect(throws: OffersError.self) {
      try Self.definition("", fields: "price: a, reward: b")
    }
    #expect(throws: OffersError.self) {
      try Self.definition("    byline: [Artist, Artist]", fields: "price: a")
    }
  }

  @Test(
    "the guess tells prices from rewards by their names",
    arguments: [
      (#""price":"$5""#, ValueRole.price), (#""sale_price":"$5""#, .price),
      (#""price":{"amount":5,"currency":"USD"}"#, .price), (#""preis":"1,99 €""#, .price),
      (#""unit_amount":500,"currency":"usd""#, .price),
      (#""cashback":"$5""#, .reward), (#""discount":"20 %""#, .reward),
      (#""price":{"discount":"20 %"}"#, .reward), (#""discount_percent":20"#, .reward),
      (#""current_value":"$5 back""#, .reward), (#""rabatt":"20 %""#, .reward),
    ])
  func guesses(member: String, role: ValueRole) throws {
    let guess = try GuessReading(#"[{"id":1,"title":"A","# + member + "}]")
    #expect(guess.definition.fields[.reward] != nil)
    #expect(guess.definition.presentation.valueRole == role)
    #expect(guess.yaml.contains("      \(role.rawValue): "))
  }

  @Test("an option maps a price or a reward")
  func maps() throws {
    func role(_ field: String) throws -> ValueRole {
      var override = DefinitionOverride(name: "shop")
      try override.set(
        format: nil, items: ".", map: ["id=id", "name=title", "\(field)=cost"], every: nil)
      return try override.definition(source: Template([.literal("x")])).presentation.valueRole
    }
    #expect(try role("price") == .price)
    #expect(try role("reward") == .reward)
  }

  @Test(
    "shops have prices", arguments: [WellKnownKind.shopify, .rss, .atom, .rdf])
  func shops(kind: WellKnownKind) throws {
    #expect(try kind.definition(named: "shop").presentation.valueRole == .price)
  }

  @Test("the release of an album in the oldest format is the day, not a time in another zone")
  func albumDays() throws {
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:im="http://itunes.apple.com/rss">
      <title>Top Albums</title><entry><id im:id="1">https://a.example/1</id>
      <im:name>Rise</im:name><im:artist>Skillet</im:artist>
      <im:releaseDate label="June 24, 2013">2013-06-24T00:00:00-07:00</im:releaseDate>
      </entry></feed>
      """
    let definition = try #require(try FeedCatalog.find("albums"))
    let reading = try FeedReading(document, as: definition)
    #expect(reading.offers.count == 1)
    let attributes = try #require(reading.offers.first?[.attributes])
    #expect(attributes.contains("2013-06-24"))
    #expect(!attributes.contains("07:00"))
  }

  @Test("a price is an amount without a percentage", arguments: ["5%", "up to 5", "x", ""])
  func refusesPrices(text: String) {
    #expect(throws: OffersError.self) { try ValueBound(parsing: text, of: .price) }
  }

  @Test("a maximum in any currency is rounded down for currencies without decimals")
  func maxima() throws {
    #expect(
      try ValueBound(parsing: "€20", of: .price) == .amount(minorUnits: 2000, currency: "EUR"))
    guard case .anyAmount(150, let others) = try ValueBound(parsing: "1.50", of: .price) else {
      Issue.record("not an amount in any currency")
      return
    }
    #expect(others["JPY"] == 1)
    #expect(others["KWD"] == 1500)
  }
}
