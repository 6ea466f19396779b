import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Parsing XML")
struct XMLTokenReaderTests {
  private static let sizes: [[Int]] = [[], [1], [3, 5], [100]]

  @Test(
    "elements, attributes and texts arrive in order",
    arguments: [
      ("<a/>", "<a></a>"),
      ("<?xml version='1.0'?><a b='1' c=\"&lt;2&gt;\">x &amp; y</a>", "<a b=1 c=<2>>x & y</a>"),
      ("<a>1<b>2</b>3<!-- no --><![CDATA[<4> & ]]><?no 5?></a>\n", "<a>1<b>2</b>3<4> & </a>"),
      ("<a>é &#xE9; 日本 &#x1F600;\r\nx</a>", "<a>é é 日本 😀\nx</a>"),
      (
        "<!DOCTYPE a [<!ENTITY e 'ee'><!ATTLIST a d CDATA 'no'>]><a b='&e;'>&e;</a>",
        "<a b=ee>ee</a>"
      ),
      ("<?xml version='1.0' encoding='utf-16'?><a>é</a>", "<a>é</a>"),
      ("<?xml version='1.0' encoding='unheard'?><a>é</a>", "<a>é</a>"),
    ])
  func readsDocuments(document: String, tokens: String) {
    for sizes in Self.sizes {
      let run = TokenRun(document, pieceSizes: sizes)
      #expect(run.error == nil)
      #expect(run.text == tokens)
    }
  }

  @Test("a large document gives the same result in any chunks")
  func readsLargeDocument() {
    let items = (0..<3000).map { "<item id='\($0)'><name>Soup &amp; Salad® \($0)</name></item>\n" }
    let document = "<rss>" + items.joined() + "</rss>"
    let whole = TokenRun(document)
    #expect(whole.error == nil)
    #expect(whole.startCount == 6001)
    for sizes in [[1], [1000], [65_536], [70_000]] {
      #expect(TokenRun(document, pieceSizes: sizes) == whole)
    }
  }

  @Test(
    "an error names its position",
    arguments: [
      ("<a>\n <b></c></a>", "line 2, column 7: mismatched tag, in element a.b"),
      ("<a b='1' b='2'/>", "line 1, column 10: duplicate attribute"),
      ("<a/><b/>", "line 1, column 5: junk after document element"),
      ("<a>&unheard;</a>", "line 1, column 4: undefined entity, in element a"),
      ("<a>a & b</a>", "line 1, column 7: not well-formed (invalid token), in element a"),
      ("{\"a\":1}", "line 1, column 1: not well-formed (invalid token)"),
      (
        " <?xml version='1.0'?><a/>",
        "line 1, column 2: XML or text declaration not at start of entity"
      ),
      (
        "<!DOCTYPE a [<!ENTITY e '&e;'>]><a>&e;</a>",
        "line 1, column 36: recursive entity reference, in element a"
      ),
      ("<a>&#0;</a>", "line 1, column 4: reference to invalid character number, in element a"),
    ])
  func namesFaults(document: String, reason: String) throws {
    for sizes in Self.sizes {
      let error = try #require(TokenRun(document, pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      #expect(error.message == "The document is not well-formed XML at \(reason).")
      #expect(error.hint?.text.hasPrefix("Nothing was changed.") == true)
    }
  }

  @Test(
    "an incomplete and an invalid document have different errors",
    arguments: [
      ("<a><b.c><d>text", "line 1, column 16, in element a.b.c.d"),
      ("<a><b></b><", "line 1, column 11, in element a"),
      ("<a><b x='1", "line 1, column 4, in element a"),
      ("<a><![CDATA[x", "line 1, column 14, in element a"),
      ("<a><!-- ", "line 1, column 4, in element a"),
      ("<?xml version='1.0'?>\n", "line 2, column 1, before any element ends"),
      ("<!DOCTYPE a [", "line 1, column 14, before any element ends"),
    ])
  func namesEarlyEnds(document: String, place: String) throws {
    for sizes in Self.sizes {
      let error = try #require(TokenRun(document, pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      #expect(error.message == "The document ends too early, at \(place).")
      #expect(error.hint?.text.hasPrefix("Nothing was changed.") == true)
    }
  }

  @Test("every prefix of a document is refused as incomplete")
  func refusesTruncation() {
    let document = Array(
      "<?xml version='1.0'?><a b='1'>é<c>&amp;</c><![CDATA[ ]]><!-- --></a>".utf8)
    for count in 1..<document.count {
      let error = TokenRun(Array(document.prefix(count))).error
      #expect(error?.message.hasPrefix("The document ends too early") == true, "\(count)")
    }
  }

  @Test("an empty document is reported as such")
  func refusesNothing() {
    let error = TokenRun("").error
    #expect(error?.code == .malformedFeed)
    #expect(error?.message == "The document is empty.")
  }

  @Test("an error of the handler stops the parser and is thrown by later calls")
  func passesErrorsOn() throws {
    let recorder = TokenRecorder()
    recorder.stopName = "stop"
    let reader = XMLTokenReader(handler: recorder)
    let document = Array("<a>1<b/><stop>2</stop><c/></a>".utf8)
    #expect(throws: TokenRecorder.Stop.self) {
      try document.withUnsafeBytes { try reader.consume($0) }
      try reader.finish()
    }
    #expect(recorder.text == "<a>1<b></b>")
    #expect(throws: TokenRecorder.Stop.self) {
      try document.withUnsafeBytes { try reader.consume($0) }
    }
    #expect(throws: TokenRecorder.Stop.self) { try reader.finish() }
    #expect(recorder.startCount == 3)
  }

  @Test("finish can be called twice")
  func finishesTwice() throws {
    let recorder = TokenRecorder()
    let reader = XMLTokenReader(handler: recorder)
    try Array("<a/>".utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    try reader.finish()
    #expect(recorder.text == "<a></a>")
  }
}
