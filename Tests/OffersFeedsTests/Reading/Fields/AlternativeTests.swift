import OffersCore
import Testing

@Suite("The first available alternative of a value")
struct AlternativeTests {
  private func name(_ rule: String, _ members: String) throws -> String? {
    let reading = try YAMLReading("id: id\nfields:\n  name: \(rule)", "[{\"id\":1,\(members)}]")
    return reading.names.first ?? nil
  }

  @Test("paths are tried in order; null, missing and blank values fall through to the next")
  func paths() throws {
    let rule = "[a, b.c, d]"
    #expect(try name(rule, #""d":"D","b":{"c":"C"},"a":"A""#) == "A")
    #expect(try name(rule, #""a":null,"b":{"c":"C"},"d":"D""#) == "C")
    #expect(try name(rule, #""a":"","b":{},"d":"D""#) == "D")
    #expect(try name(rule, #""a":" \n\t","b":{"c":" "},"d":"D""#) == "D")
    #expect(try name(rule, #""a":{},"b":[],"d":"D""#) == "D")
    #expect(try name(rule, #""a":true,"b":{"c":0},"d":"D""#) == "0")
    #expect(try name(rule, #""x":1"#) == nil)
  }

  @Test("a mapping among the alternatives has its own options")
  func mappings() throws {
    let rule = "[title, {from: [summary, text], limit: 12}, {from: html, as: html}, {text: None}]"
    let long = "A long text that goes on"
    #expect(try name(rule, #""title":"A long text that goes on""#) == long)
    #expect(try name(rule, "\"summary\":\"\(long)\"") == "A long text…")
    #expect(try name(rule, "\"text\":\"\(long)\",\"html\":\"x\"") == "A long text…")
    #expect(
      try name(rule, #""html":"<b>Bold</b> &lt;text&gt; that goes on""#)
        == "Bold <text> that goes on")
    #expect(try name(rule, #""html":"<p> </p><!-- x -->""#) == "None")
    #expect(try name(rule, #""x":1"#) == "None")
  }

  @Test("a problem of one alternative is not reported if another one has a value")
  func madeUp() throws {
    let yaml = """
      id: id
      fields:
        name: [a, b]
        expires: [until, end]
        latitude: [lat, y]
        longitude: y
      attributes: {Label: [l, m]}
      """
    let sound = try YAMLReading(
      yaml,
      """
      [{"id":1,"a":{},"b":"B","until":"soon","end":"2026-08-31","lat":"north","y":5,"l":[],"m":"M"}]
      """)
    #expect(sound.isClean)
    #expect(sound.all(.expiresAt) == ["1788220799"])
    #expect(sound.all(.latitude) == ["5"])
    #expect(sound.attributes == [["Label: M"]])
    let broken = try YAMLReading(
      yaml, #"[{"id":1,"b":"B","until":"soon","end":"later","lat":"north","l":[1]}]"#)
    #expect(broken.all(.expiresAt) == [nil])
    let told = try #require(broken.mends.first)
    #expect(told.contains("“soon”"))
    #expect(told.contains("“later”"))
    #expect(told.contains("latitude is “north”"))
    #expect(told.contains("Label is a list, left out"))
  }

  @Test("a template is absent if one of its values is")
  func templates() throws {
    let rule = #"["{brand} {model}", "{model} of {list[0]}", "Item {id}"]"#
    #expect(try name(rule, #""brand":"B","model":7"#) == "B 7")
    #expect(try name(rule, #""brand":"","model":7,"list":["x"]"#) == "7 of x")
    #expect(try name(rule, #""brand":null,"list":["x"]"#) == "Item 1")
    #expect(try name(rule, #""brand":{},"model":7"#) == "Item 1")
    #expect(try name(#""{{{a}}} {\"b.c\"}""#, #""a":"A","b.c":"C""#) == "{A} C")
    #expect(try name(#"{from: "{a}: {b}", as: html}"#, #""a":"<i>A</i>","b":"&amp;""#) == "A: &")
    #expect(try name(#"{from: "{a[*]}", join: "+"}"#, #""a":["x","y"]"#) == "x+y")
    #expect(try name(#"{from: "{a} {b}", limit: 8}"#, #""a":"one two","b":"three""#) == "one two…")
  }

  @Test("a value of the wrong type in a template is reported, an absent one is not")
  func wrongParts() throws {
    let yaml = #"{id: id, fields: {name: n, image: "https://i.example/{p}.png"}}"#
    let reading = try YAMLReading(
      yaml, #"[{"id":1,"n":"A","p":"/x"},{"id":2,"n":"B","p":null},{"id":3,"n":"C","p":[1]}]"#)
    #expect(reading.all(.imageURL) == ["https://i.example//x.png", nil, nil])
    #expect(reading.mends == ["3: image_url is a list, left out"])
  }
}
