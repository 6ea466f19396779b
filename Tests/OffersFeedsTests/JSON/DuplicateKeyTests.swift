import OffersCore
import OffersFeeds
import Testing

@Suite("Duplicate keys")
struct DuplicateKeyTests {
  @Test("the last value counts")
  func lastOneCounts() throws {
    let reading = try FeedReading(
      record: #"{"id":"1","name":"A","terms":"x","id":"2","t\u0065rms":"y","name":"B"}"#)
    #expect(
      reading.events == [.offer(position: 1, texts: [.id: "2", .name: "B", .terms: "y"])])
  }

  @Test(
    "the last value counts even if it is null or empty", arguments: ["null", "\"\""])
  func lastOneAbsent(value: String) throws {
    let reading = try FeedReading(record: #"{"id":"1","name":"A","terms":"x","terms":\#(value)}"#)
    #expect(reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
    #expect(
      try FeedReading(record: #"{"id":"1","name":"A","id":\#(value)}"#).events
        == [.skipped(position: 1, id: nil, reason: "no id")])
    #expect(
      try FeedReading(record: #"{"id":"1","name":"A","name":\#(value)}"#).events
        == [.skipped(position: 1, id: "1", reason: "no name")])
  }

  @Test("the last value counts even if it has the wrong type")
  func lastOneWrong() throws {
    #expect(
      try FeedReading(record: #"{"id":"1","name":"A","terms":"x","terms":[]}"#).events == [
        .mended(position: 1, reason: "terms is a list, left out"),
        .offer(position: 1, texts: [.id: "1", .name: "A"]),
      ])
    #expect(
      try FeedReading(record: #"{"id":"1","name":"A","id":{}}"#).events
        == [.skipped(position: 1, id: nil, reason: "id is an object, expected text")])
    #expect(
      try FeedReading(record: #"{"id":"1","name":"A","name":true}"#).events
        == [.skipped(position: 1, id: "1", reason: "name is true or false, expected text")])
  }

  @Test(
    "a valid last value replaces an invalid first one",
    arguments: ["{}", "[]", "true", "null", #""""#, #""\ud800""#])
  func lastOneSound(first: String) throws {
    let reading = try FeedReading(
      record: #"""
        {"id":\#(first),"name":\#(first),"terms":\#(first),"id":"1","name":"A","terms":"x"}
        """#)
    #expect(
      reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A", .terms: "x"])])
  }

  @Test("the last of two nested objects counts as a whole")
  func lastObjectCounts() throws {
    let definition = FeedDefinition.with([
      .id: ["id"], .name: ["name"], .reward: ["price", "now"], .terms: ["price", "more", "terms"],
    ])
    let first = #"{"now":"$1","more":{"terms":"x"}}"#
    for last in ["{}", "null", "7", "[]", #"{"more":null}"#] {
      let reading = try FeedReading(
        #"[{"id":"1","name":"A","price":\#(first),"price":\#(last)}]"#, as: definition)
      #expect(reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
    }
    let reading = try FeedReading(
      #"[{"id":"1","name":"A","price":{"now":[]},"price":\#(first)}]"#, as: definition)
    #expect(
      reading.events
        == [.offer(position: 1, texts: [.id: "1", .name: "A", .reward: "$1", .terms: "x"])])
  }
}
