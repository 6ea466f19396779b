import Foundation
import OffersFeeds
import Testing

@Suite("The zone of a feed's days")
struct DayZoneTests {
  private static func reading(_ zone: String, _ expires: String) throws -> [String?] {
    let definition = try #require(
      try DefinitionFile.parse(
        """
        feeds:
          shop:
            id: id
            zone: \(zone)
            fields: {name: id, starts: e, expires: e}
            attributes: {Day: {from: e, as: date}}
        """, name: "feeds.yaml"
      ).first)
    #expect(
      try DefinitionFile.parse(DefinitionText.yaml(for: definition), name: "x") == [definition])
    let reading = try FeedReading(#"[{"id":1,"e":"\#(expires)"}]"#, as: definition)
    let offer = reading.offers.first
    return [offer?[.startsAt], offer?[.expiresAt], offer?[.attributes]]
  }

  private static func seconds(_ text: String) throws -> String {
    "\(Int(try Date(text, strategy: .iso8601).timeIntervalSince1970))"
  }

  @Test(
    "a day begins and ends at midnight of the zone",
    arguments: [
      ("UTC", "2026-11-30T00:00:00Z", "2026-11-30T23:59:59Z"),
      ("America/Los_Angeles", "2026-11-30T08:00:00Z", "2026-12-01T07:59:59Z"),
      ("Asia/Tokyo", "2026-11-29T15:00:00Z", "2026-11-30T14:59:59Z"),
      ("UTC+2", "2026-11-29T22:00:00Z", "2026-11-30T21:59:59Z"),
      ("CET", "2026-11-29T23:00:00Z", "2026-11-30T22:59:59Z"),
    ])
  func days(zone: String, starts: String, expires: String) throws {
    for text in ["2026-11-30", "30. November 2026", "30.11.2026"] {
      let read = try Self.reading(zone, text)
      #expect(read[0] == (try Self.seconds(starts)))
      #expect(read[1] == (try Self.seconds(expires)))
      #expect(read[2] == #"[["Day","2026-11-30"]]"#)
    }
  }

  @Test("a day on which the clocks change has 23 or 25 hours")
  func clockChanges() throws {
    #expect(
      try Self.reading("Europe/Berlin", "2026-10-25").prefix(2)
        == [Self.seconds("2026-10-24T22:00:00Z"), Self.seconds("2026-10-25T22:59:59Z")])
    #expect(
      try Self.reading("Europe/Berlin", "2026-03-29").prefix(2)
        == [Self.seconds("2026-03-28T23:00:00Z"), Self.seconds("2026-03-29T21:59:59Z")])
  }

  @Test("a time without a zone is in the feed's zone, and another time is as it says")
  func times() throws {
    let local = try Self.reading("Europe/Berlin", "2026-07-01 12:00")
    #expect(local[1] == (try Self.seconds("2026-07-01T10:00:00Z")))
    #expect(local[2] == #"[["Day","2026-07-01T10:00:00Z"]]"#)
    let stated = try Self.reading("Europe/Berlin", "2026-07-01T12:00:00Z")
    #expect(stated[1] == (try Self.seconds("2026-07-01T12:00:00Z")))
  }

  @Test("without a zone, a day ends at the user's midnight")
  func user() throws {
    let definition = try #require(
      try DefinitionFile.parse(
        "feeds: {shop: {id: id, fields: {name: id, expires: e}}}", name: "feeds.yaml"
      ).first)
    let reading = try FeedReading(#"[{"id":1,"e":"2026-11-30"}]"#, as: definition)
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst) = (126, 11, 1, -1)
    #expect(reading.offers.first?[.expiresAt] == "\(mktime(&parts) - 1)")
  }

  @Test(
    "texts that are no zone are refused",
    arguments: ["Berlin", "XYZ", "UTC+", "Mars/Olympus", "BST", ""])
  func refuses(text: String) {
    #expect(DayZone(text) == nil)
  }
}
