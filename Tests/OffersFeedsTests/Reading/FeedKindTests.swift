import OffersCore
import Testing

@Suite("Documents of well-known kinds, read with the shipped definitions")
struct FeedKindTests {
  @Test("a product feed for a merchant center, which is RSS")
  func merchant() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Store</title>
      <link>https://store.example</link><description>All</description>
      <copyright>© Store</copyright><item><g:id>TV_1</g:id><g:title>A TV</g:title>
      <g:description>Big &amp; flat</g:description>
      <g:link>https://store.example/tv?a=1&amp;b=2</g:link>
      <g:image_link>https://store.example/tv.jpg</g:image_link><g:condition>used</g:condition>
      <g:availability>in stock</g:availability><g:price>159.00 USD</g:price>
      <g:shipping><g:country>US</g:country><g:price>14.95 USD</g:price></g:shipping>
      <g:gtin>71919219405200</g:gtin><g:brand>LG</g:brand>
      <g:product_type>Home &gt; TVs</g:product_type><g:product_type>Flat</g:product_type>
      <g:expiration_date>2026-08-31T23:59:59Z</g:expiration_date></item></channel></rss>
      """)
    #expect(reading.isClean)
    #expect(
      reading.offers.first?.filter { ![.attributes, .categories].contains($0.key) } == [
        .id: "TV_1", .name: "A TV", .description: "Big & flat",
        .url: "https://store.example/tv?a=1&b=2", .imageURL: "https://store.example/tv.jpg",
        .reward: "159.00 USD", .expiresAt: "1788220799",
      ])
    #expect(reading.categories == [["Home > TVs", "Flat"]])
    #expect(
      reading.attributes == [
        ["Brand: LG", "Availability: in stock", "Condition: used", "GTIN: 71919219405200"]
      ])
    #expect(reading.facts.title == "Store")
    #expect(reading.facts.shared == ["Copyright: © Store"])
  }

  @Test("a podcast, and images in every place that RSS defines")
  func pictures() throws {
    let pictures = [
      ("<media:content url='v.mp4' type='video/mp4'/><media:thumbnail url='p.jpg'/>", "p.jpg"),
      (
        "<media:content url='v.mp4' medium='video'/><media:content url='p.jpg' medium='image'/>",
        "p.jpg"
      ),
      (
        "<media:group><media:content url='v'/><media:thumbnail url='p.jpg'/></media:group>", "p.jpg"
      ),
      (
        "<enclosure url='a.mp3' type='audio/mpeg'/><enclosure url='p.jpg' type='image/jpeg'/>",
        "p.jpg"
      ),
      ("<enclosure url='a.mp3' type='audio/mpeg'/><itunes:image href='p.jpg'/>", "p.jpg"),
      ("<image><url>p.jpg</url></image>", "p.jpg"), ("<image>p.jpg</image>", "p.jpg"),
      ("<enclosure url='a.mp3' type='audio/mpeg'/>", nil),
    ]
    for (members, picture) in pictures {
      let reading = try YAMLReading(
        shipped: "rss",
        """
        <rss xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item><guid
        isPermaLink="true">https://x.example/1</guid><title>A</title>\(members)
        <itunes:author>Ann</itunes:author><itunes:duration>1:02</itunes:duration></item>
        </channel></rss>
        """)
      #expect(reading.isClean)
      #expect(reading.all(.imageURL) == [picture], "\(members)")
      #expect(reading.all(.url) == ["https://x.example/1"])
      #expect(reading.attributes == [["Author: Ann", "Duration: 1:02"]])
    }
  }

  @Test("Atom: links by relation, authors, and categories by label or term")
  func atom() throws {
    let reading = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title type="text">News</title><rights>CC</rights>
      <link rel="self" href="https://x.example/feed"/><author><name>Editor</name></author>
      <entry><id>urn:1</id><title>A &amp; B</title><updated>2026-08-21T10:00:00Z</updated>
      <link rel="self" href="/1.xml"/><link rel="alternate" href="/1"/>
      <link rel="enclosure" type="image/png" href="/1.png"/><author><name>Ann</name>
      <uri>u</uri></author><author><name>Bob</name></author><category term="c" label="Cats"/>
      <category term="d" label="Dogs"/><summary type="html">&lt;b>S&lt;/b></summary></entry>
      <entry><id>urn:2</id><title>C</title><link href="/2"/><category term="c"/>
      <published>2026-08-20T10:00:00Z</published>
      <updated>2026-08-21T10:00:00Z</updated></entry></feed>
      """, address: "https://x.example/feed")
    #expect(reading.isClean)
    #expect(reading.all(.url) == ["https://x.example/1", "https://x.example/2"])
    #expect(reading.all(.imageURL) == ["https://x.example/1.png", nil])
    #expect(reading.all(.description) == ["S", nil])
    #expect(reading.categories == [["Cats", "Dogs"], ["c"]])
    #expect(
      reading.attributes == [
        ["Published: 2026-08-21T10:00:00Z", "Author: Ann, Bob"],
        ["Published: 2026-08-20T10:00:00Z"],
      ])
    #expect(reading.facts.title == "News")
    #expect(reading.facts.shared == ["Copyright: CC"])
  }

  @Test(
    "RSS 1.0: items beside the channel, with any prefix",
    arguments: ["rdf", "r"])
  func rdf(prefix: String) throws {
    let reading = try YAMLReading(
      shipped: "rdf",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <\(prefix):RDF xmlns:\(prefix)="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns="http://purl.org/rss/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/">
      <channel \(prefix):about="https://x.example/"><title>Board</title><d:rights>Free</d:rights>
      <items><\(prefix):Seq><\(prefix):li \(prefix):resource="https://x.example/1"/></\(prefix):Seq>
      </items></channel><item \(prefix):about="https://x.example/1"><title>A</title>
      <link>https://x.example/1?x</link><d:subject>One</d:subject><d:subject>Two</d:subject>
      <d:date>2026-08-21</d:date></item></\(prefix):RDF>
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["https://x.example/1"])
    #expect(reading.names == ["A"])
    #expect(reading.all(.url) == ["https://x.example/1?x"])
    #expect(reading.categories == [["One", "Two"]])
    #expect(reading.attributes == [["Published: 2026-08-21"]])
    #expect(reading.facts.title == "Board")
    #expect(reading.facts.shared == ["Copyright: Free"])
  }

  @Test("JSON Feed: a title or the first words, authors of both versions, the next page")
  func jsonFeed() throws {
    let reading = try YAMLReading(
      shipped: "jsonfeed",
      """
      {"version":"https://jsonfeed.org/version/1.1","title":"Blog","next_url":"https://x.example/2",
       "items":[{"id":"1","title":"A","content_html":"<p>Hi</p>","url":"/1","tags":["x","y"],
       "authors":[{"name":"Ann"},{"name":"Bob"}],"date_published":"2026-08-21T10:00:00+02:00",
       "attachments":[{"url":"a.mp3","mime_type":"audio/mpeg"},
       {"url":"/p.jpg","mime_type":"image/jpeg"}]},
       {"id":2,"content_text":"Only a text","author":{"name":"Cid"},"language":"en"},
       {"url":"/3","content_html":"<b>Bold</b> words"}]}
      """, address: "https://x.example/feed.json")
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2", "/3"])
    #expect(reading.names == ["A", "Only a text", "Bold words"])
    #expect(reading.all(.description) == ["Hi", "Only a text", "Bold words"])
    #expect(reading.all(.imageURL) == ["https://x.example/p.jpg", nil, nil])
    #expect(reading.categories == [["x", "y"], [], []])
    #expect(
      reading.attributes == [
        ["Published: 2026-08-21T08:00:00Z", "Author: Ann, Bob"], ["Author: Cid", "Language: en"],
        [],
      ])
    #expect(reading.facts.nextPage == "https://x.example/2")
  }

  @Test("the products of a shop, in its own document or in a bare list")
  func shopify() throws {
    let product = """
      {"id":632,"title":"Pod","handle":"pod","body_html":"<p>It's <b>new</b></p>","vendor":"Apple",
       "product_type":"","tags":["Emotive","Flash"],"published_at":"2026-08-21T10:00:00-05:00",
       "variants":[{"price":"199.00","compare_at_price":"249.00"},{"price":"209.00"}],
       "images":[{"src":"https://cdn.example/1.png"},{"src":"https://cdn.example/2.png"}]}
      """
    for document in ["{\"products\":[\(product)]}", "[\(product)]"] {
      let reading = try YAMLReading(
        shipped: "shopify", document, address: "https://shop.example/products.json")
      #expect(reading.isClean)
      #expect(
        reading.offers.first?.filter { ![.attributes, .categories].contains($0.key) } == [
          .id: "632", .name: "Pod", .description: "It's new", .reward: "199.00",
          .imageURL: "https://cdn.example/1.png", .url: "https://shop.example/products/pod",
          .retailer: "Apple",
        ])
      #expect(reading.categories == [["Emotive", "Flash"]])
      #expect(
        reading.attributes == [
          ["Was: 249.00", "Tags: Emotive, Flash", "Published: 2026-08-21T15:00:00Z"]
        ])
    }
  }

  @Test("restaurants: made ids, and an address that is a list")
  func restaurants() throws {
    let reading = try YAMLReading(
      shipped: "restaurants",
      """
      {"restaurants":[{"name":"Hopdoddy","category":"Burgers",
      "backgroundImageURL":"https://x/1.png",
      "contact":{"phone":"9723872337","formattedPhone":"(972) 387-2337","twitter":"hopdoddy"},
      "location":{"address":"5100 Belt Line","crossStreet":"Dallas N Tollway",
      "lat":32.95,"lng":-96.82,
      "postalCode":"75254","formattedAddress":["5100 Belt Line","Addison, TX 75254"]}},
      {"name":"Pappadeaux","category":"Seafood","contact":null,
      "location":{"lat":32.9,"lng":-96.8}}]}
      """)
    #expect(reading.isClean)
    #expect(
      reading.ids.allSatisfy {
        $0?.hasPrefix("hopdoddy-") == true || $0?.hasPrefix("pappadeaux-") == true
      })
    #expect(reading.categories == [["Burgers"], ["Seafood"]])
    #expect(
      reading.attributes == [
        [
          "Phone: (972) 387-2337", "Twitter: @hopdoddy",
          "Address: 5100 Belt Line, Addison, TX 75254",
          "Cross street: Dallas N Tollway",
        ], [],
      ])
  }

  @Test("movies: an image only if there is a poster, and an error message")
  func movies() throws {
    let reading = try YAMLReading(
      shipped: "movies",
      """
      {"page":1,"results":[{"id":7,"title":"A","poster_path":"/a.jpg","vote_average":8.5,
      "vote_count":3,
      "release_date":"2026-08-21"},{"id":8,"name":"B","poster_path":null,"release_date":""}],
      "total_pages":500}
      """)
    #expect(reading.isClean)
    #expect(reading.all(.imageURL) == ["https://image.tmdb.org/t/p/w500/a.jpg", nil])
    #expect(
      reading.attributes == [["Released: 2026-08-21", "Rating: 8.5 of 10", "Votes: 3"], []])
    #expect(reading.facts.pageCount == 500)
    let failed = try YAMLReading(
      shipped: "movies", #"{"status_code":7,"status_message":"Invalid API key","success":false}"#)
    #expect(failed.error?.message == "The feed says: Invalid API key")
  }
}
