import OffersCore
import Testing

@Suite("Made ids")
struct MadeIDTests {
  private static let yaml = """
    id: {made-from: [name, location.address, location.codes]}
    fields: {name: [name, other], description: text}
    """

  private func id(_ members: String) throws -> String? {
    try YAMLReading(Self.yaml, "[{\(members),\"other\":\"N\"}]").ids.first ?? nil
  }

  @Test("the id begins with the first value, readable, and is stable")
  func readable() throws {
    let first = try #require(try id(#""name":"Smoke & Ember BBQ","location":{"address":"1 Main"}"#))
    #expect(first.hasPrefix("smoke-ember-bbq-"))
    #expect(first.utf8.count == "smoke-ember-bbq-".utf8.count + 8)
    #expect(
      try id(#""location":{"address":"1 Main"},"name":"Smoke \u0026 Ember BBQ""#) == first)
  }

  @Test("values that the id is not made from do not affect it")
  func stable() throws {
    let first = try id(#""name":"A","location":{"address":"1"}"#)
    for members in [
      #""name":"A","location":{"address":"1"},"text":"changed""#,
      #""x":[1,2],"location":{"lat":7,"address":"1","zip":null},"name":"A""#,
      #""name":"A","location":{"address":"1","codes":null}"#,
      #""name":"A","location":{"address":"1","codes":""}"#,
    ] {
      #expect(try id(members) == first, "\(members)")
    }
  }

  @Test("the id differs if a value differs, or moves to another part")
  func different() throws {
    let ids = try [
      #""name":"A","location":{"address":"1"}"#, #""name":"A","location":{"address":"2"}"#,
      #""name":"B","location":{"address":"1"}"#, #""name":"A""#, #""location":{"address":"A"}"#,
      #""location":{"codes":"A"}"#, #""name":"A","location":{"address":"1","codes":7}"#,
      #""name":"A","location":{"codes":"1"}"#, #""name":"a","location":{"address":"1"}"#,
      #""name":"A1""#, #""name":"Á","location":{"address":"1"}"#,
    ].map { try id($0) }
    #expect(!ids.contains(nil))
    #expect(Set(ids).count == ids.count)
  }

  @Test("equal values make equal ids, whatever else the records contain")
  func collisions() throws {
    let reading = try YAMLReading(
      Self.yaml,
      #"[{"name":"A","text":"one"},{"name":"B"},{"name":"A","text":"two"}]"#)
    #expect(reading.ids[0] == reading.ids[2])
    #expect(reading.ids[0] != reading.ids[1])
    #expect(reading.all(.description) == ["one", nil, "two"])
  }

  @Test("a record without any of the values has no id")
  func nothing() throws {
    let reading = try YAMLReading(
      Self.yaml,
      #"[{"other":"N"},{"name":null,"other":"N"},{"name":"","location":{},"other":"N"}]"#)
    #expect(reading.offers.isEmpty)
    #expect(reading.skips == ["1: no id", "2: no id", "3: no id"])
  }

  @Test("a name without Latin letters gives a hash only, and a long name is truncated")
  func oddNames() throws {
    let hash = try #require(try id(#""name":"日本語""#))
    #expect(hash.utf8.count == 16)
    #expect(hash.allSatisfy { $0.isHexDigit })
    let long = try #require(try id("\"name\":\"\(String(repeating: "ab ", count: 1000))\""))
    #expect(long.utf8.count <= 49)
    #expect(long.hasPrefix("ab-ab-"))
    #expect(try id("\"name\":\"\(String(repeating: "ab ", count: 1001))\"") != long)
  }

  @Test("all elements of a list contribute if the path has a `*`")
  func lists() throws {
    let yaml = "id: {made-from: [\"lines[*]\"]}\nfields: {name: name}"
    func id(_ lines: String) throws -> String? {
      try YAMLReading(yaml, "[{\"name\":\"A\",\"lines\":\(lines)}]").ids.first ?? nil
    }
    let first = try #require(try id(#"["a","b"]"#))
    #expect(try id(#"["a","b"]"#) == first)
    #expect(try id(#"["a","c"]"#) != first)
    #expect(try id(#"["a"]"#) != first)
    #expect(try id(#"["ab"]"#) != first)
    #expect(try id("[]") == nil)
  }

  @Test("XML elements and attributes contribute like JSON members")
  func elements() throws {
    let yaml = """
      items: x.o
      id: {made-from: [n, p.@z]}
      fields: {name: n}
      """
    let reading = try YAMLReading(
      yaml,
      """
      <x><o><n>A</n><p z="1"/></o><o><n>A</n><p z="2"/></o><o><n> A </n><p z="1">t</p></o></x>
      """)
    #expect(reading.ids.count == 3)
    #expect(reading.ids[0] == reading.ids[2])
    #expect(reading.ids[0] != reading.ids[1])
  }
}
