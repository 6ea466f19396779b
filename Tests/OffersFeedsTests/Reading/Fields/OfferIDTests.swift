import OffersCore
import Testing

@Suite("The id of an offer")
struct OfferIDTests {
  @Test("texts are ids as printed, and numbers are their digits")
  func numbersAndTexts() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: name}",
      """
      [{"id":7,"name":"A"},{"id":"7a","name":"B"},{"id":1.50,"name":"C"},{"id":"é/1","name":"D"},
       {"id":12345678901234567890,"name":"E"},{"id":"x\\ty","name":"F"},{"id":-0,"name":"G"}]
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["7", "7a", "1.5", "é/1", "12345678901234567890", "x\ty", "0"])
  }

  @Test("the first available id counts, and values of other types are skipped")
  func severalIDs() throws {
    let yaml = "id: [sku, codes.ean, \"codes.other[0]\", url]\nfields: {name: name}"
    func id(_ members: String) throws -> String? {
      try YAMLReading(yaml, "[{\"name\":\"A\",\(members)}]").ids.first ?? nil
    }
    #expect(try id(#""url":"u","sku":"s","codes":{"ean":1}"#) == "s")
    #expect(try id(#""url":"u","codes":{"ean":1}"#) == "1")
    #expect(try id(#""codes":{"other":["o"]},"url":"u""#) == "o")
    #expect(try id(#""sku":null,"codes":{"ean":""},"url":"u""#) == "u")
    #expect(try id(#""sku":"  ","url":"u""#) == "u")
    #expect(try id(#""sku":{},"codes":[],"url":"u""#) == "u")
    #expect(try id(#""sku":true"#) == nil)
  }

  @Test(
    "a key with a dollar sign or a dot in it is quoted",
    arguments: [#"_id."$oid""#, #"'_id."$oid"'"#, "_id.$oid", #""_id.$oid""#])
  func objectIDs(path: String) throws {
    let reading = try YAMLReading(
      "id: \(path)\nfields: {name: '\"a.b\"'}",
      #"[{"_id":{"$oid":"5f1e"},"a.b":"A","a":{"b":"no"}},{"_id":{"oid":"x"},"a.b":"B"}]"#)
    #expect(reading.offers == [[.id: "5f1e", .name: "A"]])
    #expect(reading.skips == ["2: no id"])
  }

  @Test("an attribute of the item or of a nested element can be the id")
  func attributes() throws {
    let reading = try YAMLReading(
      "items: feed.entry\nid: [id.@im:id, \"@xml:id\", id]\nfields: {name: name}",
      """
      <feed xmlns:im="http://itunes.apple.com/rss">
      <entry><id im:id="471">https://x.example/471</id><name>A</name></entry>
      <entry xml:id="n2"><id im:id="">u</id><name>B</name></entry>
      <entry><id>https://x.example/3</id><name>C</name></entry></feed>
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["471", "n2", "https://x.example/3"])
  }

  @Test("an id can combine several values, and is absent if one of them is")
  func templates() throws {
    let reading = try YAMLReading(
      "id: [\"{shop.id}/{sku}\", sku]\nfields: {name: name}",
      """
      [{"shop":{"id":4},"sku":"a","name":"A"},{"sku":"b","name":"B"},{"shop":{"id":4},"name":"C"}]
      """)
    #expect(reading.ids == ["4/a", "b"])
    #expect(reading.skips == ["3: no id"])
  }

  @Test("two records with the same id are both passed on in order")
  func repeatedIDs() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: name}",
      #"[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":"1","name":"C"}]"#)
    #expect(reading.ids == ["1", "2", "1"])
    #expect(reading.names == ["A", "B", "C"])
  }
}
