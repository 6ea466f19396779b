import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Definitions from the command line that override a guess")
struct DefinitionOverrideTests {
  private static let document = """
    {"data":{"rows":[
    {"id":1,"sku":"a","title":"A","body":"<p>One</p>","note":"<b>N</b> &amp; more",
     "page":"https://e.example/1","released":"2026-01-02","price":{"amount":250,"currency":"USD"},
     "price_money":{"amount":199,"currency":"USD"}},
    {"id":2,"sku":"b","title":"B","body":"<p>Two</p>","note":"x",
     "page":"https://e.example/2","released":"2026-01-03","price":{"amount":350,"currency":"USD"},
     "price_money":{"amount":299,"currency":"USD"}}]}}
    """

  private static func definition(
    _ map: [String], items: String? = nil, document: String = document
  ) throws -> FeedDefinition {
    var said = DefinitionOverride(name: "x")
    try said.set(format: nil, items: items, map: map, every: nil)
    let guess = DefinitionGuess(name: "x", items: said.items, missing: said.missing)
    var text = document
    try text.withUTF8 { try guess.consume(UnsafeRawBufferPointer($0)) }
    return try said.definition(source: Template([.literal("f.json")]), over: guess.finish())
  }

  private static func reading(_ map: String, _ field: OfferField) throws -> Reading? {
    try definition([map]).fields[field]?.alternatives.first?.reading
  }

  @Test("a path is read as in the proposal, and other paths as their values suggest")
  func keepsReadings() throws {
    #expect(try Self.reading("description=body", .description) == .html)
    #expect(try Self.reading("description=note", .description) == .html)
    #expect(try Self.reading("terms=note", .terms) == .html)
    #expect(try Self.reading("terms=released", .terms) == .date)
    #expect(try Self.reading("terms=page", .terms) == .link)
    #expect(try Self.reading("terms=sku", .terms) == .text)
    #expect(try Self.reading("expires=released", .expiresAt) == .date)
    #expect(try Self.reading("image=page", .imageURL) == .link)
    let offers = try FeedReading(Self.document, as: Self.definition(["description=note"])).offers
    #expect(offers.map { $0[.description] } == ["N & more", "x"])
  }

  @Test("a reward keeps the currency and minor units of its number")
  func keepsMoney() throws {
    let whole = try FeedReading(Self.document, as: Self.definition(["reward=price.amount"]))
    #expect(whole.offers.map { $0[.reward] } == ["250 USD", "350 USD"])
    let minor = try FeedReading(Self.document, as: Self.definition(["reward=price_money.amount"]))
    #expect(minor.offers.map { $0[.reward] } == ["1.99 USD", "2.99 USD"])
  }

  @Test("a member that becomes a field is no longer an attribute")
  func takesAttributesAway() throws {
    let before = try Self.definition([]).attributes.map(\.label)
    #expect(before.contains("Note"))
    let after = try Self.definition(["description=note"]).attributes.map(\.label)
    #expect(after == before.filter { $0 != "Note" })
  }

  @Test("a missing id or name is reported with the keys of the items")
  func tellsWhatIsMissing() throws {
    func error(_ map: String...) throws -> OffersError {
      let document = #"{"rows":[{"a":1,"b":true},{"a":1,"b":false}]}"#
      return try #require(throws: OffersError.self) {
        try Self.definition(map, items: "rows", document: document)
      }
    }
    let name = try error("id=a")
    #expect(name.message == "It is not known which value is the name of an offer.")
    #expect(
      name.hint?.text == "Its keys: a, b. Say so." && name.hint?.command == "--map name=…")
    #expect(
      try error("name=a").message == "It is not known which value is the id of an offer.")
    #expect(
      try error().message == "It is not known which values are the id and the name of an offer.")
  }

  @Test("a path that does not exist is reported with the nearest key")
  func tellsWhereThePathEnds() throws {
    let error = try #require(throws: OffersError.self) {
      try Self.definition(["id=a"], items: "data.row")
    }
    #expect(error.code == .unexpectedShape)
    #expect(
      error.message == "Expected a list of offers at data.row, found none, with the keys data.")
    #expect(error.hint?.text == "Did you mean data.rows? The keys of data: rows.")
  }

  @Test("a path that cannot lead to items is refused", arguments: ["a[-1].b", "a[type=b].c"])
  func refusesItems(path: String) throws {
    let error = try #require(throws: OffersError.self) {
      try Self.definition(["id=a"], items: path)
    }
    #expect(error.code == .invalidRequest)
    #expect(error.message.hasPrefix("“\(path)” cannot lead to items"))
  }
}
