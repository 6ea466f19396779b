import OffersCore
import Testing

@Suite("Paths within a record")
struct PathStepTests {
  /// A record with values for most paths, and similar values that no path should find.
  private static let record = """
    {"id":1,"plain":"p","a":{"b":{"c":"deep","d":null}},"a.b":"dotted","a.b.c":"twice",
     "im:name":{"label":"colon"},"fine print":{"small text":"spaced"},"$oid":"dollar","*":"star",
     "@id":"at","{x}":"brace","'q\\"":"quotes","":"empty key","caf\\u00e9":"accent","0":"zero",
     "list":["first","second","last"],"one":"single","none":[],
     "people":[{"name":"Ann","tags":["x","y"]},{"name":"Bob","tags":[]},{"tags":["z"]}],
     "person":{"name":"Cid","tags":"w"},
     "links":[{"rel":"up","href":"u"},
     {"rel":"self","href":"s","n":1},{"rel":"self","href":"t","n":2}],
     "link":{"rel":"self","href":"l"},
     "images":[{"attributes":{"height":"55"},"label":"small"},
       {"attributes":{"height":170},"label":"large"}],
     "flags":[{"on":false,"v":"off"},{"on":true,"v":"on"}],
     "prices":{"USD":{"amount":5},"EUR":{"amount":4}},"map":{"k1":"v1","k2":"v2"},
     "nested":[["n1","n2"],["n3"]],"mixed":["m1",{"name":"m2"},null,7,true]}
    """

  private static let found: [(path: String, text: String?)] = [
    ("plain", "p"), ("a.b.c", "deep"), ("a.b.d", nil), ("a.x.c", nil), ("a.b.c.d", nil),
    (#""a.b""#, "dotted"), (#""a.b.c""#, "twice"), (#"["a.b"]"#, "dotted"),
    ("im:name.label", "colon"), ("fine print.small text", "spaced"), (#""$oid""#, "dollar"),
    (#""*""#, "star"), ("@id", "at"), (#""{x}""#, "brace"), (#""'q\"""#, "quotes"),
    ("café", "accent"), ("0", "zero"), ("'fine print'.'small text'", "spaced"),
    ("list[0]", "first"), ("list[1]", "second"), ("list[-1]", "last"), ("list[-3]", "first"),
    ("list[3]", nil), ("list[-4]", nil), ("list[*]", "first, second, last"), ("none[0]", nil),
    ("none[*]", nil), ("one[0]", "single"), ("one[-1]", "single"), ("one[1]", nil),
    ("one[*]", "single"), ("missing[*].x", nil),
    ("people[0].name", "Ann"), ("people[1].name", "Bob"), ("people[-1].name", nil),
    ("people.name", "Ann"), ("people[*].name", "Ann, Bob"), ("people[*].tags[*]", "x, y, z"),
    ("people[*].tags[0]", "x, z"), ("people[*].tags[-1]", "y, z"), ("people[0].tags[1]", "y"),
    ("person[0].name", "Cid"), ("person[*].name", "Cid"), ("person[*].tags[*]", "w"),
    ("links[rel=self].href", "s"), ("links[rel=up].href", "u"), ("links[rel=none].href", nil),
    ("links[rel=self][-1].href", "t"), ("links[n=2].href", "t"), ("link[rel=self].href", "l"),
    ("link[rel=up].href", nil), ("links[-1].href", "t"),
    ("images[attributes.height=170].label", "large"),
    (#"images["attributes".height="55"].label"#, "small"), ("flags[on=true].v", "on"),
    ("prices.EUR.amount", "4"), ("prices.*.amount", "5, 4"), ("map.*", "v1, v2"),
    ("nested[0]", "n1"), ("nested[*]", "n1, n2, n3"), ("nested[-1]", "n3"),
    ("mixed[*]", "m1, 7"), ("mixed[*].name", "m2"), ("mixed[0]", "m1"),
  ]

  @Test("each kind of step finds its value, or nothing", arguments: found.indices)
  func steps(index: Int) throws {
    let (path, text) = Self.found[index]
    let quoted = "'\(path.replacing("'", with: "''"))'"
    let reading = try YAMLReading(
      "id: id\nfields: {name: {text: N}, description: \(quoted)}", "[\(Self.record)]")
    #expect(reading.error == nil)
    #expect(reading.all(.description) == [text], "\(path)")
  }

  @Test("many paths together find the same as each alone")
  func together() throws {
    let attributes = Self.found.enumerated().map { index, found in
      "  L\(index): '\(found.path.replacing("'", with: "''"))'"
    }
    let reading = try YAMLReading(
      "id: id\nfields: {name: {text: N}}\nattributes:\n\(attributes.joined(separator: "\n"))",
      "[\(Self.record)]")
    let expected = Self.found.enumerated().compactMap { index, found in
      found.text.map { "L\(index): \($0)" }
    }
    #expect(reading.attributes == [expected])
  }

  @Test("several values of a path are joined as the definition says")
  func joins() throws {
    let reading = try YAMLReading(
      """
      id: id
      fields:
        name: {from: "people[*].name", join: " & "}
        description: {from: "list[*]", join: "\\n"}
        terms: {from: "list[*]", join: ""}
      """, "[\(Self.record)]")
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "Ann & Bob", .description: "first\nsecond\nlast",
          .terms: "firstsecondlast",
        ]
      ])
  }

  @Test("a list or an object in place of a text is reported")
  func wrongKinds() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: plain, description: list, terms: person, reward: none}",
      "[\(Self.record)]")
    #expect(reading.offers == [[.id: "1", .name: "p"]])
    #expect(
      reading.mends == [
        "1: description is a list, left out; terms is an object, left out"
      ])
  }

  private static let element = """
    <o id="1" xml:lang="en"><t>one</t><t kind="x">two</t><t kind="y"> </t><t>four</t>
    <img height="55">small</img><img height="170">large</img>
    <author><name>Ann</name><mail>a@x</mail></author><author><name>Bob</name></author>
    <category term="c1" label="First"/><category term="c2"/>
    <link href="/plain"/><link rel="alternate" href="/alt"/><link rel="alternate" href="/alt2"/>
    <a.b>dotted</a.b><box><inner>in</inner> text <inner>out</inner></box><e/><im:n>colon</im:n></o>
    """

  private static let foundElements: [(path: String, text: String?)] = [
    ("t", "one"), ("t[0]", "one"), ("t[1]", "two"), ("t[-1]", "four"), ("t[*]", "one, two, four"),
    ("t[@kind=x]", "two"), ("t[@kind=y]", nil), ("t[4]", nil), ("@id", "1"), ("@xml:lang", "en"),
    ("img[@height=170]", "large"), ("img[-1]", "large"), ("img.@height", "55"),
    ("img[*].@height", "55, 170"), ("author.name", "Ann"), ("author[*].name", "Ann, Bob"),
    ("author[1].name", "Bob"), ("author[-1].mail", nil), ("author[name=Bob].name", "Bob"),
    ("author[*].name[0]", "Ann, Bob"), ("category[*].@label", "First"),
    ("category[*].@term", "c1, c2"), ("category.@label", "First"), ("link.@href", "/plain"),
    ("link[@rel=alternate].@href", "/alt"), ("link[@rel=self].@href", nil),
    (#""a.b""#, "dotted"), ("box", "in text out"), ("box.inner", "in"),
    ("box.inner[*]", "in, out"), ("e", nil), ("e.@x", nil), ("im:n", "colon"), ("missing.x", nil),
    ("link", nil),
  ]

  @Test("the same steps find XML elements and attributes", arguments: foundElements.indices)
  func elementSteps(index: Int) throws {
    let (path, text) = Self.foundElements[index]
    let reading = try YAMLReading(
      "items: x.o\nid: '@id'\nfields: {name: {text: N}, description: '\(path)'}",
      "<x>\(Self.element)</x>")
    #expect(reading.isClean)
    #expect(reading.all(.description) == [text], "\(path)")
  }

  @Test("many paths to XML elements together find the same as each alone")
  func elementsTogether() throws {
    let attributes = Self.foundElements.enumerated().map { "  L\($0): '\($1.path)'" }
    let reading = try YAMLReading(
      """
      items: x.o
      id: '@id'
      fields: {name: {text: N}}
      attributes:
      \(attributes.joined(separator: "\n"))
      """, "<x>\(Self.element)</x>")
    let expected = Self.foundElements.enumerated().compactMap { index, found in
      found.text.map { "L\(index): \($0)" }
    }
    #expect(reading.attributes == [expected])
  }
}
