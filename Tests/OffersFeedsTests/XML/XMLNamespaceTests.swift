import OffersFeeds
import Testing

@Suite("Canonical names of XML namespaces")
struct XMLNamespaceTests {
  private static let google = "http://base.google.com/ns/1.0"
  private static let atom = "http://www.w3.org/2005/Atom"
  private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  private static func expect(
    _ document: String, becomes tokens: String, at location: SourceLocation = #_sourceLocation
  ) {
    for sizes in [[], [1], [13]] {
      let run = TokenRun(document, pieceSizes: sizes)
      #expect(run.error == nil, sourceLocation: location)
      #expect(run.text == tokens, sourceLocation: location)
    }
  }

  @Test("known namespaces have their canonical prefix, in elements and attributes")
  func renamesKnownNamespaces() {
    for prefix in ["g", "x", "merchant", "media"] {
      Self.expect(
        "<rss xmlns:\(prefix)='\(Self.google)'><\(prefix):id \(prefix):a='1' b='2'>7</\(prefix):id></rss>",
        becomes: "<rss><g:id g:a=1 b=2>7</g:id></rss>")
    }
  }

  @Test(
    "each known namespace has its prefix in all spellings of its URI",
    arguments: [
      ("http://base.google.com/ns/1.0", "g:"), ("https://base.google.com/ns/1.0/", "g:"),
      ("http://itunes.apple.com/rss", "im:"), ("https://itunes.apple.com/rss", "im:"),
      ("http://search.yahoo.com/mrss/", "media:"), ("http://search.yahoo.com/mrss", "media:"),
      ("http://purl.org/dc/elements/1.1/", "dc:"),
      ("http://purl.org/rss/1.0/modules/content/", "content:"), (atom, "atom:"), (rdf, "rdf:"),
      ("http://purl.org/rss/1.0/", ""), ("http://backend.userland.com/RSS2", ""),
      ("http://www.itunes.com/dtds/podcast-1.0.dtd", "itunes:"),
      ("http://www.itunes.com/DTDs/Podcast-1.0.dtd", "itunes:"),
      ("http://www.w3.org/2003/01/geo/wgs84_pos#", "geo:"),
      ("http://www.georss.org/georss", "georss:"),
      ("http://purl.org/rss/1.0/modules/slash/", "slash:"),
      ("http://wellformedweb.org/CommentAPI/", "wfw:"),
      ("http://purl.org/rss/1.0/modules/syndication/", "sy:"),
      ("http://www.w3.org/1999/xhtml", "xhtml:"),
      ("http://rssnamespace.org/feedburner/ext/1.0", "feedburner:"),
      ("http://a9.com/-/spec/opensearch/1.1/", "opensearch:"), ("http://unheard", "x:"), ("", "x:"),
    ])
  func knowsNamespaces(uri: String, prefix: String) {
    if uri.isEmpty {
      Self.expect("<r><x:a/></r>", becomes: "<r><x:a></x:a></r>")
    } else {
      Self.expect(
        "<r><x:a xmlns:x='\(uri)'><b/></x:a></r>",
        becomes: "<r><\(prefix)a><b></b></\(prefix)a></r>")
      let bare = uri == "http://unheard" ? "" : prefix
      Self.expect(
        "<r><a xmlns='\(uri)' c='1'/></r>", becomes: "<r><\(bare)a c=1></\(bare)a></r>")
    }
  }

  @Test("the root's namespace has no prefix")
  func baresRoot() {
    Self.expect(
      "<feed xmlns='\(Self.atom)' xmlns:i='http://itunes.apple.com/rss'><entry><i:name/></entry></feed>",
      becomes: "<feed><entry><im:name></im:name></entry></feed>")
    Self.expect(
      "<atom:feed xmlns:atom='\(Self.atom)'><atom:entry atom:a='1'/><x/></atom:feed>",
      becomes: "<feed><entry a=1></entry><x></x></feed>")
    Self.expect(
      "<u:shop xmlns:u='http://unheard'><u:item/></u:shop>", becomes: "<shop><item></item></shop>")
    Self.expect(
      "<rss xmlns:a10='\(Self.atom)'><a10:link href='x'/></rss>",
      becomes: "<rss><atom:link href=x></atom:link></rss>")
    Self.expect(
      "<rdf:RDF xmlns:rdf='\(Self.rdf)' xmlns='http://purl.org/rss/1.0/'><item rdf:about='x'/></rdf:RDF>",
      becomes: "<RDF><item about=x></item></RDF>")
  }

  @Test("a declaration applies to its element and its content")
  func scopesDeclarations() {
    Self.expect(
      """
      <r xmlns:x='http://purl.org/dc/elements/1.1/'><x:a/><x:b xmlns:x='\(Self.google)'><x:c/></x:b>\
      <x:d/><div xmlns='http://www.w3.org/1999/xhtml'><p xmlns=''/><p/></div><p/></r>
      """,
      becomes: """
        <r><dc:a></dc:a><g:b><g:c></g:c></g:b><dc:d></dc:d><xhtml:div><p></p><xhtml:p></xhtml:p>\
        </xhtml:div><p></p></r>
        """)
  }

  @Test("undeclared prefixes and xml are unchanged")
  func keepsOtherPrefixes() {
    Self.expect(
      "<rss><g:id xml:lang='de' q:x='1'/><a:/><:b/></rss>",
      becomes: "<rss><g:id xml:lang=de q:x=1></g:id><a:></a:><:b></:b></rss>")
    Self.expect(
      "<r xmlns:m='\(Self.google)'><g:id xml:space='1' xmlnsx='2'/></r>",
      becomes: "<r><g:id xml:space=1 xmlnsx=2></g:id></r>")
  }
}
