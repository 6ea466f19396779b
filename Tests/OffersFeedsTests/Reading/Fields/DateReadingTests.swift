import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Dates in a record")
struct DateReadingTests {
  private static let yaml = """
    id: id
    fields: {name: {text: N}, starts: d, expires: d}
    attributes: {Date: {from: d, as: date}, Printed: d}
    """

  /// A printed date, its Unix seconds, and its text in an attribute.
  private static let moments: [(printed: String, seconds: Int, shown: String)] = [
    (#""2026-08-21T10:00:00Z""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""2026-08-21T10:00:00+02:00""#, 1_787_299_200, "2026-08-21T08:00:00Z"),
    (#""2026-08-21T10:00:00.123-0730""#, 1_787_333_400, "2026-08-21T17:30:00Z"),
    (#""2026-08-21 10:00""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""20260821T100000Z""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""Fri, 21 Aug 2026 10:00:00 GMT""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""21 Aug 2026 10:00 -0500""#, 1_787_324_400, "2026-08-21T15:00:00Z"),
    (#""Friday, 21-Aug-26 10:00:00 UTC""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""Fri Aug 21 10:00:00 2026""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    ("1787306400", 1_787_306_400, "2026-08-21T10:00:00Z"),
    ("1787306400123", 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""1787306400""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
    (#""  2026-08-21T10:00:00Z\n""#, 1_787_306_400, "2026-08-21T10:00:00Z"),
  ]

  @Test(
    "a time is Unix seconds in a field and ISO 8601 in an attribute", arguments: moments.indices)
  func readsMoment(index: Int) throws {
    let (printed, seconds, shown) = Self.moments[index]
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\"d\":\(printed)}]")
    #expect(reading.isClean)
    #expect(reading.all(.startsAt) == ["\(seconds)"], "\(printed)")
    #expect(reading.all(.expiresAt) == ["\(seconds)"], "\(printed)")
    #expect(reading.attributes.first?.first == "Date: \(shown)")
  }

  @Test(
    "an offer starts at the beginning of a day and expires at its end, in UTC",
    arguments: [
      "2026-08-21", "20260821", "2026/08/21", "21 Aug 2026", "Aug 21, 2026", "August 21 2026",
      "Fri, 21 Aug 2026",
    ])
  func wholeDays(printed: String) throws {
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\"d\":\"\(printed)\"}]")
    #expect(reading.isClean)
    #expect(reading.all(.startsAt) == ["1787270400"])
    #expect(reading.all(.expiresAt) == ["1787356799"])
    #expect(reading.attributes == [["Date: 2026-08-21", "Printed: \(printed)"]])
  }

  @Test("a date before 1970 has negative seconds")
  func oldDays() throws {
    let reading = try YAMLReading(Self.yaml, #"[{"id":1,"d":"1968-12-31"}]"#)
    #expect(reading.all(.startsAt) == ["-31622400"])
    #expect(reading.all(.expiresAt) == ["-31536001"])
    #expect(reading.attributes.first?.first == "Date: 1968-12-31")
  }

  @Test(
    "a date that programs store for no date is none, without a note",
    arguments: [
      "0", #""0""#, #""0000-00-00""#, #""0000-00-00 00:00:00""#, #""0001-01-01T00:00:00""#,
      #""-0001-11-30T00:00:00+00:00""#, #""1970-01-01""#, #""1900-01-01""#, #""9999-12-31""#,
      #""9999-12-31T23:59:59.9999999Z""#, #""31.12.9999""#, "253402300799", #""253402300799""#,
      "253402300799000", "-62135596800", #""/Date(-62135596800000)/""#, "99991231", #""N/A""#,
      #""never""#, #""ongoing""#, #""unbefristet""#, #"" ""#, "-1",
      #""Dec 31, 9999""#, #""9999-99-99""#, #""until further notice""#,
    ])
  func means(none printed: String) throws {
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\"d\":\(printed)}]")
    #expect(reading.all(.startsAt) == [nil])
    #expect(reading.all(.expiresAt) == [nil])
    #expect(reading.mends.isEmpty)
  }

  @Test("full-width and Arabic digits are digits")
  func foldsDigits() throws {
    for day in ["２０２６-08-21", "٢٠٢٦-٠٨-٢١", "２０２６年８月２１日"] {
      let reading = try YAMLReading(Self.yaml, #"[{"id":1,"d":"\#(day)"}]"#)
      #expect(reading.all(.startsAt) == ["1787270400"], "\(day)")
    }
  }

  @Test(
    "an ambiguous date is left out of a field, and unchanged in an attribute",
    arguments: ["08/09/2026", "soon", "2026-13-01", "2026-02-30", "next Friday", "2026", "25:00"])
  func unclear(printed: String) throws {
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\"d\":\"\(printed)\"}]")
    #expect(reading.all(.startsAt) == [nil])
    #expect(reading.all(.expiresAt) == [nil])
    #expect(reading.attributes == [["Date: \(printed)", "Printed: \(printed)"]])
    #expect(
      reading.mends == [
        "1: starts_at is not a recognized date: “\(printed)”, left out; "
          + "expires_at is not a recognized date: “\(printed)”, left out"
      ])
  }

  @Test("other dates are formatted as text, and the start of an offer is always a date")
  func otherFields() throws {
    let reading = try YAMLReading(
      """
      id: id
      fields:
        name: {from: d, as: date}
        terms: {from: "until {d}", as: date}
        starts: h
        expires: {from: d, as: text}
        categories: {from: "all[*]", as: date}
      """,
      #"[{"id":1,"d":"1787306400","h":"Aug 21, 2026","all":["20260821","x"]}]"#)
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "2026-08-21T10:00:00Z", .terms: "until 1787306400",
          .startsAt: "1787270400", .expiresAt: "1787306400", .categories: #"["2026-08-21","x"]"#,
        ]
      ])
  }

  @Test("the dates of an XML feed are read the same way")
  func elements() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss xmlns:g="http://base.google.com/ns/1.0"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
      <item><guid>1</guid><title>A</title><pubDate> Fri, 21 Aug 2026 10:00:00 GMT </pubDate>
      <g:expiration_date>2026-08-31</g:expiration_date></item>
      <item><guid>2</guid><title>B</title><dc:date>2026-08-21T10:00:00+02:00</dc:date></item>
      <item><guid>3</guid><title>C</title><pubDate>yesterday</pubDate></item></channel></rss>
      """)
    #expect(reading.isClean)
    #expect(reading.all(.expiresAt) == ["1788220799", nil, nil])
    #expect(
      reading.attributes == [
        ["Published: 2026-08-21T10:00:00Z"], ["Published: 2026-08-21T08:00:00Z"],
        ["Published: yesterday"],
      ])
  }

  @Test("the feed's date order applies to all its dates")
  func order() throws {
    let document = #"[{"id":1,"d":"01/02/2026"}]"#
    let unknown = try YAMLReading(Self.yaml, document)
    #expect(unknown.all(.startsAt) == [nil])
    #expect(unknown.mends.count == 1)
    for (order, seconds, shown) in [
      ("dmy", "1769904000", "2026-02-01"), ("mdy", "1767312000", "2026-01-02"),
    ] {
      let yaml = "date-order: \(order)\n" + Self.yaml
      let reading = try YAMLReading(yaml, document)
      #expect(reading.isClean)
      #expect(reading.all(.startsAt) == [seconds])
      #expect(reading.attributes == [["Date: \(shown)", "Printed: 01/02/2026"]])
    }
  }

  @Test("the date order survives writing and parsing, and changes the derivation seed")
  func orderKey() throws {
    func definition(_ line: String) throws -> FeedDefinition {
      let yaml = "feeds:\n  x:\n    id: id\n\(line)    fields:\n      name: title\n"
      let found = try #require(try DefinitionFile.parse(yaml, name: "f").first)
      #expect(DefinitionText.yaml(for: found) == yaml)
      return found
    }
    let seeds = try ["", "    date-order: dmy\n", "    date-order: mdy\n"].map {
      try definition($0).derivationSeed
    }
    #expect(Set(seeds).count == 3)
    let error = try #require(throws: OffersError.self) { try definition("    date-order: ymd\n") }
    #expect(error.message == "f:4: “ymd” is not a date order.")
  }
}
