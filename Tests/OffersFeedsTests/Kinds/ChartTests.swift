import OffersCore
import Testing

@Suite("Charts, and lists of one or no item")
struct ChartTests {
  private static let entry = #"""
    {"im:name":{"label":"Blue"},"id":{"attributes":{"im:id":"17"}},
    "im:price":{"label":"$9.99","attributes":{"currency":"USD"}},"im:artist":{"label":"Ana"}}
    """#

  @Test("an object in the place of the list is its only item", arguments: ["ENTRY", "[ENTRY]"])
  func oneEntry(place: String) throws {
    let document = #"{"feed":{"title":{"label":"T"},"entry":ENTRY,"rights":{"label":"R"}}}"#
      .replacing("ENTRY", with: place.replacing("ENTRY", with: Self.entry))
    let reading = try YAMLReading(shipped: "albums", document)
    #expect(reading.isClean)
    #expect(reading.ids == ["17"])
    #expect(reading.names == ["Blue"])
    #expect(reading.attributes == [["Artist: Ana"]])
    #expect(reading.facts.shared == ["Copyright: R"])
  }

  @Test(
    "a chart that names itself may lack its list",
    arguments: ["", #""entry":null,"#, #""entry":[],"#]
  )
  func noEntry(list: String) throws {
    let reading = try YAMLReading(
      shipped: "albums", #"{"feed":{\#(list)"title":{"label":"Top"}}}"#)
    #expect(reading.isClean)
    #expect(reading.itemCount == 0)
    for other in [
      #"{"feed":{\#(list.replacing("[]", with: "7"))"x":1}}"#, #"{"error":{"title":"x"}}"#,
      #"{"feed":{"entry":"none","title":"x"}}"#,
    ] where !other.contains("[") {
      #expect(try YAMLReading(shipped: "albums", other).error?.code == .unexpectedShape, "\(other)")
    }
  }

  @Test("an old chart in JSON needs no definition, also with one entry")
  func isKnown() throws {
    for place in [Self.entry, "[\(Self.entry)]"] {
      let guess = try GuessReading(#"{"feed":{"title":{"label":"T"},"entry":\#(place)}}"#)
      #expect(guess.ids == ["17"])
      #expect(guess.all(.name) == ["Blue"])
      #expect(guess.all(.reward) == ["$9.99"])
      #expect(guess.proposal.kind == .chart)
    }
  }

  @Test("an object that is no offer is no list")
  func otherObjects() throws {
    let yaml = "items: data.offers\nid: id\nfields: {name: name}"
    let wrong = try YAMLReading(yaml, #"{"data":{"offers":{"a":{"id":1,"name":"A"}}}}"#)
    #expect(wrong.error?.code == .unexpectedShape)
    #expect(wrong.itemCount == 0)
    let deeper = try YAMLReading(
      "items: [data, data.offers]\nid: id\nfields: {name: name}",
      #"{"data":{"id":"d","name":"D","offers":[{"id":1,"name":"A"}]}}"#)
    #expect(deeper.ids == ["1"])
  }

  @Test("Apple's charts in Atom have a price, an artist and a picture")
  func appleAtom() throws {
    let reading = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:im="http://itunes.apple.com/rss"><entry>
      <id im:id="17">https://m.example/17</id><title>Blue - Ana</title><im:name>Blue</im:name>
      <link rel="alternate" type="text/html" href="https://m.example/17"/>
      <link rel="enclosure" type="audio/x-m4a" href="https://m.example/17.m4a"/>
      <im:artist href="https://m.example/ana">Ana</im:artist>
      <im:price amount="9.99" currency="USD">$9.99</im:price>
      <im:image height="55">https://i.example/55.png</im:image>
      <im:image height="170">https://i.example/170.png</im:image>
      <content type="html">&lt;img src="https://i.example/x.png"&gt;</content></entry></feed>
      """)
    #expect(reading.isClean)
    let offer = try #require(reading.offers.first)
    #expect(offer[.name] == "Blue")
    #expect(offer[.reward] == "$9.99")
    #expect(offer[.url] == "https://m.example/17")
    #expect(offer[.imageURL] == "https://i.example/170.png")
    #expect(reading.attributes == [["Artist: Ana"]])
  }

  @Test(
    "a number is the same id however a program prints it",
    arguments: [
      ("1", "1"), ("1.0", "1"), ("1e0", "1"), ("1.00E+2", "100"), ("120e-1", "12"),
      ("72057594038135103.0", "72057594038135103"),
      ("18446744073709551616", "18446744073709551616"),
      ("1.8446744073709551616e19", "18446744073709551616"), ("1.50", "1.5"), ("-0", "0"),
      ("-7.0", "-7"), ("0.0", "0"), ("1.5e-3", "1.5e-3"), ("1e999", "1e999"), ("10", "10"),
      ("0.10", "0.1"),
    ])
  func numbers(printed: String, id: String) throws {
    let document = #"[{"id":\#(printed),"name":"A"}]"#
    let yaml = "fields: {name: name}"
    #expect(try YAMLReading("id: id\n" + yaml, document).ids == [id])
    #expect(try YAMLReading("id: [sku, id]\n" + yaml, document).ids == [id])
    let text = #"[{"id":"\#(printed)","name":"A"}]"#
    #expect(try YAMLReading("id: id\n" + yaml, text).ids == [printed])
  }

  @Test("an error in JSON has its line and column, in characters")
  func places() throws {
    let yaml = "id: id\nfields: {name: name}"
    let reading = try YAMLReading(
      yaml, "[\n {\"id\":1,\"name\":\"Café\"},\r\n {\"id\":2,\"é\":NaN}]")
    #expect(reading.error?.message.contains("(line 3, column 14)") == true)
  }

  @Test("conditions ignore the case of letters, and an empty one is met by a missing value")
  func conditions() throws {
    let yaml = """
      id: id
      fields: {name: 'n[k=ab].v', description: 'n[k=""].v', link: 'n["page"].v'}
      """
    let reading = try YAMLReading(
      yaml, #"[{"id":1,"n":[{"k":"x","v":"X"},{"k":"AB","v":"Y"},{"v":"Z"}]}]"#)
    #expect(reading.names == ["Y"])
    #expect(reading.all(.description) == ["Z"])
  }
}
