import OffersCore
import Testing

@Suite("The path of the items in JSON")
struct NestedItemsTests {
  private static func definition(items: String) -> String {
    """
    title: {from: [feed.title, title]}
    items: \(items)
    id: id
    fields: {name: name}
    """
  }

  @Test("items are found below nested keys, whatever surrounds them")
  func nested() throws {
    let reading = try YAMLReading(
      Self.definition(items: "feed.results"),
      """
      {"meta": {"results": [{"id": "x", "name": "X"}]},
       "feed": {"title": "Top", "links": [{"results": [{"id": "y", "name": "Y"}]}],
         "results": [{"id": "1", "name": "A"}, {"id": 2, "name": "B"}], "count": 2},
       "results": [{"id": "z", "name": "Z"}]}
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
    #expect(reading.names == ["A", "B"])
    #expect(reading.facts.title == "Top")
    #expect(reading.itemCount == 2)
  }

  @Test("items are found in a top-level list, without format and items")
  func topLevel() throws {
    let yaml = "id: id\nfields: {name: name}"
    let reading = try YAMLReading(yaml, #" [ {"id":1,"name":"A"} , {"id":2,"name":"B"} ] "#)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
    #expect(try YAMLReading(yaml, "[]").isClean)
    #expect(try YAMLReading(yaml, "\u{FEFF}[{\"id\":1,\"name\":\"A\"}]").ids == ["1"])
  }

  @Test(
    "nested lists are searched if the path selects every element",
    arguments: ["[*]", "*", "[*][*]"])
  func listsInList(items: String) throws {
    let reading = try YAMLReading(
      Self.definition(items: "\"\(items)\""),
      #"[[{"id":1,"name":"A"},{"id":2,"name":"B"}],[],[[{"id":3,"name":"C"}]],{"id":4,"name":"D"}]"#
    )
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2", "3", "4"])
  }

  @Test("nested lists are skipped as records if the path selects the list itself")
  func listsAsItems() throws {
    let reading = try YAMLReading(
      Self.definition(items: "."), #"[[{"id":1,"name":"A"}],{"id":2,"name":"B"}]"#)
    #expect(reading.ids == ["2"])
    #expect(reading.skips == ["1: a list, expected an object"])
  }

  @Test("rows can be lists, with columns by index")
  func rows() throws {
    let yaml = """
      items: rows
      id: "[0]"
      fields: {name: "[1]", reward: "[-1]", description: "[2].text"}
      """
    let reading = try YAMLReading(
      yaml,
      """
      {"columns":["id","name"],
      "rows":[["a","Apple",{"text":"red"},"$1"],[7,"Pear",null,"$2"],[8]]}
      """
    )
    #expect(
      reading.offers == [
        [.id: "a", .name: "Apple", .description: "red", .reward: "$1"],
        [.id: "7", .name: "Pear", .reward: "$2"],
      ])
    #expect(reading.skips == ["3 (8): no name"])
  }

  @Test("items can be plain texts and numbers, each its own id and name")
  func texts() throws {
    let reading = try YAMLReading(
      "items: tips\nid: .\nfields: {name: .}",
      #"{"tips":["Buy \u0041pples","Sell pears",7,null,"",{"id":1},["x"],"Caf\u00e9 ☕"]}"#)
    #expect(reading.names == ["Buy Apples", "Sell pears", "7", "Café ☕"])
    #expect(reading.ids == reading.names)
    #expect(reading.skips.count == 4)
    #expect(reading.skips[0] == "4: no id")
  }

  @Test("items can be in the lists of every element of a list")
  func listsOfElements() throws {
    let document = """
      {"sections":[{"title":"One","offers":[{"id":1,"name":"A"}]},{"title":"None"},
        {"offers":{"id":"x","name":"X"}},
        {"offers":[{"id":2,"name":"B"},{"id":3,"name":"C"}],"title":"Two"}]}
      """
    let reading = try YAMLReading(Self.definition(items: "\"sections[*].offers\""), document)
    #expect(reading.ids == ["1", "2", "3"])
    #expect(reading.error == nil)
  }

  @Test("items can be in a single element of a list")
  func oneElement() throws {
    let pages =
      """
      [{"page":1,"id":9,"name":"X"},
      [{"id":1,"name":"A"},{"id":2,"name":"B"}],[{"id":8,"name":"Y"}]]
      """
    let reading = try YAMLReading(Self.definition(items: "\"[1]\""), pages)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
    let children = #"{"data":{"children":[{"id":ID,"name":"A"}]}}"#
    let listing =
      "[\((1...3).map { children.replacing("ID", with: "\($0)") }.joined(separator: ","))]"
    for (index, id) in [(0, "1"), (1, "2"), (2, "3")] {
      let reading = try YAMLReading(
        Self.definition(items: "\"[\(index)].data.children\""), listing)
      #expect(reading.isClean)
      #expect(reading.ids == [id])
    }
    let outside = try YAMLReading(Self.definition(items: "\"[3].data.children\""), listing)
    #expect(outside.error?.code == .unexpectedShape)
  }

  @Test("the first path that the document has applies, and no other")
  func severalPlaces() throws {
    let yaml = Self.definition(items: "[feed.results, feed.entry, offers]")
    func ids(_ document: String) throws -> [String?] {
      let reading = try YAMLReading(yaml, document)
      #expect(reading.isClean)
      return reading.ids
    }
    #expect(try ids(#"{"feed":{"entry":[{"id":1,"name":"A"}]}}"#) == ["1"])
    #expect(try ids(#"{"offers":[{"id":2,"name":"B"}]}"#) == ["2"])
    #expect(try ids(#"{"feed":{"results":[{"id":3,"name":"C"}]},"other":[]}"#) == ["3"])
    #expect(
      try ids(#"{"feed":{"results":[{"id":1,"name":"A"}],"entry":[{"id":9,"name":"X"}]}}"#) == ["1"]
    )
    #expect(
      try ids(#"{"feed":{"results":[{"id":1,"name":"A"}]},"offers":[{"id":9,"name":"X"}]}"#) == [
        "1"
      ])
    #expect(try ids(#"{"feed":{"results":null,"entry":[{"id":4,"name":"D"}]}}"#) == ["4"])
  }

  @Test("a list of offers is found at the root or below a key")
  func rootOrKey() throws {
    let yaml = Self.definition(items: "[products, .]")
    for document in [#"{"products":[{"id":1,"name":"A"}]}"#, #"[{"id":1,"name":"A"}]"#] {
      #expect(try YAMLReading(yaml, document).ids == ["1"])
    }
  }

  @Test("a document without the list is refused, and an empty list is accepted")
  func refusals() throws {
    let yaml = Self.definition(items: "feed.results")
    for document in [
      "{}", "[]", #"{"feed":[]}"#, #"{"feed":{"results":{}}}"#, #"{"feed":{"results":"none"}}"#,
      #"{"results":[]}"#, "7", "null",
    ] {
      let reading = try YAMLReading(yaml, document)
      #expect(reading.error?.code == .unexpectedShape, "\(document)")
      #expect(reading.events.isEmpty)
    }
    #expect(try YAMLReading(yaml, #"{"feed":{"results":[]}}"#).isClean)
  }

  @Test("an item that is not an object is skipped and counted")
  func otherItems() throws {
    let reading = try YAMLReading(
      Self.definition(items: "items"),
      #"{"items":[null,{"id":1,"name":"A"},"x",7,true,[],{"id":2,"name":"B"},{},{"id":3}]}"#)
    #expect(reading.ids == ["1", "2"])
    #expect(
      reading.skips == [
        "1: null, expected an object", "3: a text, expected an object",
        "4: a number, expected an object", "5: true or false, expected an object",
        "6: a list, expected an object", "8: no id", "9 (3): no name",
      ])
    #expect(reading.itemCount == 9)
  }
}
