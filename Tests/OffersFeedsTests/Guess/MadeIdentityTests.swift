import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Proposed values for made ids")
struct MadeIdentityTests {
  /// The paths that an id is made from.
  private static func parts(_ items: String...) throws -> [String] {
    guard
      case .madeFrom(let paths) = try GuessReading("[\(items.joined(separator: ","))]").definition
        .id
    else { return [] }
    return paths.map(\.description)
  }

  @Test(
    "stable values identify the items, whatever else distinguishes them",
    arguments: [
      (#""price":"$1.00","size":"1 l""#, #""price":"$2.00","size":"2 l""#, "size"),
      (#""discount":"10%","brand":"X""#, #""discount":"20%","brand":"Y""#, "brand"),
      (#""description":"a b","city":"Rome""#, #""description":"b c","city":"Oslo""#, "city"),
      (#""votes":3,"weight":250"#, #""votes":4,"weight":500"#, "weight"),
      (#""expires":"2026-01-01","shop":"X""#, #""expires":"2026-01-02","shop":"Y""#, "shop"),
      (#""image":"/a.png","packaging":"box""#, #""image":"/b.png","packaging":"bag""#, "packaging"),
      (
        #""terms":"Today","address":"1 High St""#, #""terms":"Now","address":"2 High St""#,
        "address"
      ),
      (
        #""old_price":"$3","link":"https://e.example/?p=1""#,
        #""old_price":"$4","link":"https://e.example/?p=2""#, "link"
      ),
      (#""availability":"in stock","size":"M""#, #""availability":"sold out","size":"L""#, "size"),
      (#""saleText":"now $5","flavor":"Mint""#, #""saleText":"now $6","flavor":"Plum""#, "flavor"),
    ])
  func prefersStable(first: String, second: String, part: String) throws {
    #expect(
      try Self.parts(#"{"name":"Tea",\#(first)}"#, #"{"name":"Tea",\#(second)}"#) == ["name", part])
  }

  @Test(
    "the user is asked for an id if only changing values distinguish the items",
    arguments: [
      (#""price":"$1.00""#, #""price":"$2.00""#, "price"),
      (#""discount":"10% off""#, #""discount":"20% off""#, "discount"),
      (#""description":"Black tea""#, #""description":"Green tea""#, "description"),
      (#""votes":3"#, #""votes":4"#, "votes"),
      (#""ends":"2026-01-01""#, #""ends":"2026-01-02""#, "ends"),
      (#""published":"2026-01-01""#, #""published":"2026-01-02""#, "published"),
      (#""image":"https://e.example/a.png""#, #""image":"https://e.example/b.png""#, "image"),
    ])
  func refusesChanging(first: String, second: String, part: String) throws {
    let document = #"[{"name":"Tea",\#(first)},{"name":"Tea",\#(second)}]"#
    let error = try #require(throws: OffersError.self) { try GuessReading(document) }
    #expect(error.code == .unexpectedShape)
    #expect(
      error.message
        == "Only \(part) distinguishes the offers, and an id must be made from values that do not change."
    )
    #expect(error.hint?.text.contains("id: {made-from: [name, \(part)]}") == true)
  }

  @Test("a user who maps the id is not asked for it")
  func takesSaidID() throws {
    let guess = DefinitionGuess(missing: ["name"])
    let document = #"[{"name":"Tea","price":"$1"},{"name":"Tea","price":"$2"}]"#
    try Array(document.utf8).withUnsafeBytes { try guess.consume($0) }
    #expect(try guess.finish().definition.id == .madeFrom([FieldPath(keys: ["name"])]))
    let bare = DefinitionGuess(missing: ["name"])
    let rewards = #"[{"deal_id2":7,"price":"USD 1"},{"deal_id2":7,"price":"USD 2"}]"#
    try Array(rewards.utf8).withUnsafeBytes { try bare.consume($0) }
    #expect(try bare.finish().definition.id == .madeFrom([FieldPath(keys: ["price"])]))
  }

  @Test("different names suffice, and a single repetition is noted")
  func toleratesRepeats() throws {
    #expect(try Self.parts(#"{"name":"A","price":1}"#, #"{"name":"B","price":2}"#) == ["name"])
    let items = (1...20).map { #"{"name":"N\#(min($0, 19))","price":"$\#($0)"}"# }
    let guess = try GuessReading("[\(items.joined(separator: ","))]")
    #expect(guess.definition.id == .madeFrom([FieldPath(keys: ["name"])]))
    #expect(guess.proposal.notes.contains("1 of 20 items repeats the id of another item."))
  }

  @Test("a text that is an offer's only member identifies it")
  func takesOnlyText() throws {
    #expect(try Self.parts(#"{"text":"Free tea"}"#, #"{"text":"Two pizzas"}"#) == ["text"])
  }
}
