import OffersCore
import Testing

@Suite("Links to pages")
struct PageLinkTests {
  private static func atom(_ links: String) throws -> String? {
    let reading = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>T</title>\(links)</entry>
      </feed>
      """, address: "https://x.example/feed")
    #expect(reading.isClean)
    return try #require(reading.offers.first)[.url]
  }

  @Test(
    "an Atom link without a relation, or an alternate one, is the page wherever it stands",
    arguments: [
      (#"<link rel="enclosure" href="/a.mp3"/><link href="/p"/>"#, "/p"),
      (#"<link rel="self" href="/s"/><link rel="Alternate" href="/p"/>"#, "/p"),
      (#"<link rel="replies" type="text/html" href="/c"/><link rel="" href="/p"/>"#, "/p"),
      (
        #"<link rel="http://www.iana.org/assignments/relation/alternate" href="/p"/>"#, "/p"
      ),
      (
        #"<link rel="alternate" type="application/json" href="/j"/>"#
          + #"<link rel="alternate" type="TEXT/HTML; charset=utf-8" href="/p"/>"#, "/p"
      ),
      (#"<link type="audio/mpeg" href="/a.mp3"/><link href="/p"/>"#, "/p"),
      (#"<link rel="related" href="/r"/><link rel="alternate" href="/p"/>"#, "/p"),
      (#"<link rel="via" href="/v"/><link rel="self" href="/s"/>"#, "/v"),
      (#"<link rel="self" href="/s"/><link rel="enclosure" href="/a.mp3"/>"#, nil),
      (#"<link rel="replies" href="/c"/><link rel="edit" href="/e"/>"#, nil),
      (#"<link rel="alternate" href="sale"/>"#, "/sale"),
    ] as [(String, String?)])
  func findsPages(links: String, path: String?) throws {
    #expect(try Self.atom(links) == path.map { "https://x.example" + $0 })
  }

  @Test(
    "an RSS guid that is an address is the page, unless it says otherwise or there is a link",
    arguments: [
      ("<guid>https://x.example/a</guid>", "https://x.example/a"),
      ("<guid isPermaLink='true'>HTTP://x.example/a</guid>", "HTTP://x.example/a"),
      ("<guid isPermaLink='TRUE'>https://x.example/a</guid>", "https://x.example/a"),
      ("<guid isPermaLink='False'>https://x.example/a</guid>", nil),
      ("<guid>tag-17</guid>", nil), ("<guid>urn:uuid:1</guid>", nil),
      ("<guid isPermaLink='true'>/a</guid>", "https://x.example/a"),
      ("<guid>https://x.example/a</guid><link>/b</link>", "https://x.example/b"),
      ("<guid>https://x.example/a</guid><link> </link>", "https://x.example/a"),
      ("<guid>1</guid><link>sale</link>", "https://x.example/sale"),
      ("<guid>1</guid><link href='/c'/>", "https://x.example/c"),
      (
        "<guid>1</guid><atom:link rel='self' href='/s'/><atom:link href='/p'/>",
        "https://x.example/p"
      ),
      ("<guid>1</guid><atom:link rel='self' href='/s'/>", nil),
    ] as [(String, String?)])
  func takesGuids(members: String, url: String?) throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><item><title>T</title>\(members)</item>
      </channel></rss>
      """, address: "https://x.example/feed")
    #expect(reading.isClean)
    #expect(reading.all(.url) == [url])
  }

  @Test("words that feeds print instead of an address are none, others are resolved")
  func knowsWords() throws {
    let yaml = "id: id\nfields: {name: id, image: image, link: link}"
    func urls(_ word: String, _ address: String?) throws -> [String?] {
      let reading = try YAMLReading(
        yaml, #"[{"id":"1","image":"\#(word)","link":"\#(word)"}]"#, address: address)
      return [reading.all(.imageURL)[0], reading.all(.url)[0]]
    }
    let address = "https://x.example/a/feed"
    #expect(try urls("tea", address) == ["https://x.example/a/tea", "https://x.example/a/tea"])
    #expect(try urls("None", address) == [nil, nil])
    #expect(try urls("nsfw", address) == [nil, nil])
    #expect(try urls("tea", nil) == [nil, nil])
  }
}
