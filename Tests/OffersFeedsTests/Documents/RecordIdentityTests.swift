import OffersCore
import OffersFeeds
import Testing

@Suite("Records that are not offers")
struct RecordIdentityTests {
  @Test(
    "a record without a valid id is skipped with a reason",
    arguments: [
      (#"{"name":"A"}"#, "no id"),
      (#"{}"#, "no id"),
      (#"{"id":null,"name":"A"}"#, "no id"),
      (#"{"id":"","name":"A"}"#, "no id"),
      (#"{"id":" \t\n","name":"A"}"#, "no id"),
      (#"{"ID":"1","name":"A"}"#, "no id; did you mean ID?"),
      (#"{"x":{"id":"1"},"name":"A"}"#, "no id"),
      (#"{"id":{},"name":"A"}"#, "id is an object, expected text"),
      (#"{"id":{"$oid":"1"},"name":"A"}"#, "id is an object, expected text"),
      (#"{"id":["1"],"name":"A"}"#, "id is a list, expected text"),
      (#"{"id":true,"name":"A"}"#, "id is true or false, expected text"),
      (#"{"id":false}"#, "id is true or false, expected text"),
      (#"{"id":"\ud800","name":"A"}"#, "id is not valid Unicode"),
      (#"{"id":"1\udc00","name":"A"}"#, "id is not valid Unicode"),
      (#"{"id":"1\u0000","name":"A"}"#, "id is not valid Unicode"),
    ])
  func skipsRecordWithoutID(record: String, reason: String) throws {
    let reading = try FeedReading(record: record)
    #expect(reading.events == [.skipped(position: 1, id: nil, reason: reason)])
    #expect(reading.error == nil)
  }

  @Test(
    "a record without a valid name is skipped with a reason and its id",
    arguments: [
      (#"{"id":"7"}"#, "no name"),
      (#"{"id":"7","name":null}"#, "no name"),
      (#"{"id":"7","name":""}"#, "no name"),
      (#"{"id":"7","name":"  \t\r\n "}"#, "no name"),
      (#"{"name":{"en":"A"},"id":"7"}"#, "name is an object, expected text"),
      (#"{"id":"7","name":[]}"#, "no name"),
      (#"{"id":"7","name":["A"]}"#, "name is a list, expected text"),
      (#"{"id":"7","name":false}"#, "name is true or false, expected text"),
    ])
  func skipsRecordWithoutName(record: String, reason: String) throws {
    let reading = try FeedReading(record: record)
    #expect(reading.events == [.skipped(position: 1, id: "7", reason: reason)])
    #expect(reading.error == nil)
  }

  @Test("a record whose id is not valid UTF-8 is skipped")
  func skipsInvalidBytesInID() throws {
    for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]] {
      let bytes = Array(#"[{"id":"a"#.utf8) + bad + Array(#"","name":"A"}]"#.utf8)
      #expect(
        try FeedReading(bytes).events
          == [.skipped(position: 1, id: nil, reason: "id is not valid Unicode")])
    }
  }

  @Test(
    "a number as an id is the digits of that number, however long",
    arguments: [
      ("110579", "110579"), ("0", "0"), ("-1", "-1"), ("1.50", "1.5"), ("1e3", "1000"),
      ("1E+03", "1000"), ("12345678901234567890123", "12345678901234567890123"), ("-0.0", "0"),
    ])
  func readsNumbers(number: String, id: String) throws {
    let reading = try FeedReading(record: "{\"id\":\(number),\"name\":\"A\"}")
    #expect(reading.events == [.offer(position: 1, texts: [.id: id, .name: "A"])])
  }

  @Test("an id of 1024 bytes is accepted, a longer one is skipped")
  func boundsTheID() throws {
    let longest = String(repeating: "é", count: 512)
    #expect(try FeedReading(record: "{\"id\":\"\(longest)\",\"name\":\"A\"}").ids == [longest])
    #expect(
      try FeedReading(record: "{\"id\":\"\(longest)x\",\"name\":\"A\"}").events
        == [.skipped(position: 1, id: nil, reason: "id is longer than 1024 bytes")])
    let digits = String(repeating: "7", count: 1025)
    #expect(try FeedReading(record: "{\"id\":\(digits),\"name\":\"A\"}").offers.isEmpty)
  }

  @Test("the length limit applies to the decoded id")
  func measuresDecodedID() throws {
    let escaped = String(repeating: #"\u0041"#, count: 1024)
    let reading = try FeedReading(record: "{\"id\":\"\(escaped)\",\"name\":\"A\"}")
    #expect(reading.ids == [String(repeating: "A", count: 1024)])
  }

  @Test(
    "an item that is not an object is skipped with its type",
    arguments: [
      ("7", "a number"), (#""{}""#, "a text"), ("null", "null"), ("true", "true or false"),
      ("false", "true or false"), (#"[{"id":"1","name":"A"}]"#, "a list"), ("[]", "a list"),
    ])
  func skipsOtherItems(item: String, kind: String) throws {
    let reading = try FeedReading(#"[{"id":"1","name":"A"},ITEM]"#.replacing("ITEM", with: item))
    #expect(
      reading.events == [
        .offer(position: 1, texts: [.id: "1", .name: "A"]),
        .skipped(position: 2, id: nil, reason: "\(kind), expected an object"),
      ])
    #expect(reading.error == nil)
  }

  @Test("a skipped record does not affect the next one")
  func startsAfresh() throws {
    let reading = try FeedReading(
      #"[{"id":"1","terms":{},"url":"u","description":"d"},{"id":"2","name":"B"},{"name":"C"}]"#)
    #expect(
      reading.events == [
        .skipped(position: 1, id: "1", reason: "no name"),
        .offer(position: 2, texts: [.id: "2", .name: "B"]),
        .skipped(position: 3, id: nil, reason: "no id"),
      ])
  }
}
