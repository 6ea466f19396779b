import OffersCore
import Testing

@Suite("Statements of a document about itself")
struct DocumentFactsTests {
  @Test("values before and after the items are read", arguments: [true, false])
  func beforeAndBehind(isBehind: Bool) throws {
    let yaml = """
      title: {from: [feed.title.label, feed.title]}
      items: feed.results
      id: id
      fields: {name: name}
      shared: {Copyright: feed.copyright, Country: feed.country, None: feed.none}
      pages: {next: feed.next, limit: 5}
      """
    let values =
      #""title":"Top \u2605 Albums","copyright":"© 2026 A","country":"us","next":"/p2""#
    let items = #""results":[{"id":1,"name":"A","title":"no","copyright":"no"}]"#
    let reading = try YAMLReading(
      yaml, "{\"feed\":{\(isBehind ? "\(items),\(values)" : "\(values),\(items)")}}")
    #expect(reading.isClean)
    #expect(reading.facts.title == "Top ★ Albums")
    #expect(reading.facts.shared == ["Copyright: © 2026 A", "Country: us"])
    #expect(reading.facts.nextPage == "/p2")
  }

  @Test("a constant title needs no document, and a missing one is absent")
  func titles() throws {
    func title(_ rule: String, _ document: String) throws -> String? {
      try YAMLReading("title: \(rule)\nitems: items\nid: id\nfields: {name: name}", document)
        .facts.title
    }
    #expect(try title("Fine", #"{"items":[]}"#) == "Fine")
    #expect(try title("{from: title}", #"{"items":[],"title":"T"}"#) == "T")
    for value in ["null", "\"\"", "\"  \"", "{}", "[]", "true", "[\"x\"]"] {
      #expect(try title("{from: title}", "{\"items\":[],\"title\":\(value)}") == nil, "\(value)")
    }
    #expect(try title("{from: title}", #"{"items":[]}"#) == nil)
    #expect(try title("{from: [a, b.c]}", #"{"a":"","b":{"c":7},"items":[]}"#) == "7")
    #expect(
      try title("{from: \"{a} – {b}\"}", #"{"a":"A","items":[],"b":"B"}"#) == "A – B")
    #expect(try title("{from: \"{a} – {b}\"}", #"{"a":"A","items":[]}"#) == nil)
    #expect(try title("{from: t, as: html}", #"{"t":"<b>A</b> &amp; B","items":[]}"#) == "A & B")
    #expect(
      try title("{from: t, limit: 9}", #"{"t":"One two three","items":[]}"#) == "One two…")
    #expect(try title("{from: \"tags[1].name\"}", #"{"tags":[{},{"name":"B"}],"items":[]}"#) == "B")
    #expect(
      try title("{from: \"tags[*]\", join: \" + \"}", #"{"tags":["A","B"],"items":[]}"#) == "A + B")
    #expect(
      try title(
        "{from: \"link[rel=self].href\"}",
        #"{"link":[{"rel":"up","href":"u"},{"rel":"self","href":"s"}],"items":[]}"#) == "s")
  }

  @Test("the last of duplicate values of the document counts")
  func repeatedKeys() throws {
    let yaml = "title: {from: feed.title}\nitems: feed.items\nid: id\nfields: {name: name}"
    func title(_ document: String) throws -> String? { try YAMLReading(yaml, document).facts.title }
    #expect(try title(#"{"feed":{"title":"A","items":[],"title":"B"}}"#) == "B")
    #expect(try title(#"{"feed":{"title":{"x":1},"items":[],"title":"B"}}"#) == "B")
    #expect(try title(#"{"feed":{"title":"A","items":[],"t\u0069tle":null}}"#) == nil)
    #expect(try title(#"{"feed":{"title":"A"},"feed":{"items":[]}}"#) == nil)
    #expect(try title(#"{"feed":{"title":["A"],"title":"B","items":[]},"x":{"title":"C"}}"#) == "B")
  }

  @Test("a shared date is formatted, and a shared link is resolved against the document's URL")
  func sharedReadings() throws {
    let reading = try YAMLReading(
      """
      items: items
      id: id
      fields: {name: name}
      shared:
        Updated: {from: updated, as: date}
        Home: {from: home, as: link}
        Text: {from: text, as: html, limit: 12}
      """,
      """
      {"updated":"Fri, 21 Aug 2026 10:00:00 +0200","home":"/about","text":"<p>One two three</p>",
       "items":[]}
      """,
      address: "https://shop.example/feed.json")
    #expect(
      reading.facts.shared == [
        "Updated: 2026-08-21T08:00:00Z", "Home: https://shop.example/about", "Text: One two…",
      ])
  }

  @Test("an item can use values of the document before it")
  func inItems() throws {
    let reading = try YAMLReading(
      """
      items: items
      id: "{$.shop}-{id}"
      fields: {name: name, retailer: $.shop, reward: {from: price, currency: {from: $.money}}}
      """,
      #"{"shop":"Corner","money":"CHF","items":[{"id":1,"name":"A","price":"2.50","shop":"x"}]}"#)
    #expect(
      reading.offers == [
        [.id: "Corner-1", .name: "A", .retailer: "Corner", .reward: "2.50 CHF"]
      ])
  }

  @Test("the number of pages is a number")
  func pages() throws {
    let yaml = """
      source: https://x.example/?page={page}
      items: results
      id: id
      fields: {name: name}
      pages: {total: total_pages, limit: 9}
      """
    #expect(try YAMLReading(yaml, #"{"results":[],"total_pages":42}"#).facts.pageCount == 42)
    #expect(try YAMLReading(yaml, #"{"total_pages":"7","results":[]}"#).facts.pageCount == 7)
    for value in ["null", "\"many\"", "{}", "1.5", "true"] {
      let document = "{\"total_pages\":\(value),\"results\":[]}"
      #expect(try YAMLReading(yaml, document).facts.pageCount == nil, "\(value)")
    }
  }

  @Test("the title and copyright of an XML feed are read before or after its items")
  func xmlFacts() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
      <image><title>Logo</title></image>
      <title> Deals <![CDATA[& <more>]]></title><item><guid>1</guid><title>A</title>
      <copyright>no</copyright></item><dc:rights>Open</dc:rights></channel></rss>
      """)
    #expect(reading.isClean)
    #expect(reading.facts.title == "Deals & <more>")
    #expect(reading.facts.shared == ["Copyright: Open"])
  }

  @Test("the title of an Atom feed can be XHTML, or an attribute")
  func atomFacts() throws {
    let reading = try YAMLReading(
      """
      title: {from: feed.title}
      items: feed.entry
      id: id
      fields: {name: title}
      shared: {Self: "feed.link[@rel=self].@href", Lang: "feed.@xml:lang"}
      """,
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">One <b>two</b></div></title>
      <link href="/" /><link rel="self" href="/feed"/>
      <entry><id>1</id><title>A</title></entry></feed>
      """)
    #expect(reading.facts.title == "One two")
    #expect(reading.facts.shared == ["Self: /feed", "Lang: de"])
  }
}
