import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Items without a title or an id")
struct SparseItemTests {
  private static func rss(_ items: [String]) throws -> YAMLReading {
    try YAMLReading(
      shipped: "rss",
      "<rss><channel>\(items.map { "<item>\($0)</item>" }.joined())</channel></rss>")
  }

  @Test("an RSS item with nothing but a description has its beginning as a name, and a stable id")
  func descriptions() throws {
    let notes = (1...3).map { "<description>&lt;p&gt;Note \($0)&lt;/p&gt;</description>" }
    let reading = try Self.rss(notes)
    #expect(reading.isClean)
    #expect(reading.names == ["Note 1", "Note 2", "Note 3"])
    #expect(Set(reading.ids).count == 3)
    let moved = try Self.rss(
      ["<description>New</description>"] + notes.map { $0 + "<pubDate>1 Nov 2026</pubDate>" })
    #expect(Array(moved.ids.dropFirst()) == reading.ids)
    let long = try Self.rss(["<description>\(String(repeating: "word ", count: 40))</description>"])
    #expect(try #require(long.names.first ?? nil).count <= 81)
    #expect(try #require(long.names.first ?? nil).hasSuffix("…"))
  }

  @Test("a title or a link alone is an item, and an empty item is skipped")
  func others() throws {
    let reading = try Self.rss([
      "<title>Only a title</title>", "<link>https://x.example/1</link><title/>",
      "<description>D</description><guid> </guid>", "",
    ])
    #expect(reading.ids.first == "Only a title")
    #expect(reading.names == ["Only a title", "https://x.example/1", "D"])
    #expect(reading.skips.count == 1)
  }

  @Test(
    "a value that several items have is no id of a new feed: the next that tells them apart is",
    arguments: [
      ("guid", ["<guid>deals</guid><link>https://x.example/1</link>"], 1),
      (
        "guid",
        [
          "<guid>deals</guid><link>https://x.example/1</link>",
          "<guid>deals</guid><link>https://x.example/2</link>",
        ], 2
      ),
      (
        "title",
        [
          "<description>Tea 3 EUR</description>", "<description>Coffee 5 EUR</description>",
          "<description>Jam</description>",
        ], 3
      ),
      // Nothing tells these two apart, so the title stays.
      ("title", ["<description>Tea</description>", "<description>Tea</description>"], 1),
    ])
  func repeated(rule: String, items: [String], count: Int) throws {
    let texts = items.map { "<item><title>Daily deal</title>\($0)</item>" }
    let reading = try GuessReading("<rss><channel>\(texts.joined())</channel></rss>")
    #expect(Set(reading.ids).count == count)
    let isFirst = reading.definition.id.places.contains("\(rule) or")
    #expect(isFirst == (count == 1))
    let notes = reading.proposal.notes.filter { !$0.hasPrefix("The feed shows its newest entries") }
    #expect(notes.isEmpty == (items.count == count))
  }

  @Test("Atom entries and items of JSON Feed without an id have one of their text")
  func otherKinds() throws {
    let atom = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>A</title><content>x</content></entry>
      <entry><content>y</content></entry></feed>
      """)
    #expect(atom.isClean)
    #expect(atom.names == ["A", "y"])
    let json = try YAMLReading(
      shipped: "jsonfeed",
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"content_text":"x"},{"title":"y"}]}"#
    )
    #expect(json.isClean)
    #expect(json.names == ["x", "y"])
    #expect(Set(atom.ids + json.ids).count == 4)
  }

  @Test("an id can be a value or else made, and the written definition is the same")
  func writesRules() throws {
    let yaml = """
      feeds:
        x:
          id: [sku, {made-from: [name, city]}]
          fields: {name: name}
      """
    let definition = try #require(try DefinitionFile.parse(yaml, name: "x.yaml").first)
    let paths = [FieldPath(keys: ["name"]), FieldPath(keys: ["city"])]
    guard case .valueOrMade(let rule, from: paths) = definition.id else {
      Issue.record("\(definition.id)")
      return
    }
    #expect(rule.alternatives.count == 1)
    #expect(definition.id.places == "sku or name and city")
    let written = DefinitionText.yaml(for: definition)
    #expect(try DefinitionFile.parse(written, name: "x.yaml").first == definition)
    let reading = try YAMLReading(
      "id: [sku, {made-from: [name, city]}]\nfields: {name: name}",
      #"[{"sku":"s","name":"A"},{"name":"A","city":"B"},{"name":"A","city":"C"}]"#)
    #expect(reading.isClean)
    #expect(reading.ids.first == "s")
    #expect(Set(reading.ids).count == 3)
  }

  @Test("every shipped definition of a kind is written as it was read")
  func writesKinds() throws {
    for kind in ShippedDefinition.kinds {
      let definition = try ShippedDefinition.definition(kind)
      let written = DefinitionText.yaml(for: definition)
      #expect(try DefinitionFile.parse(written, name: "x.yaml").first == definition)
    }
  }
}
