import OffersCore
import Testing

@Suite("Texts, HTML and links in a record")
struct TextReadingTests {
  private func read(_ rule: String, _ value: String, address: String? = nil) throws -> String? {
    let reading = try YAMLReading(
      "id: id\nfields: {name: {text: N}, description: \(rule)}",
      "[{\"id\":1,\"v\":\(value)}]", address: address)
    #expect(reading.isClean)
    return reading.all(.description).first ?? nil
  }

  @Test("HTML is converted to text, and plain text is unchanged")
  func html() throws {
    let rule = "{from: v, as: html}"
    #expect(
      try read(rule, #""<p>Save <b>10%</b>&nbsp;now!<\/p><ul><li>One<\/li><li>Two &lt; 3<\/ul>""#)
        == "Save 10%\u{A0}now!\n\n• One\n• Two < 3")
    #expect(
      try read(rule, #""line<br>line<br\/>\u003cb\u003eend\u003c\/b\u003e""#) == "line\nline\nend")
    #expect(try read(rule, #""<style>p{}<\/style><script>x()<\/script>Text<!-- no -->""#) == "Text")
    #expect(try read(rule, #""<p>&nbsp;<\/p>""#).map { $0.contains("<") } != true)
    #expect(try read(rule, #""<p> <\/p><br>""#) == nil)
    #expect(try read(rule, #""Plain\ntext  as it is""#) == "Plain\ntext  as it is")
    #expect(try read(rule, #""AT&T &copy; 2026 &bogus; 5 < 6""#) == "AT&T © 2026 &bogus; 5 < 6")
    #expect(try read(rule, "7") == "7")
    #expect(try read("v", #""<b>x<\/b> &amp;""#) == "<b>x</b> &amp;")
  }

  @Test("a text above the limit is cut at a word")
  func limit() throws {
    let rule = "{from: v, limit: 10}"
    #expect(try read(rule, #""1234567890""#) == "1234567890")
    #expect(try read(rule, #""123 567 90ab""#) == "123 567…")
    #expect(try read(rule, #""12345678901""#) == "1234567890…")
    #expect(try read(rule, #""éééééééééé""#) == "éééééééééé")
    #expect(try read(rule, #""ééé ééé éééé""#) == "ééé ééé…")
    #expect(try read(rule, #""👩‍👩‍👧‍👦👩‍👩‍👧‍👦 👩‍👩‍👧‍👦""#) == "👩‍👩‍👧‍👦👩‍👩‍👧‍👦 👩‍👩‍👧‍👦")
    #expect(try read("{from: v, as: html, limit: 10}", #""<p>One two three four""#) == "One two…")
  }

  @Test("a relative link is resolved against the document's URL, and an absolute one is unchanged")
  func links() throws {
    let rule = "{from: v, as: link}"
    let address = "https://shop.example/feeds/all.json?page=2"
    for (link, absolute) in [
      ("/o/1", "https://shop.example/o/1"), ("o/1", "https://shop.example/feeds/o/1"),
      ("../o/1?a=b#c", "https://shop.example/o/1?a=b#c"),
      ("//cdn.example/1.png", "https://cdn.example/1.png"),
      ("?page=3", "https://shop.example/feeds/all.json?page=3"),
      ("http://other.example/a b?x=ü", "http://other.example/a b?x=ü"),
      ("HTTPS://X.example/", "HTTPS://X.example/"), ("mailto:a@x.example", "mailto:a@x.example"),
      ("data:image/png;base64,AA==", "data:image/png;base64,AA=="),
      ("  /o/1 ", "https://shop.example/o/1"),
      ("\\n https://x.example/1\\n", "https://x.example/1"),
      ("./", "https://shop.example/feeds/"),
    ] {
      #expect(try read(rule, "\"\(link)\"", address: address) == absolute, "\(link)")
    }
  }

  @Test("a relative link is unchanged if the document has no URL")
  func noAddress() throws {
    for link in ["/o/1", "o/1", "../o", "https://x.example/1"] {
      #expect(try read("{from: v, as: link}", "\"\(link)\"") == link)
    }
    let host = try read("{from: v, as: link}", #""//cdn.example/1.png""#)
    #expect(host == "https://cdn.example/1.png")
  }

  @Test("images and pages are links by default, other fields are not")
  func linkFields() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: p, image: p, link: [none, \"/x{p}\"], terms: p}\nattributes: {A: p}",
      #"[{"id":1,"p":"/a"}]"#, address: "https://x.example/feed")
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "/a", .terms: "/a", .imageURL: "https://x.example/a",
          .url: "https://x.example/x/a", .attributes: #"[["A","/a"]]"#,
        ]
      ])
  }

  @Test("invalid Unicode is replaced and reported with its field")
  func mended() throws {
    let reading = try YAMLReading(
      """
      id: id
      fields: {name: [none, n], description: {from: d, as: html}, categories: "c[*]"}
      attributes: {A: a, T: "{a}!"}
      """,
      #"[{"id":1,"n":"A\ud800","d":"<b>\udc00","c":["x\ud83d"],"a":"\u0000"}]"#)
    #expect(
      reading.offers == [
        [
          .id: "1", .name: "A\u{FFFD}", .description: "\u{FFFD}", .categories: "[\"x\u{FFFD}\"]",
          .attributes: "[[\"A\",\"\u{FFFD}\"],[\"T\",\"\u{FFFD}!\"]]",
        ]
      ])
    let told = try #require(reading.mends.first)
    for name in ["name", "description", "categories", "A", "T"] {
      #expect(told.contains("\(name) is not valid Unicode"), "\(name)")
    }
  }

  @Test("attributes and categories keep quotes and control characters")
  func quoting() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: n, categories: \"c[*]\"}\nattributes: {'Say \"hi\"\\': a}",
      #"[{"id":1,"n":"N","a":"\"\\\n\t\u0001é","c":["a\"b","c\\d","e\nf","g,h","[i]"]}]"#)
    #expect(reading.isClean)
    #expect(reading.categories == [["a\"b", "c\\d", "e f", "g,h", "[i]"]])
    #expect(reading.attributes == [["Say \"hi\"\\: \"\\\n\t\u{1}é"]])
  }
}
