import OffersCore
import OffersFeeds
import Testing

@Suite("The Ibotta feed")
struct IbottaShapeTests {
  @Test("the six fields of a record are read, and no others")
  func readsEveryField() throws {
    let reading = try FeedReading(
      record: """
        {"id":"110579","url":"https://i.example/1.png","name":"Café® Coffee","description":"30 oz.",
         "terms":"Buy one.","current_value":"$0.75 Cash Back","retailer":{"id":"7","name":"Other"}}
        """)
    #expect(
      reading.events == [
        .offer(
          position: 1,
          texts: [
            .id: "110579", .name: "Café® Coffee", .description: "30 oz.", .terms: "Buy one.",
            .reward: "$0.75 Cash Back", .imageURL: "https://i.example/1.png",
          ])
      ])
    #expect(reading.error == nil)
  }

  @Test("fields may have any order, with any whitespace between them")
  func ignoresOrderAndSpace() throws {
    let reading = try FeedReading(
      " \t\r\n[ { \"name\" : \"B\" ,\n\"x\":[ ] , \"id\"\t:\t\"1\" } , {\"id\":\"2\",\"name\":\"C\"}\n] \n"
    )
    #expect(reading.offers == [[.id: "1", .name: "B"], [.id: "2", .name: "C"]])
    #expect(reading.error == nil)
  }

  @Test("an empty list is a feed without offers")
  func readsEmptyList() throws {
    let reading = try FeedReading(" [ ] ")
    #expect(reading.events.isEmpty)
    #expect(reading.error == nil)
  }

  @Test(
    "byte order marks before the list are skipped", arguments: ["\u{FEFF}", "\u{FEFF}\u{FEFF}"])
  func passesByteOrderMarks(marks: String) throws {
    let reading = try FeedReading(marks + "[{\"id\":\"1\",\"name\":\"A\"}]")
    #expect(reading.ids == ["1"])
    #expect(reading.error == nil)
  }

  @Test("a byte order mark within or after the document is refused")
  func refusesStrayByteOrderMark() throws {
    for document in ["[\u{FEFF}]", "[]\u{FEFF}"] {
      #expect(try FeedReading(document).error?.code == .malformedFeed)
    }
  }

  @Test("positions count all records, including invalid ones")
  func countsPositions() throws {
    let reading = try FeedReading(
      #"[{"id":"1","name":"A"},7,{"id":"2"},{"id":"3","name":"C","terms":[1]}]"#)
    #expect(
      reading.events == [
        .offer(position: 1, texts: [.id: "1", .name: "A"]),
        .skipped(position: 2, id: nil, reason: "a number, expected an object"),
        .skipped(position: 3, id: "2", reason: "no name"),
        .mended(position: 4, reason: "terms is a list, left out"),
        .offer(position: 4, texts: [.id: "3", .name: "C"]),
      ])
  }

  @Test("a field may be nested in the record")
  func readsNestedFields() throws {
    let definition = FeedDefinition.with([
      .id: ["meta", "id"], .name: ["meta", "names", "en"], .reward: ["price"],
    ])
    let reading = try FeedReading(
      #"[{"price":"$1","meta":{"names":{"de":"Brot","en":"Bread"},"id":"1"},"id":"x","en":"y"}]"#,
      as: definition)
    #expect(reading.offers == [[.id: "1", .name: "Bread", .reward: "$1"]])
  }
}
