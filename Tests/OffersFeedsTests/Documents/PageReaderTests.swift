import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Web pages with JSON-LD")
struct PageReaderTests {
  private static func page(_ scripts: String...) -> String {
    let data = scripts.map { "<script type=\"application/ld+json\">\($0)</script>\n" }.joined()
    return
      "<!DOCTYPE html><html><head><title>Tea</title>\n\(data)</head><body><p>Buy</p></body></html>"
  }

  private static func read(
    _ document: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> YAMLReading {
    try YAMLReading(
      shipped: "jsonld", document, address: "https://shop.example/p/tea?x=1",
      sourceLocation: sourceLocation)
  }

  @Test("a product is an offer, and the guess knows the page")
  func product() throws {
    let page = Self.page(
      """
      {"@context":"https://schema.org/","@type":"Product","name":"Tea &amp; Co","description":"Green\ntea",
      "image":["/a.jpg","/b.jpg"],"sku":"T-1","brand":{"@type":"Brand","name":"Leaf"},"gtin13":"4006381333931",
      "offers":{"@type":"Offer","price":4.5,"priceCurrency":"EUR","availability":"https://schema.org/InStock",
      "priceValidUntil":"2027-12-31","url":"/p/tea","seller":{"@type":"Organization","name":"Shop"}}}
      """)
    let reading = try Self.read(page)
    #expect(reading.isClean)
    #expect(reading.ids == ["T-1"])
    #expect(reading.names == ["Tea & Co"])
    #expect(reading.all(.reward) == ["4.5 EUR"])
    #expect(reading.all(.imageURL) == ["https://shop.example/a.jpg"])
    #expect(reading.all(.url) == ["https://shop.example/p/tea"])
    #expect(reading.all(.retailer) == ["Shop"])
    #expect(reading.all(.expiresAt).first??.isEmpty == false)
    #expect(
      reading.attributes == [["Brand: Leaf", "Availability: In stock", "GTIN: 4006381333931"]])
    let guess = try GuessReading(page)
    #expect(guess.proposal.kind == .jsonld && guess.proposal.itemCount == 1)
    #expect(guess.definition.format == .jsonLD)
    // The token of a form around the data is no change of the offer.
    #expect(try Self.read(page + "<!-- 1 --><input value=\"token\">").events == reading.events)
  }

  @Test(
    "scripts are found in any notation",
    arguments: [
      "<SCRIPT data-x='>' TYPE='application/ld+json; charset=utf-8' >{}</SCRIPT >",
      "<script type=application/ld+json>\n//<![CDATA[\n{}\n//]]>\n</script>",
      "<script\ntype = \"application/ld+json\"><!-- {} --></script>",
      "<script type=\"application/ld+json\">[[{}]];</script>",
      "<script>var a = '<!--<script>';</script><script type=\"application/ld+json\">{}</script>",
      "<script type=\"application&#x2F;ld&#x2B;json\">{}</script>",
      "<!--><script type=\"application/ld+json\">{}</script>",
    ])
  func notations(markup: String) throws {
    let product = #"{"@type":"Product","name":"Tea","offers":{"price":"1"}}"#
    let reading = try Self.read("<html><body>" + markup.replacing("{}", with: product))
    #expect(reading.names == ["Tea"])
    #expect(reading.ids == ["https://shop.example/p/tea?x=1"])
  }

  @Test(
    "the price is taken where one is stated",
    arguments: [
      (#"{"@type":"Offer","price":"1,299.00","priceCurrency":"USD"}"#, "1,299.00 USD"),
      (#"[{"price":"","priceCurrency":"USD"},{"price":"5","priceCurrency":"USD"}]"#, "5 USD"),
      (
        #"{"@type":"AggregateOffer","lowPrice":"5","highPrice":"9","priceCurrency":"USD"}"#,
        "from 5 USD"
      ),
      (#"{"@type":"AggregateOffer","lowPrice":5,"highPrice":5,"priceCurrency":"USD"}"#, "5 USD"),
      (#"{"@type":"AggregateOffer","lowPrice":5}"#, "from 5"),
      (
        #"""
        [{"priceSpecification":[{"price":"9","priceCurrency":"USD","priceType":"https://schema.org/ListPrice"},
        {"price":"7","priceCurrency":"USD"}]}]
        """#, "7 USD"
      ),
      (#"{"@id":"/o"}"#, "3 USD"),
    ])
  func prices(offers: String, price: String) throws {
    let reading = try Self.read(
      Self.page(
        #"{"@graph":[{"@type":["Product","Thing"],"name":"Tea","sku":"1","offers":\#(offers)},"#
          + #"{"@id":"/o","@type":"Offer","price":"3","priceCurrency":"USD","name":"x"}]}"#))
    #expect(reading.all(.reward).first == price)
  }

  @Test("lists, groups, wrappers and references lead to products")
  func wrappers() throws {
    func names(_ json: String...) throws -> [String?] {
      try Self.read("<html>" + json.map { Self.page($0) }.joined()).names
    }
    let tea = #"{"@type":"http://schema.org/Product","name":"Tea","sku":"1"}"#
    let jam = #"{"@type":"Product","name":"Jam","sku":"2","@id":"/jam"}"#
    #expect(try names(#"{"@type":"WebPage","mainEntity":[\#(tea),\#(jam)]}"#) == ["Tea", "Jam"])
    #expect(
      try names(
        #"{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":\#(tea)},{"@id":"/jam"}]}"#,
        #"{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","name":"Home","item":"/"}]}"#,
        jam) == ["Tea", "Jam"])
    #expect(
      try names(
        #"{"@type":"ItemList","itemListElement":[{"@type":"ListItem","url":"/a","name":"A"},{"@type":"ListItem","item":"/b"}]}"#
      )
        == ["A", "/b"])
    #expect(
      try names(
        #"{"@type":"ProductGroup","name":"Coat","hasVariant":[{"@type":"Product","sku":"1","offers":{"price":1}},{"@type":"Product","sku":"2","name":"Red coat"},{"url":"/other"}]}"#
      )
        == ["Coat", "Red coat"])
    #expect(
      try names(#"{"@type":"Offer","price":1,"itemOffered":{"@type":"Product","name":"Tea"}}"#)
        == ["Tea"])
    // Another program on the page repeats the product to add ratings.
    #expect(try names(tea, #"{"@type":"Product","name":"Tea","aggregateRating":{}}"#) == ["Tea"])
  }

  @Test("a script that is not valid JSON is left out")
  func broken() throws {
    let reading = try Self.read(
      Self.page("{\"@type\":", #"{"@type":"Product","name":"Tea","sku":"1"}"#))
    #expect(reading.names == ["Tea"])
    let escaped = Self.page(
      "{&quot;@type&quot;:&quot;Product&quot;,&quot;name&quot;:&quot;Tea&quot;}")
    #expect(try Self.read(escaped).names == ["Tea"])
    #expect(reading.mends == ["0: a script with JSON-LD is not valid JSON, left out"])
  }

  @Test(
    "a page without products says so",
    arguments: [
      page(), page(#"{"@type":"Organization","name":"Shop"}"#), page("{"),
      "<html><!-- " + page(#"{"@type":"Product","name":"Tea"}"#),
      "<html><script type=\"application/ld+json\">{\"@type\":\"Product\",\"name\":\"Tea\"}",
    ])
  func none(document: String) throws {
    let error = try #require(try Self.read(document).error)
    #expect(error.code == .malformedFeed)
    #expect(
      error.message == "The document is a web page without products in JSON-LD, not a feed.")
    let refusal = #expect(throws: OffersError.self) { try GuessReading(document) }
    #expect(refusal == error)
  }

  @Test("another document is not a web page")
  func otherDocuments() throws {
    #expect(try Self.read("{}").error?.message == "The document is not a web page.")
    #expect(try Self.read("").error?.message == "The document is empty.")
    // In the place of a feed, a page is refused, whatever it states.
    let page = Self.page(#"{"@type":"Product","name":"Tea"}"#)
    let error = try YAMLReading("id: id\nfields: {name: name}", page).error
    #expect(error?.message == "The document is a web page, not a feed.")
  }

  @Test("references that lead in a circle, and more data than the limit, end")
  func bounds() throws {
    let circle =
      #"{"@id":"a","mainEntity":{"@id":"b"}},{"@id":"b","mainEntity":[{"@id":"a"},{"@id":"b"}]}"#
    #expect(try Self.read(Self.page("[\(circle)]")).error?.code == .malformedFeed)
    let large = Self.page("\"" + String(repeating: "x", count: 4 << 20) + "\"")
    let error = try FeedReading(large, as: WellKnownKind.jsonld.definition(named: "page")).error
    #expect(error?.code == .limitExceeded)
  }
}
