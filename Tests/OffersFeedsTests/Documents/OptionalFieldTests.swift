import OffersCore
import OffersFeeds
import Testing

@Suite("Optional fields of an offer")
struct OptionalFieldTests {
  private static let keys: [(key: String, field: OfferField)] = [
    ("description", .description), ("terms", .terms), ("current_value", .reward),
    ("url", .imageURL),
  ]

  @Test("null, an empty text and a missing key all mean absent", arguments: keys.indices)
  func treatsNullAndEmptyAsAbsent(index: Int) throws {
    let key = Self.keys[index].key
    for value in ["null", "\"\""] {
      let reading = try FeedReading(record: #"{"id":"1","name":"A","\#(key)":\#(value)}"#)
      #expect(reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
    }
  }

  @Test("a value of the wrong type is left out with a reason", arguments: keys.indices)
  func leavesOutWrongTypes(index: Int) throws {
    let (key, field) = Self.keys[index]
    for (value, kind) in [
      ("{}", "an object"), (#"{"a":"b"}"#, "an object"), (#"["a"]"#, "a list"),
      ("true", "true or false"), ("false", "true or false"),
    ] {
      let reading = try FeedReading(record: #"{"id":"1","\#(key)":\#(value),"name":"A"}"#)
      #expect(
        reading.events == [
          .mended(position: 1, reason: "\(field.name) is \(kind), left out"),
          .offer(position: 1, texts: [.id: "1", .name: "A"]),
        ])
    }
  }

  @Test("a number is kept as printed", arguments: keys.indices)
  func keepsNumbers(index: Int) throws {
    let (key, field) = Self.keys[index]
    let reading = try FeedReading(record: #"{"id":"1","name":"A","\#(key)":1.50}"#)
    #expect(
      reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A", field: "1.50"])])
  }

  @Test("all repairs of a record are reported together")
  func joinsReasons() throws {
    let reading = try FeedReading(
      record: #"{"url":["x"],"id":"1","name":"A\ud800","terms":{},"description":"ok"}"#)
    #expect(
      reading.events == [
        .mended(
          position: 1,
          reason: "name is not valid Unicode, marked with \u{FFFD}; terms is an object, left out; "
            + "image_url is a list, left out"),
        .offer(
          position: 1, texts: [.id: "1", .name: "A\u{FFFD}", .description: "ok"]),
      ])
  }

  @Test("a skipped record is not counted as repaired as well")
  func reportsOnce() throws {
    let reading = try FeedReading(record: #"{"id":"1","terms":{}}"#)
    #expect(reading.events == [.skipped(position: 1, id: "1", reason: "no name")])
  }

  @Test("a repair does not affect the next record")
  func startsAfresh() throws {
    let reading = try FeedReading(
      #"[{"id":"1","name":"A","terms":{}},{"id":"2","name":"B"},{"id":"3","name":"C"}]"#)
    #expect(reading.mends == ["terms is an object, left out"])
    #expect(reading.ids == ["1", "2", "3"])
  }

  @Test("a nested field below a value of another type is absent")
  func missesNestedField() throws {
    let definition = FeedDefinition.with([
      .id: ["id"], .name: ["name"], .reward: ["price", "now"],
    ])
    for value in ["null", "7", "[]", #""$1""#, "{}"] {
      let reading = try FeedReading(
        #"[{"id":"1","name":"A","price":\#(value)}]"#, as: definition)
      #expect(reading.events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
    }
  }
}
