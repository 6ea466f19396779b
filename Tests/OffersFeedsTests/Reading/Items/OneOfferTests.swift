import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Documents that are one offer")
struct OneOfferTests {
  private static let yaml = "id: id\nfields: {name: name, reward: price}\nerror: message"

  @Test(
    "an object in place of the list is the only offer", arguments: ["", "items: .\n", "items: $\n"])
  func readsTheRoot(items: String) throws {
    let reading = try YAMLReading(
      items + Self.yaml, #" {"id": 1, "x": [{"id": 7}], "name": "Only", "price": "$2"} "#)
    #expect(reading.isClean)
    #expect(reading.itemCount == 1)
    #expect(reading.offers == [[.id: "1", .name: "Only", .reward: "$2"]])
  }

  @Test("an object that is not an offer is refused with its error message")
  func refusesOthers() throws {
    let shape = try YAMLReading(Self.yaml, #"{"offers":[{"id":1,"name":"A"}],"id":1}"#)
    #expect(
      shape.error?.message
        == "Expected a list of offers at the top level, found an object, with the keys offers, id.")
    #expect(shape.events == [])
    let said = try YAMLReading(Self.yaml, #"{"id":1,"message":"No key"}"#)
    #expect(said.error?.message == "The feed says: No key")
  }

  @Test("if the path leads to items below, the document is not an offer")
  func prefersTheList() throws {
    let yaml = "items: [offers, .]\nid: id\nfields: {name: name}"
    let reading = try YAMLReading(yaml, #"{"id":1,"name":"Page","offers":[{"id":2,"name":"A"}]}"#)
    #expect(reading.ids == ["2"])
  }

  @Test("a single offer that is cut off or followed by text is refused")
  func refusesBroken() throws {
    for document in [#"{"id":1,"name":"A""#, #"{"id":1,"name":"A"} x"#, #"{"id":1,"name":}"#] {
      #expect(try YAMLReading(Self.yaml, document).error?.code == .malformedFeed, "\(document)")
    }
  }

  @Test("a definition is proposed for a single object with an id and a name")
  func guesses() throws {
    let guess = try GuessReading(#"{"id":1,"name":"Only","price":"$2","tags":["a","b"]}"#)
    #expect(guess.definition.items == [.root])
    #expect(guess.all(.name) == ["Only"])
    #expect(guess.all(.reward) == ["$2"])
    let list = try GuessReading(#"{"id":1,"name":"Page","rows":[{"id":2,"title":"A"}]}"#)
    #expect(list.all(.name) == ["A"])
  }
}
