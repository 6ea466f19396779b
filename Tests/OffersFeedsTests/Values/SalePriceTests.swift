import Foundation
import OffersFeeds
import Testing

@Suite("Prices of a sale")
struct SalePriceTests {
  /// The prices of products with these members, on November 27, 2026, at noon.
  private static func prices(_ during: String, _ products: String...) throws -> [String?] {
    let definition = try #require(
      try DefinitionFile.parse(
        """
        feeds:
          shop:
            id: id
            zone: UTC
            fields:
              name: id
              price: [{from: sale, during: \(during)}, price]
        """, name: "feeds.yaml"
      ).first)
    #expect(
      try DefinitionFile.parse(DefinitionText.yaml(for: definition), name: "x") == [definition])
    let sink = RecordingSink()
    let reader = FeedReader(
      definition: definition, now: Date(timeIntervalSince1970: 1_795_780_800), sink: sink)
    let items = products.enumerated().map { #"{"id":\#($0),"price":"30","sale":"20"\#($1)}"# }
    try Array("[\(items.joined(separator: ","))]".utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    return sink.events.compactMap {
      if case .offer(_, let texts) = $0 { texts[.reward] } else { nil }
    }
  }

  @Test("a sale price counts between its two dates only")
  func bounds() throws {
    #expect(
      try Self.prices(
        "{from: a, until: b}", "", #","a":"2026-11-28""#, #","a":"2026-11-27","b":"2026-11-27""#,
        #","b":"2026-11-26""#, #","b":"26. November 2026""#, #","a":"","b":null"#,
        #","a":"2020-01-01T00:00:00Z","b":"2026-11-27T11:59:59Z""#)
        == ["20", "30", "20", "30", "30", "20", "30"])
    #expect(
      try Self.prices("{until: b}", #","b":"2026-11-26""#, #","a":"2026-11-28""#) == ["30", "20"])
  }

  @Test("both dates may be one text")
  func range() throws {
    #expect(
      try Self.prices(
        "d", #","d":"2020-01-01T00:00+0000/2020-01-31T23:59+0000""#,
        #","d":"2020-01-01/2026-11-27""#, #","d":"2026-11-28 / 2026-11-30""#,
        #","d":"2026-11-20/""#, #","d":"/2026-11-20""#)
        == ["30", "20", "30", "20", "30"])
  }

  @Test("a date that is not recognized is no bound, and is reported")
  func unknownDate() throws {
    #expect(try Self.prices("{until: b}", #","b":"soon""#) == ["20"])
  }

  @Test("the shipped definition of RSS knows the sale dates of Google Merchant Center")
  func merchant() throws {
    let document = """
      <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
      <item><g:id>over</g:id><g:title>A</g:title><g:price>30.00 USD</g:price>
      <g:sale_price>20.00 USD</g:sale_price>
      <g:sale_price_effective_date>2020-01-01T00:00+0000/2020-01-31T23:59+0000\
      </g:sale_price_effective_date></item>
      <item><g:id>now</g:id><g:title>B</g:title><g:price>30.00 USD</g:price>
      <g:sale_price>20.00 USD</g:sale_price></item></channel></rss>
      """
    let definition = try WellKnownKind.rss.definition(named: "shop")
    let reading = try FeedReading(document, as: definition)
    #expect(reading.offers.map { $0[.reward] } == ["30.00 USD", "20.00 USD"])
  }
}
