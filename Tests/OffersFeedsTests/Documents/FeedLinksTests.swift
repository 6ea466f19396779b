import OffersCore
import Testing

@testable import OffersFeeds

@Suite("The feeds that a page links to")
struct FeedLinksTests {
  private static func feeds(
    _ page: String, at address: String = "https://a.example/blog/", header: [PageLink] = []
  ) -> [String] {
    FeedLinks(page: Array(page.utf8), address: address, header: header).feeds.map(\.address)
  }

  @Test(
    "are found in any spelling of a link, and are relative to the page's base",
    arguments: [
      (
        #"<link rel="alternate" type="application/rss+xml" href="x.rss">"#,
        "https://a.example/blog/x.rss"
      ),
      (
        "<LINK TYPE='application/atom+xml' REL='home ALTERNATE' HREF='/x?a=1&amp;b=2'>",
        "https://a.example/x?a=1&b=2"
      ),
      (
        "<link rel=alternate type=application/feed+json href=/feed.json>",
        "https://a.example/feed.json"
      ),
      (
        #"<base href="//b.example/c/"><link rel=alternate type="application/rss+xml;charset=utf-8" href=d>"#,
        "https://b.example/c/d"
      ),
      (
        #"<script>"<link rel=alternate type=application/rss+xml href=no>"</script><link rel=feed href=yes>"#,
        "https://a.example/blog/yes"
      ),
      (
        #"<link rel=alternate type=application/rss+xml href="feed://a.example/x">"#,
        "https://a.example/x"
      ),
      (
        #"<link rel=alternate type=application/rss+xml href="http://a.example/x">"#,
        "https://a.example/x"
      ),
    ])
  func spellings(page: String, expected: String) {
    #expect(Self.feeds("<html><head>\(page)</head>") == [expected])
  }

  @Test("are no style sheets, translations, embeddings, interfaces and files")
  func others() {
    let links = [
      #"rel="alternate stylesheet" type="text/css" href="/a.css""#,
      #"rel=alternate hreflang=de href="/de""#,
      #"rel=alternate type="application/json+oembed" href="/oembed""#,
      #"rel=alternate type="application/json" href="/wp-json/wp/v2/pages/2""#,
      #"rel=alternate type="text/xml+oembed" href="/oembed?format=xml""#,
      #"rel=alternate href="android-app://a/b""#,
      #"rel=alternate type="application/rss+xml" href="file:///etc/passwd""#,
      #"rel=alternate type="application/rss+xml" href="javascript:x""#,
      #"rel=alternate type="application/rss+xml" href="fee://a.example/x.rss""#,
    ].map { "<link \($0)>" }.joined()
    #expect(Self.feeds("<html>\(links)") == [])
    #expect(Self.feeds("<html><base href='htps://a.example/'><link rel=feed href=x></html>") == [])
    #expect(Self.feeds("<html><link rel=feed href=x><base") == ["https://a.example/blog/x"])
  }

  @Test("are one of several forms, and not the comments where there is another")
  func forms() {
    func link(_ type: String, _ title: String, _ href: String) -> String {
      #"<link rel=alternate type="application/\#(type)" title="\#(title)" href="\#(href)">"#
    }
    let rss = link("rss+xml", "Deals (RSS)", "/rss")
    #expect(
      Self.feeds(rss + link("atom+xml", "Deals - Atom", "/atom")) == ["https://a.example/rss"])
    #expect(Self.feeds(link("rss+xml", "Comments", "/c") + rss) == ["https://a.example/rss"])
    #expect(Self.feeds(link("rss+xml", "Comments", "/c")) == ["https://a.example/c"])
    #expect(Self.feeds(rss + link("rss+xml", "News", "/news")).count == 2)
    #expect(Self.feeds(link("rdf+xml", "RDF", "/rss") + rss) == ["https://a.example/rss"])
  }

  @Test("may be in the head of the response, relative to its address")
  func header() {
    let link = PageLink(
      relations: ["alternate"], type: "application/rss+xml", target: "/x.rss", title: "")
    #expect(
      Self.feeds(#"<base href="https://b.example/">"#, header: [link]) == [
        "https://a.example/x.rss"
      ])
  }
}

@Suite("Lists of feeds in OPML")
struct OPMLTests {
  @Test("are read from any depth, and written so that they can be read again")
  func roundTrip() throws {
    let feeds = [
      OPML.Feed(title: "Tea & <Jam>", address: "https://a.example/?a=1&b=\"2\""),
      OPML.Feed(title: "Milk", address: "https://b.example/"),
    ]
    #expect(try OPML.read(Array(OPML.text(feeds, title: "x").utf8)) == feeds)
    let nested = """
      <opml version="1.0"><body><outline text="Shops"><outline text="Tea" xmlurl=" https://a.example/ "/>
      <outline text="page" type="link" url="https://no.example"/></outline></body></opml>
      """
    #expect(
      try OPML.read(Array(nested.utf8)) == [OPML.Feed(title: "Tea", address: "https://a.example/")])
  }

  @Test("are read if attributes have unescaped quotes in them, as far as a feed needs them")
  func quotes() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="1.0"><head><title>Awesome</title></head><body>
      <outline text="News" title="News">
        <outline text="Square" title="" description="Works at <a href="https://square.example/">Square</a>, \
      & more." xmlUrl="https://square.example/feed?a=1&amp;b=2" type="rss" />
        <outline text="Газета "Ъ". Главное" title="Газета "Ъ". Главное" xmlUrl="https://g.example/rss"/>
        <outline text='Jen "Toe"' description='by Jen' xmlUrl='https://jen.example/'></outline>
        <outline text="None" description="an "empty" one" xmlUrl=""/>
        <outline text="A > B" description="a "b" c" XMLURL="https://ab.example/" />
      </outline></body></opml>

      """
    #expect(
      try OPML.read(Array(text.utf8)) == [
        OPML.Feed(title: "Square", address: "https://square.example/feed?a=1&b=2"),
        OPML.Feed(title: "Газета \"Ъ\". Главное", address: "https://g.example/rss"),
        OPML.Feed(title: "Jen \"Toe\"", address: "https://jen.example/"),
        OPML.Feed(title: "A > B", address: "https://ab.example/"),
      ])
    // A list whose end is missing may lack feeds.
    let cut = text.prefix { $0 != "Ъ" }
    #expect(throws: OffersError.self) { try OPML.read(Array(cut.utf8)) }
  }

  @Test("are not taken from another document")
  func refusal() {
    #expect(throws: OffersError.self) { try OPML.read(Array("<rss><channel/></rss>".utf8)) }
  }
}

@Suite("Headers of options")
struct HeaderOptionTests {
  @Test("keep a secret in a variable")
  func secrets() throws {
    let headers = try RequestHeader.parse(
      ["X-Api-Key: {env:KEY}", "Accept: text/xml"], user: "ann", of: "tea-shop")
    #expect(
      headers.map { "\($0.name): \($0.value)" } == [
        "X-Api-Key: {env:KEY}", "Accept: text/xml",
        "Authorization: Basic ann:{env:TEA_SHOP_PASSWORD}",
      ])
    for (lines, user) in [
      (["X-Api-Key: s3cret"], nil), (["X-Api-Key s3cret"], nil), (["Host: s3cret"], nil),
      ([], "ann:s3cret"), (["Authorization: {env:A}"], "ann"),
    ] as [([String], String?)] {
      let error = #expect(throws: OffersError.self) {
        try RequestHeader.parse(lines, user: user, of: "tea")
      }
      #expect(error?.message.contains("s3cret") == false)
    }
  }
}
