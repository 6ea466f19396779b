import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Well-known kinds of feeds")
struct WellKnownKindTests {
  private static let atom = "http://www.w3.org/2005/Atom"
  private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  static let known: [(start: String, kind: WellKnownKind)] = [
    ("<rss version='2.0'><channel>", .rss),
    ("<?xml version=\"1.0\"?>\n<!-- <feed> --><rss>", .rss),
    ("<!DOCTYPE rss [<!ENTITY a '>'> <!ENTITY b \"]\">]><rss version=\"0.91\">", .rss),
    ("<!DOCTYPE rss [<!-- it's \"x --> <!ELEMENT a ANY>]><rss version='0.91'>", .rss),
    ("<!DOCTYPE rss [<?it 's ]> ?>]><rss>", .rss),
    ("<?xml-stylesheet href='x>y'?><rss xmlns:g='http://base.google.com/ns/1.0'>", .rss),
    ("<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='\(rdf)'>", .rdf),
    ("<RDF xmlns='\(rdf)'>", .rdf), ("<r:RDF\n\txmlns:r = \"\(rdf)\"/>", .rdf),
    ("<feed xmlns='\(atom)'>", .atom), ("<a:feed xml:lang='en' xmlns:a='\(atom)'>", .atom),
    ("<feed xmlns:im='http://itunes.apple.com/rss' xmlns='https://www.w3.org/2005/atom/'>", .atom),
    (#"{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id"#, .jsonfeed),
    (#"{"version":"http://jsonfeed.org/version/1","title":"x","items":[]}"#, .jsonfeed),
    (#" {"title":"x","version" : "https:\/\/jsonfeed.org\/version\/1"}"#, .jsonfeed),
    (#"{"products":[{"id":1,"title":"A","body_html":"","variants":[{"id":2"#, .shopify),
    (#"{"products":[{"variants":[],"handle":"a"},{"#, .shopify),
    (#"[{"id":1,"handle":"a","variants":[{"price":"1.00"}]}]"#, .shopify),
    (#"{"feed":{"entry":[{"im:name":{"label":"A"},"id":{}}]}}"#, .chart),
    (#"{"feed":{"entry":{"im:name":{"label":"A"}}}}"#, .chart),
    (#"{"feed":{"author":{"name":{"label":"iTunes Store"}},"title":{"label":"Top"}}}"#, .chart),
  ]

  private static func find(_ start: [UInt8]) -> WellKnownKind? {
    WellKnownKind(Sample(start, as: start.first { $0 > 0x20 } == 0x3C ? .xml : .json))
  }

  @Test("each kind is detected from the start of its document", arguments: known)
  func findsKinds(start: String, kind: WellKnownKind) {
    #expect(Self.find(Array(start.utf8)) == kind)
  }

  @Test(
    "other documents have no kind",
    arguments: [
      "", " ", "x", "<", "<rss", "<rss version='2", "<!-- <rss>", "<?xml <rss>",
      "<!DOCTYPE [ <rss>", "<!DOCTYPE x [<!-- ]> <rss>",
      "<rssfeed>", "<feed>", "<feed xmlns='http://example.com/'>", "<x:feed xmlns='\(atom)'>",
      "<RDF>", "<rdf:RDF>", "<deals><rss/></deals>", "<html>", "{}", "[]", "[1]",
      #"{"version":"1.1","items":[]}"#, #"{"version":"ftp://jsonfeed.org/version/1"}"#,
      #"{"feed":{"version":"https://jsonfeed.org/version/1"}}"#,
      #"{"feed":{"entry":[{"name":"A"}]}}"#, #"{"feed":{"author":{"name":"iTunes Store"}}}"#,
      #"{"products":[{"id":1,"handle":"a"}]}"#, #"{"products":[]}"#, #"{"products":{}}"#,
      #"[{"variants":[{"price":1}],"title":"A"}]"#, #"{"items":[{"variants":[],"handle":"a"}]}"#,
    ])
  func findsNoOthers(start: String) {
    #expect(Self.find(Array(start.utf8)) == nil)
  }

  @Test("a start that is cut off anywhere gives the kind or nothing", arguments: known)
  func survivesCuts(start: String, kind: WellKnownKind) {
    let bytes = Array(start.utf8)
    for end in 0...bytes.count {
      let found = Self.find(Array(bytes[..<end]))
      #expect(found == nil || found == kind)
    }
  }

  @Test(
    "the definition is the shipped one with another name", arguments: WellKnownKind.allCases)
  func givesDefinitions(kind: WellKnownKind) throws {
    var definition = try kind.definition(named: "my-feed-2")
    #expect(definition.name == "my-feed-2")
    definition.name = kind.rawValue
    #expect(try definition == ShippedDefinition.definition(kind.rawValue))
    for name in ["", "My feed", "-x", String(repeating: "x", count: 64)] {
      let error = #expect(throws: OffersError.self) { try kind.definition(named: name) }
      #expect(error?.code == .invalidRequest)
    }
  }

  @Test(
    "entries of news, the newest first, are a window; products and other orders are none",
    arguments: [
      (["3", "2", "1"], "", true), (["1", "3", "2", "5", "4"], "", false),
      (["1", "9", "8", "7", "6"], "", true), ([], "", true), (["1", "2", "3"], "", false),
      (["1", "9", "8", "7"], "", true), (["1", "3", "2"], "", false),
      (["3T05:00:00Z", "3T09:00:00Z", "3T07:00:00Z", "3T08:00:00Z", "2T01:00:00Z"], "", true),
      (["3T05:00:00Z", "3T06:00:00Z", "3T07:00:00Z"], "", false),
      (["3", "3", "3"], "", false), (["3", "2", "1"], "<g:price>3 USD</g:price>", false),
    ])
  func knowsWindows(days: [String], more: String, isWindow: Bool) throws {
    let items = days.enumerated().map {
      "<item><guid>\($0)</guid><title>Tea</title><pubDate>2026-01-0\($1)</pubDate>\(more)</item>"
    }
    let guess = DefinitionGuess()
    let text = """
      <rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>A</title>\(items.joined())</channel></rss>
      """
    try Array(text.utf8).withUnsafeBytes { try guess.consume($0) }
    let proposal = try guess.finish()
    #expect(proposal.definition.isWindow == isWindow)
    #expect(proposal.points.contains { $0.contains("window: false") } == isWindow)
    #expect(DefinitionText.yaml(for: proposal.definition).contains("window: true") == isWindow)
  }

  /// A typical document of RSS 1.0.
  private static let news = """
    <?xml version="1.0" encoding="UTF-8"?>
    <rdf:RDF xmlns:rdf="\(rdf)" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"
      xmlns:content="http://purl.org/rss/1.0/modules/content/" xml:lang="en">
    <channel rdf:about="https://bargains.example/">
      <title>Bargains</title><link>https://bargains.example/</link>
      <description>Daily bargains</description><dc:rights>Copyright 2026 Bargains</dc:rights>
      <sy:updatePeriod>hourly</sy:updatePeriod>
      <items><rdf:Seq><rdf:li rdf:resource="https://bargains.example/1"/>
        <rdf:li resource="https://bargains.example/2"/></rdf:Seq></items>
      <image rdf:resource="https://bargains.example/logo.png"/>
    </channel>
    <image rdf:about="https://bargains.example/logo.png"><title>Logo</title></image>
    <item rdf:about="https://bargains.example/1">
      <title>Kettle for $10</title><link>https://bargains.example/1?from=rss</link>
      <description>A &lt;b&gt;kettle&lt;/b&gt;</description>
      <content:encoded><![CDATA[<p>A <b>kettle</b>, today only.</p>]]></content:encoded>
      <dc:creator>Ann</dc:creator><dc:date>2026-08-21T10:00:00+02:00</dc:date>
      <dc:subject>Kitchen</dc:subject><dc:subject>Tea</dc:subject>
    </item>
    <item rdf:about="https://bargains.example/2">
      <title>Toaster</title><link>https://bargains.example/2</link>
      <dc:publisher>Toast Shop</dc:publisher>
    </item>
    <textinput rdf:about="https://bargains.example/find"><title>Find</title></textinput>
    </rdf:RDF>
    """

  @Test("RSS 1.0 is read with any prefix for its root's namespace")
  func readsRDF() throws {
    for document in [
      Self.news, Self.news.replacing("rdf:", with: "r:").replacing("xmlns:rdf", with: "xmlns:r"),
    ] {
      #expect(Self.find(Array(document.utf8)) == .rdf)
      let guess = try GuessReading(document, name: "bargains")
      #expect(guess.proposal.itemCount == 2)
      #expect(guess.ids == ["https://bargains.example/1", "https://bargains.example/2"])
      #expect(guess.all(.name) == ["Kettle for $10", "Toaster"])
      #expect(guess.all(.description) == ["A kettle, today only.", nil])
      #expect(
        guess.all(.url) == ["https://bargains.example/1?from=rss", "https://bargains.example/2"])
      #expect(guess.all(.retailer) == [nil, "Toast Shop"])
      #expect(guess.all(.categories) == [#"["Kitchen","Tea"]"#, nil])
      #expect(
        guess.all(.attributes) == [
          #"[["Published","2026-08-21T08:00:00Z"],["Author","Ann"],["Price from the text","$10"],["End from the text","today only"]]"#,
          nil,
        ])
      let facts = try Self.facts(of: document, as: guess.definition)
      #expect(facts.title == "Bargains")
      #expect(facts.shared.map(\.value) == ["Copyright 2026 Bargains"])
    }
  }

  @Test(
    "a few entries with the id of another one are skipped, and the others keep their ids",
    arguments: [(50, 2, "guid"), (3, 3, "https")])
  func keepsIDs(count: Int, sharing: Int, start: String) throws {
    let items = (0..<count).map {
      let id = $0 < sharing ? 0 : $0
      return "<item><guid isPermaLink='false'>guid\(id)</guid><title>Tea \($0)</title>"
        + "<link>https://s.example/\($0)</link></item>"
    }
    let guess = try GuessReading(
      "<rss version='2.0'><channel><title>A</title>\(items.joined())</channel></rss>")
    #expect(guess.ids.allSatisfy { $0.hasPrefix(start) })
    #expect(guess.proposal.itemCount == count)
  }

  private static func facts(
    of document: String, as definition: FeedDefinition
  ) throws -> DocumentFacts {
    let reader = FeedReader(definition: definition, sink: RecordingSink())
    try Array(document.utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    return reader.facts
  }
}
