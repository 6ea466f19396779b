import OffersCore
import Testing

@Suite("Common faults of XML feeds")
struct XMLFaultReadingTests {
  private static let yaml = """
    title: {from: rss.channel.title}
    items: rss.channel.item
    id: guid
    fields:
      name: title
      description: {from: [content:encoded, description], as: html}
      link: link
      categories: category
    """

  private func item(_ members: String) throws -> YAMLReading {
    try YAMLReading(
      Self.yaml,
      "<rss><channel><title>T</title><item><guid>1</guid>\(members)</item></channel></rss>")
  }

  @Test("a bare & and references of HTML are repaired and reported")
  func references() throws {
    let reading = try item(
      "<title>A & B &nbsp; C&eacute; &amp; D &#38; &lt;E></title><link>/?a=1&b=2</link>")
    #expect(reading.error == nil)
    #expect(reading.names == ["A & B \u{A0} Cé & D & <E>"])
    #expect(reading.all(.url) == ["/?a=1&b=2"])
    #expect(reading.mends == ["0: 4 faults in the XML, repaired"])
  }

  @Test("a single fault is counted as one, and a valid document has none")
  func faultCounts() throws {
    #expect(
      try item("<title>A & B</title>").mends == ["0: 1 fault in the XML, repaired"])
    #expect(try item("<title>A &amp; B &#xE9; &quot;</title>").isClean)
  }

  @Test("CDATA is literal text, and joins the text around it")
  func characterData() throws {
    let reading = try item(
      """
      <title>One <![CDATA[& <two> &amp; ]]]]><![CDATA[>]]> three</title>
      <description><![CDATA[<p>Save &amp; <b>win</b></p><p>Now</p>]]></description>
      """)
    #expect(reading.isClean)
    #expect(reading.names == ["One & <two> &amp; ]]> three"])
    #expect(reading.all(.description) == ["Save & win\n\nNow"])
  }

  @Test("comments and instructions are not part of the text")
  func comments() throws {
    let reading = try item(
      "<!-- <title>no</title> & --><title>A<!-- b & > -->B<?php echo & ?>C</title><?x?>")
    #expect(reading.isClean)
    #expect(reading.names == ["ABC"])
  }

  @Test("escaped HTML, nested HTML and HTML in CDATA give the same text")
  func nestedHTML() throws {
    for description in [
      "&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;&lt;/p&gt;&lt;p&gt;Three &amp;amp; four&lt;/p&gt;",
      "<![CDATA[<p>One <b>two</b></p><p>Three &amp; four</p>]]>",
    ] {
      let reading = try item("<title>A</title><description>\(description)</description>")
      #expect(reading.isClean)
      #expect(reading.all(.description) == ["One two\n\nThree & four"])
    }
    let markup = try item(
      "<title>A</title><description><p>One <b>two</b></p><p>Three</p></description>")
    #expect(markup.all(.description) == ["One two\nThree"])
  }

  @Test("XHTML content of Atom becomes text with one line per block")
  func xhtml() throws {
    let reading = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>1</id>
      <title type="html">Less &amp;lt;b&amp;gt; &lt;i>more&lt;/i></title>
      <content type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">Intro<ul><li>One <em>x</em></li>
      <li>Two</li></ul><p>Three<br/>Four</p>End</div></content></entry></feed>
      """)
    #expect(reading.isClean)
    #expect(reading.names == ["Less <b> more"])
    #expect(
      reading.all(.description).first??.split(whereSeparator: \.isNewline).map(String.init)
        == ["Intro", "One x", "Two", "Three", "Four", "End"])
  }

  @Test("repeated categories are a list in document order")
  func categories() throws {
    let reading = try item(
      """
      <title>A</title><category>Food</category><category domain="x"> Drink &amp; Bar </category>
      <category/><category><![CDATA[Fun]]></category>
      """)
    #expect(reading.categories == [["Food", "Drink & Bar", "Fun"]])
  }

  @Test("an item without a title is named by the first words of its text")
  func untitled() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss><channel><title>T</title><item><link>https://x.example/1</link><title></title>
      <description>&lt;p&gt;\(String(repeating: "word ", count: 40))&lt;/p&gt;</description></item>
      </channel></rss>
      """)
    #expect(reading.ids == ["https://x.example/1"])
    #expect(reading.names.first??.hasSuffix("word…") == true)
    #expect(reading.names.first??.count ?? 0 <= 81)
  }

  @Test(
    "entities that expand without bound are refused",
    arguments: [
      """
      <!DOCTYPE rss [<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
      <!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
      <!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>
      """,
      "<!DOCTYPE rss [<!ENTITY g \"&g;\">]>",
    ])
  func entityBomb(doctype: String) throws {
    let reading = try YAMLReading(
      Self.yaml,
      "\(doctype)<rss><channel><item><guid>1</guid><title>&g;</title></item></channel></rss>")
    let code = try #require(reading.error?.code)
    #expect([.limitExceeded, .malformedFeed].contains(code))
    #expect(reading.offers.isEmpty)
  }

  @Test("internal entities are expanded, and external ones are not")
  func ownEntities() throws {
    let reading = try YAMLReading(
      Self.yaml,
      """
      <!DOCTYPE rss [<!ENTITY shop "Corner &amp; Co">]>
      <rss><channel><item><guid>1</guid><title>&shop;!</title></item></channel></rss>
      """)
    #expect(reading.names == ["Corner & Co!"])
    let outside = try YAMLReading(
      Self.yaml,
      """
      <!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
      <rss><channel><item><guid>1</guid><title>A&x;</title></item></channel></rss>
      """)
    #expect(!outside.names.contains { $0?.contains("root") == true })
    #expect(outside.names == ["A"])
    #expect(
      outside.mends == ["0: 1 reference to external entities, which are never loaded, left out"])
  }

  @Test("names of HTML are known beside the document's own entities")
  func htmlBesideOwn() throws {
    let reading = try YAMLReading(
      Self.yaml,
      """
      <!DOCTYPE rss [<!ENTITY shop "Corner">]>
      <rss><channel><item><guid>1</guid><title>&shop; Caf&eacute;</title></item></channel></rss>
      """)
    #expect(reading.names == ["Corner Café"])
    #expect(reading.mends.isEmpty)
  }

  @Test("a document that is cut off anywhere is refused")
  func truncated() throws {
    let document = """
      <?xml version="1.0"?><rss><channel><title>T</title><item><guid>1</guid>\
      <title>A</title></item>\
      <item><guid>2</guid><title>B &amp; C</title></item></channel></rss>
      """
    #expect(try YAMLReading(Self.yaml, document).isClean)
    for count in stride(from: 0, to: document.count, by: 5) {
      let reading = try YAMLReading(Self.yaml, String(document.prefix(count)))
      #expect(reading.error?.code == .malformedFeed, "\(document.prefix(count))")
    }
  }

  @Test(
    "unclosed elements and several roots are refused",
    arguments: [
      "<rss><channel><item></channel></rss>", "<rss></rss><rss></rss>", "<rss><channel></rss>",
      "<rss a=1></rss>", "<rss a='1' a='2'></rss>", "text", "<rss><channel/></rss>x", "<1/>",
    ])
  func malformed(document: String) throws {
    let yaml = Self.yaml + "\nformat: xml"
    #expect(try YAMLReading(yaml, document).error?.code == .malformedFeed)
  }

  @Test(
    "a web page is refused as such",
    arguments: [
      "<!DOCTYPE html><html><head><title>Sign in</title></head><body>x</body></html>",
      "\n<html lang='en'><p>x</html>",
      "<!-- \(String(repeating: "c", count: 700)) --><html></html>",
      "<?xml version='1.0'?><!DOCTYPE HTML PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'><html/>",
      "\u{FEFF}<HTML><BODY>",
      "<!doctype html>\n<meta charset=utf-8>\(String(repeating: " ", count: 3000))",
    ])
  func webPage(document: String) throws {
    for format in ["", "\nformat: xml"] {
      let error = try #require(try YAMLReading(Self.yaml + format, document).error)
      #expect(error.code == .malformedFeed)
      #expect(error.message == "The document is a web page, not a feed.")
    }
    let json = try #require(try YAMLReading(Self.yaml + "\nformat: json", document).error)
    #expect(json.code == .malformedFeed)
    #expect(json.message.contains("web page"))
  }
}
