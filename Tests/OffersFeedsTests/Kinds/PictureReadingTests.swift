import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Pictures of items")
struct PictureReadingTests {
  private static func rss(_ members: String) throws -> String? {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss xmlns:media="http://search.yahoo.com/mrss/"
      xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><guid>1</guid>
      <title>T</title>\(members)</item></channel></rss>
      """)
    #expect(reading.error == nil)
    return try #require(reading.offers.first)[.imageURL]
  }

  @Test(
    "of several addresses in one text the first one counts; one within another is a part of it",
    arguments: [
      ("https://e.example/1, https://e.example/2", "https://e.example/1"),
      ("https://e.example/1.jpg,https://e.example/2.jpg", "https://e.example/1.jpg"),
      ("https://e.example/1.jpg|https://e.example/2.jpg", "https://e.example/1.jpg"),
      ("https://e.example/1.jpg ; http://e.example/2.jpg", "https://e.example/1.jpg"),
      ("https://e.example/a, b.jpg", "https://e.example/a, b.jpg"),
      (
        "https://e.example/fetch/w_200,https://x.example/2.jpg",
        "https://e.example/fetch/w_200,https://x.example/2.jpg"
      ),
      (
        "https://e.example/?u=https://x.example/2.jpg",
        "https://e.example/?u=https://x.example/2.jpg"
      ),
    ])
  func severalAddresses(text: String, url: String) throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: name, image: image}", #"[{"id":1,"name":"A","image":"\#(text)"}]"#)
    #expect(reading.offers.first?[.imageURL] == url)
  }

  @Test(
    "a picture is known by its type or its ending, in media groups as well",
    arguments: [
      ("<enclosure url='/1.jpg' type='image/jpg'/>", "/1.jpg"),
      ("<enclosure url='/1' type='IMAGE/PJPEG; q=1'/>", "/1"),
      ("<enclosure url='/1.png?14' type='image/png?14'/>", "/1.png?14"),
      ("<enclosure url='/1.webp'/>", "/1.webp"),
      ("<enclosure url='/1.JPG' type='application/octet-stream'/>", "/1.JPG"),
      ("<enclosure url='/1' type='jpeg'/>", "/1"),
      ("<enclosure url='/1.mp3' type='audio/mpeg'/><enclosure url='/1.gif' type=''/>", "/1.gif"),
      ("<media:content url='/1.jpg:large'/>", "/1.jpg:large"),
      ("<media:content url='/1' medium='Image'/>", "/1"),
      ("<media:content url='/1' medium='video'/><media:content url='/2'/>", "/2"),
      (
        "<media:group><media:content url='/v.mp4' type='video/mp4'/>"
          + "<media:content url='/1.avif' type='image/avif'/></media:group>", "/1.avif"
      ),
    ])
  func findsPictures(members: String, url: String) throws {
    #expect(try Self.rss(members) == url)
  }

  @Test(
    "a video, a sound or a document is never a picture",
    arguments: [
      "<enclosure url='/1.mp3'/>", "<enclosure url='/1.jpg' type='video/mp4'/>",
      "<enclosure url='/1.mp4' type='image/jpeg'/>", "<enclosure url='/1' type='audio/ogg'/>",
      "<enclosure url='/1.pdf' type='application/pdf'/>", "<enclosure url='/1'/>",
      "<media:content url='/1.webm?x=1.jpg'/>", "<media:content url='/1' type='video/mp4'/>",
      "<media:content url='/1' medium='audio'/>", "<image>/1.m4a</image>",
      "<description>&lt;video src='/1.mp4'&gt; &lt;audio src='/1.jpg'&gt;</description>",
    ])
  func refusesOthers(members: String) throws {
    #expect(try Self.rss(members) == nil)
  }

  @Test(
    "the first picture in the text is taken if there is no other",
    arguments: [
      (
        "&lt;p&gt;Hi &lt;IMG alt=\"a &amp;gt; b\" SRC='/1.jpg?a=1&amp;amp;b=2'&gt;",
        "/1.jpg?a=1&b=2"
      ),
      ("&lt;img src=/1.jpg&gt;&lt;img src=/2.jpg&gt;", "/1.jpg"),
      ("&lt;img width='1' height='1' src='/t.gif'/&gt;&lt;img src='/2.jpg' /&gt;", "/2.jpg"),
      ("&lt;img src='data:image/gif;base64,R0' data-src='/3.jpg'&gt;", "/3.jpg"),
      ("&lt;!-- &lt;img src='/0.jpg'&gt; --&gt;&lt;img src='/4.jpg'&gt;", "/4.jpg"),
      ("&lt;img class='emoji' src='/e.png'&gt;&lt;img src='/5.jpg'&gt;", "/5.jpg"),
      ("&lt;imgx src='/x.jpg'&gt;&lt;img", nil), ("&lt;img src=''&gt;", nil),
      ("<p>Hi <b><img width='1' src='/t.gif'/><img src='/6.jpg'/></b></p>", "/6.jpg"),
    ] as [(String, String?)])
  func findsInText(text: String, url: String?) throws {
    #expect(try Self.rss("<description>\(text)</description>") == url)
    #expect(
      try Self.rss("<description>x</description><content:encoded>\(text)</content:encoded>") == url)
  }

  @Test("Atom: enclosures, media groups, and pictures in HTML and XHTML")
  func atom() throws {
    let entries =
      [
        (
          "<link rel='enclosure' type='audio/mpeg' href='/1.mp3'/><link rel='enclosure' href='/1.png'/>",
          "/1.png"
        ),
        ("<content type='html'>&lt;img src='/2.png'&gt;</content>", "/2.png"),
        (
          "<content type='xhtml'><x:div><x:p>Hi</x:p><x:p><x:img src='/3.png'/></x:p></x:div></content>",
          "/3.png"
        ),
        ("<summary type='text'>&lt;img src='/4.png'&gt;</summary>", nil),
      ] as [(String, String?)]
    for (members, url) in entries {
      let reading = try YAMLReading(
        shipped: "atom",
        """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml"><entry>
        <id>1</id><title>T</title>\(members)</entry></feed>
        """)
      #expect(reading.isClean)
      #expect(reading.all(.imageURL) == [url], "\(members)")
    }
  }

  @Test("JSON Feed: attachments by type or ending, and pictures in the text")
  func jsonFeed() throws {
    let reading = try YAMLReading(
      shipped: "jsonfeed",
      #"""
      {"version":"https://jsonfeed.org/version/1.1","items":[
      {"id":"1","title":"A","attachments":[{"url":"/a.mp3","mime_type":"audio/mpeg"},
      {"url":"/a.webp","mime_type":"image/webp"}]},
      {"id":"2","title":"B","content_html":"<p><img src=\"/b.png\"></p>"}]}
      """#)
    #expect(reading.isClean)
    #expect(reading.all(.imageURL) == ["/a.webp", "/b.png"])
  }

  @Test("scanning HTML for pictures takes linear time")
  func isLinear() {
    for piece in ["<img ", "<img src", "<img src='", "<!--", "<"] {
      let html = Array(String(repeating: piece, count: 4000).utf8)
      html.withUnsafeBytes { _ = HTMLPicture.find(in: $0) }
    }
  }
}
