import OffersFeeds
import OffersTestSupport

/// Valid documents to start from, and tokens that are likely to break readers.
enum FuzzSeeds {
  static let charsets: [String?] = [
    nil, "utf-8", "iso-8859-1", "windows-1251", "shift_jis", "utf-16", "gbk", "koi8-r", "big5",
    "iso-2022-jp", "no-such",
  ]

  /// Definitions that use most kinds of paths, rules and options.
  static let definitions = """
    feeds:
      nested:
        items: [feed.results, results, rows, rss.channel.item, feed.entry, "deals.*"]
        title: {from: [feed.title, rss.channel.title]}
        id: [id.$oid, id, guid, "@id", link.@href]
        currency: USD
        fields:
          name: [title, name, {from: summary, as: html, limit: 20}]
          description: {from: [body, "content:encoded", description], as: html}
          reward: {from: [price.amount, g:price, price], currency: {from: price.currency}}
          image: ["images[0].src", "images[-1]", "media:content[@medium=image].@url"]
          link: ["link[rel=self].href", "link[@rel=alternate].@href", link]
          categories: ["tags[*]", "category[*].name", "category[*]"]
          starts: pubDate
          expires: [expires, valid.until]
          latitude: geo.lat
          longitude: geo.lng
        attributes:
          All: "tags[*]"
          Key: "@key"
          Made: "{id}-{title}"
        shared: {Copyright: feed.copyright}
        error: [error.message, status_message]
      keyed:
        items: "*"
        id: {made-from: [title, "@key"]}
        fields: {name: [title, name, .]}
    """

  private static let json = """
    {"feed":{"title":"F","copyright":"© é","results":[{"id":1,"title":"Tea \\u00e9\\ud83d\\ude00","price":{"amount":1.50,"currency":"USD"},"tags":["a","b\\n"],"images":[{"src":"/x.png"}],"link":[{"rel":"self","href":"https://e.example/1"}],"pubDate":"2026-08-22T18:15:24Z","geo":{"lat":32.9,"lng":-96.8}},{"id":{"$oid":"5a"},"name":"Jam","body":"<p>Hi &amp; <b>you</b></p>","tags":"x"},{"id":"3","title":null}]}}
    """
  private static let list = """
    [{"id":"110579","url":"https://i.example/1.png","name":"Café® Tea","description":"30 oz.","terms":"a\\r\\n• b","current_value":"$0.75 Cash Back"},{"id":"2","name":"Milk","current_value":"Up to 5% back"}]
    """
  private static let keyed = """
    {"77":[{"title":"Eis","price":1.99},{"title":"Brot"}],"78":{"title":"Käse"}}
    """
  private static let rss = """
    <?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>T</title>
    <item><guid>a1</guid><title>Tea &amp; Jam</title><g:price>1.50 USD</g:price><link>https://e.example/a</link><category>x</category><category>y</category><media:content medium="image" url="https://e.example/a.png"/><pubDate>Sat, 22 Aug 26 18:15:24 +0000</pubDate><description><![CDATA[<p>Hi</p>]]></description></item>
    <item><guid>a2</guid><title>Bread &nbsp; &eacute; & more</title></item></channel></rss>
    """
  private static let atom = """
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:im="http://itunes.apple.com/rss"><title>A</title><entry><id im:id="7">urn:7</id><title type="html">One &lt;b&gt;</title><link rel="alternate" href="/one"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi<br/>you</p></div></content></entry></feed>
    """
  private static let own = """
    <deals><deal id="1"><title>Zwei</title><price>2,50 €</price></deal><deal id="2"><title>Drei</title></deal></deals>
    """
  private static let values = [
    "Sat, 22 Aug 26 18:15:24 +0000", "2026-08-22T18:15:24.123+02:00", "Aug 21, 2015 1:00:00 AM",
    "1440154800000", "Up to $1,234.50 Cash Back", "1.234,56 EUR", "€1,50", "105.29 USD", "5 % back",
    "<p>Hi &amp; <a href='x>y'>you</a><!-- c --><br>• &#8364;&#x20AC;&nbsp;</p>", "2 for $5",
    "Käse nur 1,99 €/Stück bis heute!", "苹果 18.8元/公斤 12月31日まで", "Чай 99 ₽/шт (exp 11/05/26)",
    "Café: 5 € Rabatt per Päckchen, gültig bis 5. März",
    "Lamp $25 + Delivery ($0 with Prime) @ Shop",
  ]

  private static let export = """
    {"format":"offers-export","version":3,
    "feeds":[
    {"name":"ibotta","title":"Ibotta offers","source":"/a.json","chosen_source":"/a.json","subscribed_at":"2026-11-28T15:48:14Z","unsubscribed_at":null,"shared":[],"presentation":{"layout":"grid","noun":"offer","nouns":"offers","value_role":"reward","byline":[]}}
    ],
    "runs":[
    {"feed":"ibotta","source":"/a.json","started_at":"2026-11-28T15:48:14Z","duration_milliseconds":12,"outcome":"updated","bytes":66,"new":1,"changed":0,"gone":0,"back":0,"unchanged":0,"skipped":0,"mended":0,"error":null}
    ],
    "offers":[
    {"ref":"ibotta:1","name":"Tea","description":null,"terms":"a","reward":{"text":"$2.00 back","kind":"amount","minor_units":200,"currency":"USD","percent":null,"up_to":false},"image_url":null,"url":null,"first_seen_at":"2026-11-28T15:48:14Z","changed_at":"2026-11-28T15:48:15Z","gone_at":null,"retailer":null,"categories":[],"starts_at":null,"expires_at":null,"latitude":null,"longitude":null,"attributes":[]}
    ],
    "changes":[
    {"ref":"ibotta:1","run":1,"kind":"new","fields":null}
    ],
    "users":[
    {"name":"owner","role":"admin","owner":true,"created_at":"2026-11-28T15:48:14Z","searches":[],"read_marks":[]}
    ],
    "favorites":[
    {"user":"owner","ref":"ibotta:1","starred_at":"2026-11-28T15:48:14Z"}
    ]}
    """

  /// `[{"id":"1","name":"Tea 1","current_value":"$1.00 Cash Back"}]` as gzip.
  private static let gzip: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 174, 86, 202, 76, 81, 178, 82, 50, 84, 210, 81, 202, 75,
    204, 77, 5, 50, 67, 82, 19, 21, 64, 220, 228, 210, 162, 162, 212, 188, 146, 248, 178, 196, 156,
    82, 144, 184, 138, 161, 158, 129, 129, 130, 115, 98, 113, 134, 130, 83, 98, 114, 182, 82, 109,
    44, 0, 110, 3, 188, 36, 61, 0, 0, 0,
  ]
  /// The compressed data of `gzip`, without its header and its trailer of 8 bytes.
  private static let deflate: [UInt8] = Array(gzip.dropFirst(10).dropLast(8))
  /// The same with the header and the checksum (Adler-32) of zlib.
  private static let zlib: [UInt8] = [0x78, 0x9C] + deflate + [29, 221, 17, 235]

  static let tables = [
    "id,title,price,tags\n1,Tea,$1.50,a\n2,\"Jam \"\"red\"\"\",\"1,20 €\",\"a\nb\"\n3,Milk,,\n",
    "sep=;\r\nid;name;;name\r\n001;Käse;x;\r\n\r\n;;;\r\nid;name;;name\r\n2;\"5\" pipe\";;\r\n",
    "# made today\n\nid\ttitle\tlink\n1\t=\"07\"\thttps://e.example/1\n2\tBread\n",
    "title\rTea\rMilk\r",
  ]

  private static let pages = [
    """
    <!doctype html><html><script>x</script><!-- c --><script type="application/ld+json"><!--
    {"@graph":[{"@type":"Product","@id":"#a","name":"Tea","sku":"1","image":{"@id":"#i"},"offers":[{"@type":"AggregateOffer","lowPrice":5,"highPrice":5,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}]},{"@id":"#i","url":"/a.png"},{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@id":"#a"}},{"url":"/b"}]}]}
    --></script><script type='application/ld+json'>{"@type":"ProductGroup","name":"Coat","hasVariant":[{"sku":"2","offers":{"price":"1"}},{"@id":"#a"}],"mainEntity":{"@type":"Offer","itemOffered":{"name":"Jam"}}}</script>
    """
  ]

  private static let links = [
    """
    <!doctype html><html><head><base href="/blog/"><script>"<link rel=alternate>"</script><!-- <link> -->
    <link rel="alternate" type="application/rss+xml" title="Deals &amp; more (RSS)" href="feed.xml">
    <LINK REL='alternate feed' TYPE=application/atom+xml HREF='//e.example/atom?a=1&amp;b=2'/>
    <link rel="alternate stylesheet" type="text/css" href="/x.css"><link rel=alternate type=application/json href=/wp-json/1>
    <link rel="alternate" type="application/rss+xml" title="Comments" href="http://e.example/comments/feed">
    </head><body><a href="/rss">RSS</a><a class="x" href='feed://e.example/news.atom'>News</a></body></html>
    """,
    "<link rel=feed href=\"https://[::1]:8080/ä?q=%zz#f\"><a href=javascript:alert(1)//feed>x</a>",
  ]
  private static let lists = [
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <opml version="2.0"><head><title>My feeds</title></head><body>
    <outline text="Deals &amp; more" title=""><outline type="rss" text="Tea &lt;b&gt;" xmlUrl="https://e.example/a?b=1&amp;c=2"/>
    <outline TEXT="Größe&#9;x" XMLURL=" feed://e.example/ä " htmlUrl="https://e.example/"/></outline>
    <outline text="empty" xmlUrl=""/></body></opml>
    """,
    """
    <opml><body><outline text="A "b" c" description="<a href="https://e.example/">x</a>" xmlUrl="https://e.example/é"/>
    <outline title='D "e"' text="f" xmlUrl='g.xml'></outline></body></opml>
    """,
    "<OPML><body><outline text='One' xmlUrl='a.xml'></outline><outline title='Two & more' xmlUrl='b.xml'/></body>",
  ]

  static func seeds(of format: FuzzFormat) -> [[UInt8]] {
    func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
    let lines = bytes([
      #"{"id":1,"title":"A"}\#n{"id":2,"title":"B","tags":["x"]}\#n"#,
      list.dropFirst().dropLast().replacing("},{", with: "}\n{") + "\n",
    ])
    switch format {
    case .json: return bytes([json, list, keyed]) + samples()
    case .ndjson: return lines
    case .xml: return bytes([rss, atom, own])
    case .table: return bytes(tables)
    case .page: return bytes(pages)
    case .links: return bytes(links)
    case .opml: return bytes(lists)
    case .compressed:
      return [
        gzip, zlib, gzip + gzip, deflate, ArchiveTests.bzip2, ArchiveTests.xz,
        ZIPArchive([("readme.txt", "Read"), ("feed.csv", tables[0])], isStreamed: true).bytes,
        ZIPArchive([("feed.txt", tables[1])], isStored: true).bytes,
      ]
    case .encoded: return encoded([json, list, rss, own])
    case .definition:
      return bytes([definitions] + FeedCatalog.names.compactMap(FeedCatalog.findText))
    case .value: return bytes(values)
    case .guess: return bytes([json, list, keyed, rss, atom, own] + tables + pages) + lines
    case .export: return bytes([export])
    case .image: return TinyImage.names.map { TinyImage.make($0) }
    }
  }

  private static func samples() -> [[UInt8]] {
    FeedCatalog.names.compactMap { FeedCatalog.findSample(of: $0).map { Array($0.prefix(1500)) } }
  }

  private static func encoded(_ texts: [String]) -> [[UInt8]] {
    texts.flatMap { text -> [[UInt8]] in
      let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      let latin = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      return [little, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, latin]
    }
  }

  static func tokens(of format: FuzzFormat) -> [String] {
    let common = ["\u{FEFF}", "\u{0}", "é", "\u{1F600}", "\r\n", " ", "\"", "'"]
    let json = [
      "[", "]", "{", "}", ",", ":", "\\ud800", "\\u0000", "\\", "1e999", "-", "0.", "null", "true",
      "{\"", "\"id\":", "\"title\":\"", "[[[[", "]]]]", "{\"a\":",
    ]
    let xml = [
      "<", ">", "&", "&#0;", "&#x110000;", "&amp;", "&nbsp;", "]]>", "<![CDATA[", "<!--", "-->",
      "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">]>", "&a;", "<?xml version='1.0' encoding='x'?>",
      "<item>", "</item>", "<entry>", " xmlns=''", " xmlns:g='http://base.google.com/ns/1.0'",
      "<a ",
      "=\"", "/>",
    ]
    let yaml = [
      "\n", "\t", ": ", "- ", "{", "}", "[", "]", "&a ", "*a", "<<: ", "|\n", ">", "!!binary ", "%",
      "from: ", "{env:X}", "{page}", "\"", "@key", "$.", "[*]", "[a=b]", "feeds:\n", "  ",
    ]
    let values = [
      "$", "€", "%", "up to ", ",", ".", "1", "999999999999999", "<", ">", "&#", ";", "<!--",
    ]
    switch format {
    case .json, .ndjson, .export: return common + json
    case .xml: return common + xml
    case .page:
      return common + json + [
        "<script type=\"application/ld+json\">", "</script>", "<!--", "-->", "{\"@id\":\"#a\"}",
        "\"@type\":", "\"offers\":", "\"@graph\":",
      ]
    case .links:
      return common + xml + [
        "<link ", " rel=alternate", " type=application/rss+xml", " href=", "<base href=",
        "<a href=feed",
        "//", "http://", "feed:", "\u{5C}", "@", ":99999", "../", "%2", "#", "?",
      ]
    case .opml: return common + xml + ["<outline ", " xmlUrl='", " text='", "</outline>", "<opml>"]
    case .table:
      return common + [",", ";", "\t", "\r", "\n", "\"\"", "sep=;\n", "id,title\n", "=\"", "#"]
    case .compressed, .image: return common + ["\u{1}", "\u{7F}", "PK\u{3}\u{4}", "PK\u{7}\u{8}"]
    case .encoded: return common + json.prefix(6) + xml.prefix(6)
    case .definition: return common + yaml
    case .value: return common + values
    case .guess: return common + json + xml
    }
  }
}
