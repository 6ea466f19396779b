import OffersCore
import Testing

@Suite("Duplicate keys with values of all types")
struct RepeatedKeyTests {
  private static let yaml = """
    id: id
    fields:
      name: name
      description: [a.b.c, a.b, a]
      terms: {from: "list[*].t", join: "+"}
      reward: "list[-1].t"
      retailer: "list[t=2].u"
      categories: "tags[*]"
    """

  private func offer(_ members: String) throws -> [OfferField: String] {
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\"name\":\"N\",\(members)}]")
    #expect(reading.skips.isEmpty)
    var offer = try #require(reading.offers.first)
    offer[.id] = nil
    offer[.name] = nil
    return offer
  }

  @Test(
    "the last of two values counts, whatever the type of the first",
    arguments: [
      #""old""#, "7", "null", "true", "[]", "{}", #"["x"]"#, #"[{"b":"x"}]"#, #"{"b":"x"}"#,
      #"{"b":{"c":"x"}}"#, #"[[{"b":{"c":"x"}}]]"#, #"{"b":[{"c":"x"},{"c":"y"}]}"#,
    ])
  func lastCounts(first: String) throws {
    #expect(try offer("\"a\":\(first),\"a\":\"new\"") == [.description: "new"])
    #expect(try offer("\"a\":\(first),\"a\":{\"b\":\"new\"}") == [.description: "new"])
    #expect(try offer("\"a\":\(first),\"a\":{\"b\":{\"c\":\"new\"}}") == [.description: "new"])
    #expect(
      try offer("\"a\":\(first),\"\\u0061\":{\"b\":[{\"c\":\"new\"}]}") == [.description: "new"])
    #expect(
      try offer("\"a\":\(first),\"a\":\"between\",\"a\":{\"b\":\"new\"}") == [.description: "new"])
    for last in ["null", "{}", "[]", "{\"b\":null}", "{\"b\":{\"c\":null}}", "{\"x\":1}", "\"\""] {
      #expect(try offer("\"a\":\(first),\"a\":\(last)") == [:], "\(first), \(last)")
    }
  }

  @Test("the last of duplicate keys in a nested object counts")
  func innerKeys() throws {
    #expect(
      try offer(#""a":{"b":{"c":"1","c":"2"}}"#) == [.description: "2"])
    #expect(
      try offer(#""a":{"b":{"c":"1"},"b":{"c":"2"}}"#) == [.description: "2"])
    #expect(
      try offer(#""a":{"b":"1","b":{"c":{}}}"#) == [:])
  }

  @Test("the last value counts even if it has the wrong type")
  func lastOneWrong() throws {
    for (member, event) in [
      (
        #""id":{}"#,
        RecordingSink.Event.skipped(
          position: 1, id: nil, reason: "id is an object, expected text")
      ),
      (
        #""name":true"#,
        .skipped(position: 1, id: "1", reason: "name is true or false, expected text")
      ),
      (#""terms":["y"]"#, .mended(position: 1, reason: "terms is a list, left out")),
    ] {
      let reading = try FeedReading(record: #"{"id":"1","name":"A","terms":"x",\#(member)}"#)
      #expect(reading.events.first == event)
    }
  }

  @Test("the last of two lists counts, without elements of the first")
  func lists() throws {
    let first = #"[{"t":1,"u":"a"},{"t":2,"u":"b"}]"#
    #expect(
      try offer("\"list\":\(first)") == [.terms: "1+2", .reward: "2", .retailer: "b"])
    #expect(
      try offer("\"list\":\(first),\"list\":[{\"t\":3},{\"t\":2,\"u\":\"c\"}]")
        == [.terms: "3+2", .reward: "2", .retailer: "c"])
    #expect(try offer("\"list\":\(first),\"list\":[]") == [:])
    #expect(try offer("\"list\":\(first),\"list\":{\"t\":5}") == [.terms: "5", .reward: "5"])
    #expect(
      try offer(#""list":[{"t":1,"t":4},{"t":2,"u":"b","u":"c"}]"#)
        == [.terms: "4+2", .reward: "2", .retailer: "c"])
    #expect(
      try offer(#""tags":["x","y"],"tags":["z"]"#) == [.categories: #"["z"]"#])
    #expect(try offer(#""tags":["x","y"],"tags":null"#) == [:])
  }

  @Test("the last of two ids or names counts")
  func identity() throws {
    let reading = try YAMLReading(
      Self.yaml,
      """
      [{"id":1,"name":"A","id":2,"name":"B"},{"id":{},"name":[],"name":"C","id":3},
       {"id":4,"name":"D","id":null},{"id":5,"name":"E"}]
      """)
    #expect(reading.ids == ["2", "3", "5"])
    #expect(reading.names == ["B", "C", "E"])
    #expect(reading.skips == ["3: no id"])
  }

  @Test("the keys of objects in a list are not duplicates")
  func longLists() throws {
    let elements = (1...5000).map { "{\"t\":\($0),\"u\":\"u\"}" }.joined(separator: ",")
    let reading = try YAMLReading(
      "id: id\nfields: {name: name, reward: \"list[-1].t\", terms: \"list[0].u\"}",
      "[{\"id\":1,\"name\":\"N\",\"list\":[\(elements)]}]")
    #expect(reading.isClean)
    #expect(reading.all(.reward) == ["5000"])
    #expect(reading.all(.terms) == ["u"])
  }
}
