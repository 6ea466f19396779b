import OffersCore
import OffersFeeds
import Testing

@Suite("Limits of an XML document")
struct XMLSafetyTests {
  private static func expectLimit(
    _ document: String, _ what: String, sizes: [[Int]] = [[], [1000]],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    for sizes in sizes {
      let run = TokenRun(document, pieceSizes: sizes, isQuiet: true)
      let error = try #require(run.error, sourceLocation: location)
      #expect(error.code == .limitExceeded, sourceLocation: location)
      #expect(
        error.message.hasPrefix("The document has \(what), at line "), "\(error.message)",
        sourceLocation: location)
      #expect(error.hint?.text.hasPrefix("Nothing was changed.") == true, sourceLocation: location)
      #expect(run.textBytes <= 1 << 20 + 65_536, sourceLocation: location)
    }
  }

  private static let expansion = "entities that expand to more than 1 MiB"

  private static func laughs(_ start: String) -> String {
    let levels = (1...9).map { level in
      let references = String(repeating: "&l\(level - 1);", count: 10)
      return "<!ENTITY l\(level) \"\(references)\">"
    }
    return "<!DOCTYPE a [<!ENTITY l0 \"\(start)\">\(levels.joined())]>"
  }

  @Test("billion laughs attacks are refused in texts, attributes and elements")
  func refusesBillionLaughs() throws {
    try Self.expectLimit(Self.laughs("lol") + "<a>&l9;</a>", Self.expansion)
    try Self.expectLimit(Self.laughs("lol") + "<a b='&l9;'/>", Self.expansion)
    try Self.expectLimit(Self.laughs("<b/>") + "<a>&l9;</a>", Self.expansion)
    try Self.expectLimit(Self.laughs("") + "<a>&l9;</a>", Self.expansion)
  }

  @Test("a large entity that is used often is refused, a few uses are accepted")
  func refusesQuadraticBlowUp() throws {
    let text = String(repeating: "x", count: 100_000)
    func document(_ uses: Int) -> String {
      "<!DOCTYPE a [<!ENTITY e '\(text)'>]><a>\(String(repeating: "&e;", count: uses))</a>"
    }
    try Self.expectLimit(document(5000), Self.expansion)
    // The document is so large that the expansion is small in comparison.
    let large = String(repeating: "y", count: 5 << 20)
    try Self.expectLimit(
      document(11).replacing("</a>", with: "\(large)&e;</a>"), Self.expansion, sizes: [[]])
    let run = TokenRun(document(10), isQuiet: true)
    #expect(run.error == nil)
    #expect(run.textBytes == 1_000_000)
  }

  @Test("the expansion of small entities is counted together")
  func countsSmallEntities() throws {
    let uses = String(repeating: "&e;&f;", count: 100_000)
    let entities = "<!ENTITY f 'abcd'><!ENTITY e '&f;&f;&f;'>"
    try Self.expectLimit("<!DOCTYPE a [\(entities)]><a>\(uses)</a>", Self.expansion)
    let run = TokenRun(
      "<!DOCTYPE a [\(entities)]><a>\(String(repeating: "&e;\n", count: 1000))</a>", isQuiet: true)
    #expect(run.error == nil)
    #expect(run.textBytes == 13_000)
  }

  @Test("predefined references do not count as expansion")
  func allowsCharacterReferences() {
    let text = String(repeating: "&amp;&#xE9;\r\n<![CDATA[é]]>", count: 200_000)
    let run = TokenRun("<!DOCTYPE a [<!ENTITY e 'x'>]><a>\(text)</a>", isQuiet: true)
    #expect(run.error == nil)
    #expect(run.textBytes == 200_000 * 6)
  }

  @Test("external entities and document types are never loaded")
  func loadsNothing() {
    let document = """
      <!DOCTYPE a SYSTEM "file:///etc/passwd" [
        <!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "file:///etc/passwd"> %p;
        <!ENTITY g "g">
      ]><a>1&e;2</a>
      """
    let run = TokenRun(document)
    #expect(run.error == nil)
    #expect(run.text == "<a>12</a>")
    let attribute = TokenRun("<!DOCTYPE a [<!ENTITY e SYSTEM '/etc/passwd'>]><a b='&e;'/>")
    #expect(attribute.error?.code == .malformedFeed)
    #expect(attribute.error?.message.contains("external entity") == true)
  }

  @Test("elements nested 128 deep are read, 129 deep are refused")
  func boundsDepth() throws {
    func document(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    for sizes in [[], [1]] {
      let fine = TokenRun(document(128), pieceSizes: sizes)
      #expect(fine.error == nil)
      #expect(fine.startCount == 128)
      for depth in [129, 100_000] {
        let run = TokenRun(document(depth), pieceSizes: sizes, isQuiet: true)
        let error = try #require(run.error)
        #expect(error.code == .malformedFeed)
        #expect(error.message.hasSuffix("column 385: elements nested more than 128 deep."))
        #expect(run.startCount == 128)
      }
    }
  }

  @Test("the path in a message is truncated")
  func shortensPath() throws {
    let error = try #require(TokenRun(String(repeating: "<abc>", count: 100)).error)
    #expect(error.message.contains("in element …abc.abc.abc"))
    #expect(error.message.count < 200)
  }

  @Test("an element may have 256 attributes, not 257")
  func boundsAttributes() throws {
    func document(_ count: Int) -> String {
      "<a " + (0..<count).map { "b\($0)='x'" }.joined(separator: " ") + "/>"
    }
    #expect(TokenRun(document(256)).error == nil)
    try Self.expectLimit(document(257), "an element with more than 256 attributes")
    try Self.expectLimit(document(20_000), "an element with more than 256 attributes")
  }

  @Test("a name may have 1 KiB, not a byte more")
  func boundsNames() throws {
    let name = String(repeating: "n", count: 1024)
    let known = "xmlns:x='http://base.google.com/ns/1.0'"
    for document in [
      "<\(name)></\(name)>", "<a \(name)='1'/>", "<a \(known)><x:\(name.dropLast(2))/></a>",
    ] {
      #expect(TokenRun(document).error == nil)
    }
    try Self.expectLimit("<\(name)n/>", "a name longer than 1 KiB")
    try Self.expectLimit("<a \(name)n='1'/>", "a name longer than 1 KiB")
    let deep = String(repeating: "<\(name)>", count: 128)
    #expect(TokenRun(deep, isQuiet: true).startCount == 128)
  }

  @Test("a document may have 100,000 distinct names, not more")
  func boundsDifferentNames() throws {
    let kinds: [(Int) -> String] = [
      { "<n\($0)/>" }, { "<a n\($0)=''/>" }, { "<a xmlns:n\($0)='u'/>" },
    ]
    for kind in kinds {
      // The root and `a` are two more names.
      let most = (0..<99_998).map(kind).joined()
      let run = TokenRun("<r><a/>\(most)\(most)</r>", pieceSizes: [1 << 20], isQuiet: true)
      #expect(run.error == nil)
      try Self.expectLimit(
        "<r><a/>\(most)\(kind(-1))\(kind(-2))</r>".replacing("n-", with: "m"),
        "more than 100,000 different names", sizes: [[1 << 20]])
    }
    let long = String(repeating: "n", count: 1000)
    try Self.expectLimit(
      "<r>" + (0..<9000).map { "<\(long)\($0)/>" }.joined(), "different names of more than 8 MiB",
      sizes: [[]])
  }

  @Test("at most 256 namespaces are in scope at a time")
  func boundsNamespaces() {
    func element(_ count: Int, _ prefix: String) -> String {
      "<a " + (0..<count).map { "xmlns:\(prefix)\($0)='u'" }.joined(separator: " ") + ">"
    }
    let fine = String(repeating: element(200, "p") + "</a>", count: 3)
    #expect(TokenRun("<r>\(fine)</r>").error == nil)
    let run = TokenRun("<r>" + element(200, "p") + element(57, "q"))
    #expect(run.error?.code == .limitExceeded)
  }

  @Test("a namespace prefix has at most 64 bytes")
  func boundsPrefixes() {
    func document(_ prefix: String) -> String { "<r xmlns:\(prefix)='u'><\(prefix):a/></r>" }
    #expect(TokenRun(document(String(repeating: "p", count: 64))).error == nil)
    let run = TokenRun(document(String(repeating: "p", count: 65)))
    #expect(run.error?.code == .limitExceeded)
  }

  @Test("a tag or comment of almost 16 MiB is read, a larger one is refused, in bounded time")
  func boundsTokens() throws {
    let filler = String(repeating: "x", count: (16 << 20) - 100)
    let more = String(repeating: "x", count: 1 << 20)
    for (start, end) in [("<a b='", "'/>"), ("<a><!--", "--></a>"), ("<a><?p ", "?></a>")] {
      for sizes in [[1 << 20], [16_000]] {
        let run = TokenRun(start + filler + end, pieceSizes: sizes, isQuiet: true)
        #expect(run.error == nil)
        #expect(run.startCount == 1)
      }
      try Self.expectLimit(
        start + filler + more + end, "a single tag or comment larger than 16 MiB",
        sizes: [[16_000]])
    }
  }

  @Test("a text may exceed 16 MiB, since it is passed on in chunks")
  func readsLargeTexts() {
    let text = String(repeating: "text\n", count: 4 << 20)
    for (start, end) in [("<a>", "</a>"), ("<a><![CDATA[", "]]></a>")] {
      let run = TokenRun(start + text + end, pieceSizes: [100_000], isQuiet: true)
      #expect(run.error == nil)
      #expect(run.textBytes == 20 << 20)
    }
  }

  @Test("the prolog is bounded")
  func boundsProlog() throws {
    let comments = String(repeating: "<!-- \(String(repeating: "x", count: 1000)) -->", count: 1200)
    try Self.expectLimit(comments + "<a/>", "more than 1 MiB before its first element")
    let elements = (0..<100_000).map { "<!ELEMENT e\($0) ANY>" }.joined()
    try Self.expectLimit(
      "<!DOCTYPE a [\(elements)]><a/>", "more than 1 MiB before its first element")
  }

  @Test("a document type may declare 1000 entities, nested ones included, not more")
  func boundsEntities() throws {
    func document(_ count: Int) -> String {
      let chain = (1..<count).map { "<!ENTITY e\($0) '&e\($0 - 1);'>" }.joined()
      return "<!DOCTYPE a [<!ENTITY e0 'x'>\(chain)]><a>&e\(count - 1);</a>"
    }
    let run = TokenRun(document(1000))
    #expect(run.error == nil)
    #expect(run.text == "<a>x</a>")
    try Self.expectLimit(document(1001), "more than 1000 entities")
    try Self.expectLimit(document(20_000), "more than 1000 entities")
  }

  @Test("default attributes of a document type are ignored, and their number is bounded")
  func ignoresDefaults() throws {
    let run = TokenRun("<!DOCTYPE a [<!ATTLIST a b CDATA 'default'>]><a c='1'/>")
    #expect(run.text == "<a c=1></a>")
    let many = (0..<257).map { "b\($0) CDATA 'x'" }.joined(separator: " ")
    try Self.expectLimit(
      "<!DOCTYPE a [<!ATTLIST a \(many)>]><a/>", "more than 256 attributes in its DOCTYPE")
  }
}
