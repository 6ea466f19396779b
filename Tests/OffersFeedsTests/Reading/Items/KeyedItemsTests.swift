import OffersCore
import Testing

@Suite("Items with keys of their own")
struct KeyedItemsTests {
  @Test("the values of an object are items with the keys as ids")
  func rootObject() throws {
    let reading = try YAMLReading(
      "items: '*'\nid: '@key'\nfields: {name: name}",
      #"{"a1":{"name":"A"},"b 2":{"name":"B"},"c\u00e9\"":{"name":"C"},"日本":{"name":"D"}}"#)
    #expect(reading.isClean)
    #expect(reading.ids == ["a1", "b 2", "cé\"", "日本"])
    #expect(reading.names == ["A", "B", "C", "D"])
  }

  @Test("a key above the length limit, or an empty key, is not an id")
  func keyBounds() throws {
    let long = String(repeating: "k", count: 1025)
    let reading = try YAMLReading(
      "items: '*'\nid: '@key'\nfields: {name: name}",
      """
      {"\(long)":{"name":"A"},"":{"name":"B"}," ":{"name":"C"},"d":{"name":"D"}}
      """
    )
    #expect(reading.ids == ["d"])
    #expect(
      reading.skips == ["1: id is longer than 1024 bytes", "2: no id", "3: no id"])
  }

  @Test("a key with invalid Unicode is not an id")
  func brokenKeys() throws {
    let yaml = "items: '*'\nid: '@key'\nfields: {name: name}\nencoding: utf-8"
    let bytes =
      Array(#"{"a"#.utf8) + [0xFF] + Array(#"":{"name":"A"},"b\ud800":{"name":"B"},"#.utf8)
      + Array(#""c\u0000":{"name":"C"},"d":{"name":"D"}}"#.utf8)
    let reading = try YAMLReading(yaml, bytes)
    #expect(reading.ids == ["d"])
    #expect(reading.skips.count == 3)
  }

  @Test("the values of a nested object are items")
  func nestedObject() throws {
    let yaml = """
      title: {from: title}
      items: markets.*
      id: "@key"
      fields: {name: name}
      """
    let reading = try YAMLReading(
      yaml,
      """
      {"title":"Markets","decoy":{"x":{"name":"X"}},
       "markets":{"us":{"name":"USA","more":{"deep":{"name":"no"}}},"uk":{"name":"UK"}},
       "after":{"y":{"name":"Y"}}}
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["us", "uk"])
    #expect(reading.facts.title == "Markets")
  }

  @Test("the elements of lists under such keys are items and share the key")
  func listsUnderKeys() throws {
    let yaml = """
      items: markets.*
      id: "{@key}-{id}"
      fields: {name: name, retailer: "@key"}
      """
    let reading = try YAMLReading(
      yaml,
      """
      {"markets":{"us":[{"id":1,"name":"A"},{"id":2,"name":"B"}],"none":[],
        "uk":[{"id":1,"name":"C"}],"de":{"id":5,"name":"D"}}}
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["us-1", "us-2", "uk-1", "de-5"])
    #expect(reading.all(.retailer) == ["us", "us", "uk", "de"])
  }

  @Test("lists below a key of each member are items with the member's key")
  func listsBelowMembers() throws {
    let yaml = """
      items: markets.*.offers
      id: "{@key}/{id}"
      fields: {name: name}
      """
    let reading = try YAMLReading(
      yaml,
      """
      {"markets":{"us":{"offers":[{"id":1,"name":"A"}]},
      "uk":{"x":1,"offers":[{"id":1,"name":"B"}]}}}
      """
    )
    #expect(reading.isClean)
    #expect(reading.ids == ["us/1", "uk/1"])
  }

  @Test("an outer key is selected by its level")
  func outerKeys() throws {
    let yaml = """
      items: markets.*.offers.*
      id: "{@key2}:{@key}"
      fields: {name: name}
      attributes: {Market: "@key2", Offer: "@key1"}
      """
    let reading = try YAMLReading(
      yaml,
      """
      {"markets":{"us":{"offers":{"a":{"name":"A"},"b":{"name":"B"}}},
        "uk":{"offers":{"a":{"name":"C"}}}}}
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["us:a", "us:b", "uk:a"])
    #expect(reading.attributes[2] == ["Market: uk", "Offer: a"])
  }

  @Test("nested objects can be matched with several wildcards")
  func keysWithinKeys() throws {
    let yaml = """
      items: "*.*"
      id: "{@key2}:{@key}"
      fields: {name: name}
      """
    let reading = try YAMLReading(
      yaml, #"{"us":{"a":{"name":"A"},"b":{"name":"B"}},"uk":{"a":{"name":"C"}}}"#)
    #expect(reading.isClean)
    #expect(reading.ids == ["us:a", "us:b", "uk:a"])
  }

  @Test("a scalar among such members is skipped, and an object without a name is reported")
  func plainMembers() throws {
    let yaml = "items: markets.*\nid: '@key'\nfields: {name: name}"
    let reading = try YAMLReading(
      yaml, #"{"markets":{"count":2,"us":{"name":"USA"},"next":null,"uk":{"id":"z"}}}"#)
    #expect(reading.ids == ["us"])
    #expect(reading.skips.last?.hasSuffix("(uk): no name") == true)
    #expect(reading.error == nil)
  }

  @Test("a value of the document beside such items is not an item")
  func documentValueBeside() throws {
    let yaml = """
      title: {from: meta.title}
      items: "*"
      id: "@key"
      fields: {name: name}
      """
    let reading = try YAMLReading(
      yaml, #"{"meta":{"title":"T"},"a":{"name":"A"},"b":{"name":"B"}}"#)
    #expect(reading.facts.title == "T")
    #expect(reading.ids == ["a", "b"])
  }

  @Test("the items of a bare list have no keys of their own")
  func bareList() throws {
    let reading = try YAMLReading(
      "items: '*'\nid: ['@key', id]\nfields: {name: name}",
      #"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
  }
}
