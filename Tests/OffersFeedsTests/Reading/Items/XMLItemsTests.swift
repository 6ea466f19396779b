import OffersCore
import Testing

@Suite("The path of the items in XML")
struct XMLItemsTests {
  private static let catalog = """
    title: {from: catalog.@name}
    items: catalog.product
    id: "@sku"
    fields:
      name: name
      reward: {from: price, currency: {from: price.@currency}}
      image: picture.@href
      retailer: [seller.name, seller]
      terms: "@note"
    """

  @Test("items are found by the name of their elements, with attributes and nested elements")
  func elements() throws {
    let reading = try YAMLReading(
      Self.catalog,
      """
      <?xml version="1.0"?>
      <!-- made by hand -->
      <catalog name="Summer &amp; Sun" made='2026'>
        <info><product sku="no"><name>Not here</name></product></info>
        <product sku="a-1" note=" n ">
          <name> Hat
          </name><price currency="EUR">9.50</price><picture href="/p/1.png" alt=">"/>
          <seller>Shop</seller>
        </product>
        <product sku='a-2'><name>Cap</name><price>3</price>
        <seller><name>Other</name></seller></product>
        <product><name>No id</name></product>
        <Product sku="no"><name>Other case</name></Product>
      </catalog>
      """, address: "https://shop.example/feed/all.xml")
    #expect(reading.error == nil)
    #expect(
      reading.offers == [
        [
          .id: "a-1", .name: "Hat", .reward: "9.50 EUR", .terms: " n ", .retailer: "Shop",
          .imageURL: "https://shop.example/p/1.png",
        ],
        [.id: "a-2", .name: "Cap", .reward: "3", .retailer: "Other"],
      ])
    #expect(reading.skips == ["3: no id"])
    #expect(reading.facts.title == "Summer & Sun")
  }

  @Test("an item within an item is part of it")
  func nestedItems() throws {
    let reading = try YAMLReading(
      Self.catalog,
      """
      <catalog><product sku="1"><name>A</name><product sku="2"><name>B</name></product></product>
      <product sku="3"><product><name>X</name></product><name>C</name></product></catalog>
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "3"])
    #expect(reading.names == ["A", "C"])
  }

  @Test("the first path that the document has applies")
  func severalPaths() throws {
    let yaml = """
      items: [rss.channel.item, RDF.item, feed.entry]
      id: [guid, id, "@about"]
      fields: {name: title}
      """
    let documents = [
      "<rss><channel><item><guid>1</guid><title>A</title></item></channel></rss>",
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns="http://purl.org/rss/1.0/">
      <channel><title>T</title></channel><item rdf:about="1"><title>A</title></item></rdf:RDF>
      """,
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>A</title></entry></feed>
      """,
      """
      <a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:title>A</a:title>
      </a:entry></a:feed>
      """,
    ]
    for document in documents {
      let reading = try YAMLReading(yaml, document)
      #expect(reading.isClean, "\(document)")
      #expect(reading.offers == [[.id: "1", .name: "A"]], "\(document)")
    }
    let both = try YAMLReading(
      "items: [x.offer, x.more.item]\nid: id\nfields: {name: name}",
      """
      <x><offer><id>1</id><name>A</name></offer><more><item><id>9</id><name>X</name></item></more>
      <offer><id>2</id><name>B</name></offer></x>
      """)
    #expect(both.ids == ["1", "2"])
  }

  @Test(
    "a known namespace has its canonical prefix, whatever the document calls it",
    arguments: [
      #"<rss xmlns:g="http://base.google.com/ns/1.0">G</rss>"#,
      #"<rss xmlns:goog="http://base.google.com/ns/1.0">GOOG</rss>"#,
      #"<rss xmlns:goog="HTTPS://base.google.com/ns/1.0/">GOOG</rss>"#,
      #"<rss>G</rss>"#, #"<rss>DECLARED</rss>"#,
      #"<rss xmlns:g="http://unknown.example/ns">G</rss>"#,
    ])
  func prefixes(frame: String) throws {
    let yaml = """
      items: rss.channel.item
      id: g:id
      fields: {name: title, image: g:image_link, terms: "g:x.@g:y"}
      """
    func item(_ p: String, _ declared: String = "") -> String {
      """
      ><channel><item><title>A</title><\(p):id\(declared)>1</\(p):id>\
      <\(p):image_link\(declared)>u</\(p):image_link>\
      <\(p):x \(p):y="z"\(declared)/></item></channel><
      """
    }
    let document =
      frame
      .replacing(">GOOG<", with: item("goog")).replacing(">G<", with: item("g"))
      .replacing(
        ">DECLARED<", with: item("q", #" xmlns:q="http://base.google.com/ns/1.0""#))
    let reading = try YAMLReading(yaml, document)
    #expect(reading.isClean, "\(document)")
    #expect(
      reading.offers == [[.id: "1", .name: "A", .imageURL: "u", .terms: "z"]], "\(document)")
  }

  @Test("the root's namespace has no prefix, and another default namespace has its own")
  func defaultNamespaces() throws {
    let yaml = """
      items: offers.offer
      id: id
      fields: {name: name, terms: media:content.@url, description: xhtml:div}
      """
    let reading = try YAMLReading(
      yaml,
      """
      <o:offers xmlns:o="http://shop.example/ns"><o:offer><o:id>1</o:id><o:name>A</o:name>
      <content xmlns="http://search.yahoo.com/mrss/" url="m"/>
      <div xmlns="http://www.w3.org/1999/xhtml">Text <b>bold</b></div></o:offer>
      <offer xmlns="http://shop.example/ns"><id>2</id><name>B</name></offer></o:offers>
      """)
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [.id: "1", .name: "A", .terms: "m", .description: "Text bold"], [.id: "2", .name: "B"],
      ])
  }

  @Test("a title in another namespace is not the title of the item")
  func otherTitles() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss xmlns:m="http://search.yahoo.com/mrss/" xmlns:a="http://www.w3.org/2005/Atom"><channel>
      <a:link href="https://x.example/feed"/><title>Feed</title><link>https://x.example/</link>
      <item><m:title>Photo</m:title><title>A</title><a:link href="https://x.example/no"/>
      <link>https://x.example/1</link><m:content url="p.jpg" medium="image"><m:title>P</m:title>
      </m:content></item></channel></rss>
      """)
    #expect(reading.isClean)
    #expect(reading.names == ["A"])
    #expect(reading.all(.url) == ["https://x.example/1"])
    #expect(reading.all(.imageURL) == ["p.jpg"])
    #expect(reading.facts.title == "Feed")
  }

  @Test("an empty feed is accepted, and a document with other elements is refused")
  func emptyFeed() throws {
    for document in [
      "<rss><channel><title>T</title></channel></rss>", "<rss><channel/></rss>",
    ] {
      let reading = try YAMLReading(shipped: "rss", document)
      #expect(reading.isClean, "\(document)")
      #expect(reading.events.isEmpty)
    }
    let atom = #"<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title></feed>"#
    #expect(try YAMLReading(shipped: "atom", atom).isClean)
    for document in [
      "<rss/>", "<feed><title>T</title></feed>", "<rss><item><title>A</title></item></rss>",
      "<channel><item/></channel>", "<error>busy</error>",
    ] {
      let reading = try YAMLReading(shipped: "rss", document)
      #expect(reading.error?.code == .unexpectedShape, "\(document)")
      #expect(reading.error?.message.contains("rss.channel.item") == true)
    }
  }

  @Test("an RSS item outside its channel is ignored")
  func itemOutside() throws {
    let reading = try YAMLReading(
      shipped: "rss",
      """
      <rss version="2.0"><item><title>Before</title></item><channel><title>T</title>
      <item><guid>1</guid><title>A</title></item><image><item><title>In</title></item></image>
      </channel><item><title>Behind</title></item></rss>
      """)
    #expect(reading.isClean)
    #expect(reading.names == ["A"])
    #expect(reading.itemCount == 1)
  }

  @Test("items can be all elements below the root, or the root itself")
  func anyElement() throws {
    let yaml = "title: {from: shop.name}\nitems: shop.*\nid: '@id'\nfields: {name: t}"
    let reading = try YAMLReading(
      yaml, "<shop><name>S</name><hat id='1'><t>A</t></hat><cap id='2'><t>B</t></cap></shop>")
    #expect(reading.ids == ["1", "2"])
    #expect(reading.error == nil)
    #expect(
      try YAMLReading(
        "items: hat\nid: '@id'\nfields: {name: t}", "<hat id='1'><t>A</t></hat>"
      ).ids == ["1"])
  }

  @Test("an item can consist of its text and attributes only")
  func plainItems() throws {
    let reading = try YAMLReading(
      "items: codes.code\nid: \"@id\"\nfrom-text: false\nfields: {name: ., terms: \"@t\"}",
      """
      <codes><code id="1"> Ten &lt;off&gt; </code><code id="2" t="x">Half <b>price</b></code>
      <code id="3"/></codes>
      """)
    #expect(
      reading.offers == [
        [.id: "1", .name: "Ten <off>"], [.id: "2", .name: "Half price", .terms: "x"],
      ])
    #expect(reading.skips == ["3 (3): no name"])
  }
}
