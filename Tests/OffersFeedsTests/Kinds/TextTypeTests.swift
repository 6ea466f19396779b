import OffersCore
import Testing

@Suite("Texts by their type")
struct TextTypeTests {
  private static func atom(_ members: String) throws -> [OfferField: String] {
    let reading = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id>\(members)</entry></feed>
      """)
    #expect(reading.isClean)
    return try #require(reading.offers.first)
  }

  @Test(
    "an Atom title is text, HTML or XHTML by its type",
    arguments: [
      ("<title>Keep &lt;pre&gt; &amp;amp;</title>", "Keep <pre> &amp;"),
      ("<title type='text'>Keep &lt;pre&gt;</title>", "Keep <pre>"),
      ("<title type='html'>Tea &lt;b&gt;&amp;amp;&lt;/b&gt; Jam</title>", "Tea & Jam"),
      ("<title type='HTML'>Tea &amp;amp; Jam</title>", "Tea & Jam"),
      ("<title type='xhtml'><div>Tea <b>&amp;</b> &lt;i></div></title>", "Tea & <i>"),
      ("<title type='html'>&lt;new&gt;</title>", "<new>"),
    ])
  func atomTitles(title: String, name: String) throws {
    #expect(try Self.atom(title)[.name] == name)
  }

  @Test("Atom contents and summaries are read by their types, and name an entry without a title")
  func atomContents() throws {
    let text = try Self.atom("<content>a &lt; b &amp;amp; &lt;i&gt;</content>")
    #expect(text[.description] == "a < b &amp; <i>")
    #expect(text[.name] == "a < b &amp; <i>")
    let html = try Self.atom(
      "<summary type='html'>&lt;p&gt;A&lt;/p&gt;&lt;p&gt;B&lt;/p&gt;</summary>")
    #expect(html[.description] == "A\n\nB")
    let xhtml = try Self.atom(
      "<title>T</title><content type='xhtml'><div><p>A</p><p>B</p></div></content>")
    #expect(xhtml[.description] == "A\nB")
    let other = try Self.atom(
      "<title>T</title><content type='image/png'>AAAA</content><summary>S</summary>")
    #expect(other[.description] == "S")
  }

  @Test(
    "RSS titles are decoded",
    arguments: [
      ("Tom &amp;amp; Jerry", "Tom & Jerry"), ("&lt;b&gt;Half&lt;/b&gt; price", "Half price"),
      ("1 &lt; 2 &amp; 3", "1 < 2 & 3"), ("<![CDATA[Caf&eacute;]]>", "Café"),
      ("I &lt;3 tea", "I <3 tea"), ("&lt;new&gt;", "<new>"),
      ("&lt;![CDATA[Tea &amp;amp; Jam]]&gt;", "Tea & Jam"),
    ])
  func rssTitles(title: String, name: String) throws {
    let reading = try YAMLReading(
      shipped: "rss",
      "<rss><channel><item><guid>1</guid><title>\(title)</title></item></channel></rss>")
    #expect(reading.isClean)
    #expect(reading.names == [name])
  }

  @Test("a CDATA section that was escaped is read as if it were one")
  func escapedSections() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss><channel><item><guid>&lt;![CDATA[1]]&gt;</guid><title>T</title>
      <link>&lt;![CDATA[ https://x.example/1 ]]&gt;</link>
      <description>&lt;![CDATA[&lt;p&gt;Two ]] for &lt;b&gt;one&lt;/b&gt;&lt;/p&gt;]]&gt; today</description>
      </item></channel></rss>
      """)
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "T", .url: "https://x.example/1",
          .description: "Two ]] for one\n\ntoday",
        ]
      ])
  }
}
