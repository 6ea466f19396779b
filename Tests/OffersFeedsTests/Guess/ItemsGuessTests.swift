import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Offers and lists of names in an unknown document")
struct ItemsGuessTests {
  private static let names = (1...60).map { #"{"id":\#($0),"name":"C\#($0)","slug":"c\#($0)"}"# }
    .joined(separator: ",")

  @Test(
    "items with a price, a link or an image take precedence over a longer list of names",
    arguments: [
      #""price":"$1""#, #""link":"https://e.example/1""#, #""image":"https://e.example/1.png""#,
    ])
  func prefersOffers(member: String) throws {
    let document =
      #"{"categories":[\#(Self.names)],"things":[{"id":7,"name":"Tea",\#(member)},"#
      + #"{"id":8,"name":"Jam",\#(member)}]}"#
    #expect(try GuessReading(document).all(.name) == ["Tea", "Jam"])
  }

  @Test("bare names are offers if the list is called so, or is the only one")
  func keepsNames() throws {
    let things = #"[{"id":7,"name":"Tea","link":"https://e.example/1"}]"#
    let called = try GuessReading(#"{"coupons":[\#(Self.names)],"shops":\#(things)}"#)
    #expect(called.offers.count == 60)
    let alone = try GuessReading(#"{"categories":[\#(Self.names)]}"#)
    #expect(alone.offers.count == 60)
  }

  @Test("a single element with a price takes precedence over several categories")
  func findsTheOnlyElement() throws {
    let category = "<category id='1'><name>Toys</name></category>"
    let guess = try GuessReading(
      """
      <shop><categories>\(category)\(category)\(category)</categories><items><item id="7">
      <title>Car</title><price currency="GBP">4.99</price></item></items></shop>
      """)
    #expect(guess.definition.items.map(\.descriptionFromRoot) == ["shop.items.item"])
    #expect(guess.all(.name) == ["Car"])
    #expect(guess.all(.reward) == ["4.99 GBP"])
  }

  @Test("a single element without a price is not an offer")
  func refusesTheOnlyElement() {
    #expect(throws: OffersError.self) {
      try GuessReading("<a><data><info><name>N</name><text>T</text></info></data></a>")
    }
  }
}
