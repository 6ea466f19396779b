import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Repairs of XML")
struct XMLMenderTests {
  private static let sizes: [[Int]] = [[], [1], [2, 1], [3], [7, 31], [64], [65]]

  private static func expect(
    _ document: [UInt8], becomes text: String, count: Int,
    at location: SourceLocation = #_sourceLocation
  ) {
    for sizes in sizes {
      let result = StageRun.mending(document, pieceSizes: sizes)
      #expect(result.run.error == nil, sourceLocation: location)
      #expect(result.text == text, "pieces \(sizes)", sourceLocation: location)
      #expect(result.run.bytes == Array(text.utf8), sourceLocation: location)
      #expect(result.count == count, "pieces \(sizes)", sourceLocation: location)
    }
  }

  private static func expect(
    _ document: String, becomes text: String, count: Int,
    at location: SourceLocation = #_sourceLocation
  ) {
    expect(Array(document.utf8), becomes: text, count: count, at: location)
    // The search proceeds 32 bytes at a time, so the position matters.
    for indent in [1, 15, 31, 33] {
      let space = String(repeating: ".", count: indent)
      expect(
        "<a>\(space)</a>" + document, becomes: "<a>\(space)</a>" + text, count: count,
        short: location)
    }
  }

  private static func expect(
    _ document: String, becomes text: String, count: Int, short location: SourceLocation
  ) {
    for sizes in [[], [1], [5]] {
      let result = StageRun.mending(Array(document.utf8), pieceSizes: sizes)
      #expect(result.text == text, "pieces \(sizes)", sourceLocation: location)
      #expect(result.count == count, sourceLocation: location)
    }
  }

  @Test(
    "an ampersand without a reference is escaped",
    arguments: [
      ("<a>Ben & Jerry's</a>", "<a>Ben &amp; Jerry's</a>"),
      ("<a>A&B;</a>", "<a>A&amp;B;</a>"),
      ("<a x='?a=1&b=2'/>", "<a x='?a=1&amp;b=2'/>"),
      ("<a>&</a>", "<a>&amp;</a>"),
      ("<a>& amp;</a>", "<a>&amp; amp;</a>"),
      ("<a>&amp </a>", "<a>&amp;amp </a>"),
      ("<a>&;</a>", "<a>&amp;;</a>"),
      ("<a>&#;</a>", "<a>&amp;#;</a>"),
      ("<a>&#x;</a>", "<a>&amp;#x;</a>"),
      ("<a>&#12a;</a>", "<a>&amp;#12a;</a>"),
      ("<a>&#xZ;</a>", "<a>&amp;#xZ;</a>"),
      ("<a>&unheard;</a>", "<a>&amp;unheard;</a>"),
      ("<a>&1a;</a>", "<a>&amp;1a;</a>"),
      ("text &", "text &amp;"),
      ("text &am", "text &amp;am"),
      ("text &#6", "text &amp;#6"),
    ])
  func mendsAmpersands(document: String, text: String) {
    Self.expect(document, becomes: text, count: 1)
  }

  @Test(
    "a less-than sign that begins no tag is escaped",
    arguments: [
      ("<a>5 < 6</a>", "<a>5 &lt; 6</a>", 1), ("<a>I <3 tea</a>", "<a>I &lt;3 tea</a>", 1),
      ("<a><<b/></a>", "<a>&lt;<b/></a>", 1), ("<a><&amp;</a>", "<a>&lt;&amp;</a>", 1),
      ("<a><& b</a>", "<a>&lt;&amp; b</a>", 2), ("<a>< <\n</a>", "<a>&lt; &lt;\n</a>", 2),
      ("<a b='<5'/>", "<a b='&lt;5'/>", 1), ("<a><=></a>", "<a>&lt;=></a>", 1),
      ("<a><@b></a>", "<a>&lt;@b></a>", 1), ("<a><[b]</a>", "<a>&lt;[b]</a>", 1),
      ("<a><{b}<|c</a>", "<a>&lt;{b}&lt;|c</a>", 2), ("<a><_b/><Z/></a>", "<a><_b/><Z/></a>", 0),
      ("<a><:b/></a>", "<a><:b/></a>", 0), ("<a><é/></a>", "<a><é/></a>", 0),
      ("<a><![CDATA[5 < 6]]></a>", "<a><![CDATA[5 < 6]]></a>", 0),
      ("<a><!-- 5 < 6 --></a>", "<a><!-- 5 < 6 --></a>", 0),
    ])
  func mendsLessThan(document: String, text: String, count: Int) {
    Self.expect(document, becomes: text, count: count)
  }

  @Test(
    "an XML declaration that does not come first is left out",
    arguments: [
      ("<!-- cached --><?xml version='1.0'?><a/>", "<!-- cached --><a/>", 1),
      ("<?xml version='1.0'?><?xml version='1.0'?><a/>", "<?xml version='1.0'?><a/>", 1),
      ("<a><?xml version='1.0'?><b/></a>", "<a><b/></a>", 1),
      (
        "<?xml version='1.0'?><?xml-stylesheet href='x'?><a/>",
        "<?xml version='1.0'?><?xml-stylesheet href='x'?><a/>", 0
      ),
    ])
  func leavesDeclarationsOut(document: String, text: String, count: Int) {
    Self.expect(Array(document.utf8), becomes: text, count: count)
  }

  @Test("references to control characters mean windows-1252, as in HTML")
  func mendsControls() {
    Self.expect("<a>&#128; &#x92; &#153;</a>", becomes: "<a>€ ’ ™</a>", count: 3)
    Self.expect("<a>&#159;&#160;</a>", becomes: "<a>Ÿ&#160;</a>", count: 1)
  }

  @Test("adjacent ampersands are each repaired")
  func mendsManyAmpersands() {
    Self.expect("<a>&&&amp;&&</a>", becomes: "<a>&amp;&amp;&amp;&amp;&amp;</a>", count: 4)
    let name = String(repeating: "a", count: 100)
    Self.expect("<a>&\(name);</a>", becomes: "<a>&amp;\(name);</a>", count: 1)
  }

  @Test(
    "XML's own references are unchanged",
    arguments: [
      "<a>&amp;&lt;&gt;&quot;&apos;</a>", "<a b='&quot;'>&#13;&#x2019;&#65;&#xE9;&#x1F600;</a>",
      "<a>&#00000000000000000000065;</a>", "<a>&#x9;&#xA;&#xD7FF;&#xE000;&#xFFFD;&#x10FFFF;</a>",
    ])
  func leavesSoundReferences(document: String) {
    Self.expect(document, becomes: document, count: 0)
  }

  @Test("a name of HTML becomes its character, escaped where necessary")
  func mendsNames() {
    Self.expect("<a b='&eacute;'>&nbsp;</a>", becomes: "<a b='é'>\u{A0}</a>", count: 2)
    Self.expect("<a>&AMP;&hellip;</a>", becomes: "<a>&amp;…</a>", count: 2)
    Self.expect("<a>&#X41;&#X26;</a>", becomes: "<a>A&amp;</a>", count: 2)
  }

  @Test("beside a document's own entities unknown names are kept, and those of HTML are no faults")
  func leavesOwnNames() {
    let doctype = "<!DOCTYPE a [<!ENTITY nbsp \"]>\"> <!-- ' ]> --> <?p ]>'?> <!ENTITY x '[>'>]>"
    Self.expect(
      "\(doctype)<a>&eacute;&x;&unheard; & &#0;</a>",
      becomes: "\(doctype)<a>\u{E9}&x;&unheard; &amp; </a>", count: 2)
    let outside = "<!DOCTYPE rss PUBLIC \"-//Netscape//DTD RSS 0.91//EN\" 'http://a/b>[.dtd'>"
    Self.expect("\(outside)<a>&eacute;</a>", becomes: "\(outside)<a>é</a>", count: 1)
  }

  @Test("control characters and references to them are removed everywhere")
  func dropsControls() {
    Self.expect(
      "<a\u{0}>b\u{1}\u{8}c\u{B}\u{1F}\t\r\n\u{7F}</a>", becomes: "<a>bc\t\r\n\u{7F}</a>", count: 5)
    Self.expect("<a>\n\u{B}\n \u{C}</a>", becomes: "<a>\n\n </a>", count: 2)
    Self.expect(
      "<a>&#0;&#8;&#x1F;&#xD800;&#xFFFE;&#x110000;&#99999999999999;</a>", becomes: "<a></a>",
      count: 7)
    Self.expect(
      "<!-- \u{1} --><?p \u{2}?><![CDATA[\u{3}]]><a/>", becomes: "<!--  --><?p ?><![CDATA[]]><a/>",
      count: 3)
    Self.expect("<!DOCTYPE \u{1}a><a/>", becomes: "<!DOCTYPE a><a/>", count: 1)
  }

  @Test("comments, CDATA and instructions are otherwise unchanged")
  func leavesSections() {
    for document in [
      "<!-- a & b &nbsp; --><a/>", "<![CDATA[<p>AT&T &nbsp;</p>]] > ]>]]>",
      "<?php a & b > &x; ?><a/>",
      "<!----><a/>", "<!-- - -- --->", "<![CDATA[]]]]><![CDATA[>]]>", "<??><a/>", "<?a??>",
      "<!DOCTYPE a SYSTEM \"a&b\"><a/>", "<!ELEMENT a>", "<!-", "<![CDAT", "<", "<!", "<!DOCTYP",
      "<![CDATA[ & ]]", "<!-- & -", "<? & ?", "<!-->&-->", "<?>&?>", "<!--->&-->",
    ] {
      Self.expect(document, becomes: document, count: 0)
    }
  }

  @Test("repairs continue after a section")
  func mendsBehindSections() {
    Self.expect(
      "<![CDATA[&]]>&<!--&-->&<?x &?>&<!x&",
      becomes: "<![CDATA[&]]>&amp;<!--&-->&amp;<?x &?>&amp;<!x&amp;",
      count: 4)
    Self.expect("<![CDATA[&]>]]>&", becomes: "<![CDATA[&]>]]>&amp;", count: 1)
    Self.expect("<!--->-->&", becomes: "<!--->-->&amp;", count: 1)
  }

  @Test("whitespace before the document is removed")
  func dropsLeadingSpace() {
    let document = "<?xml version=\"1.0\"?>\n<a/>"
    for (space, count) in [
      ("", 0), ("\n", 1), (" \t\r\n\n", 1), ("\u{FEFF}", 1), ("\n\u{FEFF}", 2), ("\u{0}", 1),
    ] {
      Self.expect(Array((space + document).utf8), becomes: document, count: count)
    }
    Self.expect(Array("\n <a/>".utf8), becomes: "<a/>", count: 0)
    Self.expect(Array(" \n".utf8), becomes: "", count: 0)
    Self.expect([], becomes: "", count: 0)
  }

  @Test("invalid UTF-8 and characters that XML forbids become U+FFFD")
  func replacesWrongBytes() {
    let samples: [([UInt8], String, Int)] = [
      ([0xE9, 0x20], "\u{FFFD} ", 1), ([0xE2, 0x80, 0x3E], "\u{FFFD}>", 1),
      ([0xF0, 0x9F, 0x98, 0x41], "\u{FFFD}A", 1), ([0x80, 0xFF], "\u{FFFD}\u{FFFD}", 2),
      ([0xEF, 0xBF, 0xBE, 0x41], "\u{FFFD}A", 1),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", 3),
      ([0xC3], "\u{FFFD}", 1), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}", 2),
      ([0xEF, 0xBF, 0xBD], "\u{FFFD}", 0),
    ]
    for (bytes, text, count) in samples {
      for (start, end) in [
        ("<a>", ""), ("<!--", ""), ("<![CDATA[", ""), ("<?x ", ""), ("<!DOCTYPE ", ""),
        ("<a>" + String(repeating: "é.", count: 20), ""), ("<a>", "<b>日本語</b>"),
      ] {
        if bytes.last == 0xC3 && !end.isEmpty { continue }
        Self.expect(
          Array(start.utf8) + bytes + Array(end.utf8), becomes: start + text + end, count: count)
      }
    }
  }

  @Test("valid input is passed on in one chunk without copying")
  func passesWithoutCopying() throws {
    let document = Array(
      ("<a>" + String(repeating: "<b c='é'>x &amp; y</b><![CDATA[ & ]]>\n", count: 500)).utf8)
    let stage = XMLMender()
    var pieces: [Int] = []
    try document.withUnsafeBytes { bytes in
      try stage.consume(bytes) {
        pieces.append($0.count)
        #expect($0.baseAddress == bytes.baseAddress)
      }
    }
    #expect(pieces == [document.count])
  }

  @Test("an error of the receiver is passed on")
  func passesErrorsOn() {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try Array("<a>&".utf8).withUnsafeBytes { try XMLMender().consume($0) { _ in throw Stop() } }
    }
  }
}
