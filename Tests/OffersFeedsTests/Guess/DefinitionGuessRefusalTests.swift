import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Documents without a proposal, and partial documents")
struct DefinitionGuessRefusalTests {
  private static func error(_ document: String) throws -> OffersError {
    try #require(throws: OffersError.self) { try GuessReading(document) }
  }

  @Test("two lists with about the same score are both named, with a hint how to choose")
  func refusesTies() throws {
    let document = """
      {"red":[{"a":1,"b":"x y","c":2},{"a":2,"b":"y z","c":2}],
       "blue":[{"d":1,"e":"x y","f":2},{"d":2,"e":"y z","f":2}]}
      """
    let error = try Self.error(document)
    #expect(error.code == .unexpectedShape)
    #expect(
      error.message
        == "No list of offers was found; seen: red (2 objects), blue (2 objects).")
    #expect(
      error.hint?.text == "Say where it is."
        && error.hint?.command == "offers feeds add NAME SOURCE --items PATH")
    let chosen = try GuessReading(document, items: FieldPath(parsing: "blue"))
    #expect(chosen.definition.items.map(\.descriptionFromRoot) == ["blue"])
    #expect(chosen.all(.name) == ["x y", "y z"])
    let missing = try #require(throws: OffersError.self) {
      try GuessReading(document, items: FieldPath(parsing: "green"))
    }
    #expect(missing.code == .unexpectedShape)
    #expect(missing.message.contains("at green"))
  }

  @Test(
    "a document without a list of offers has an unexpected shape",
    arguments: [
      "{}", "[]", "7", #""offers""#, "null", "[1,2,3]", "[[],[]]", "[{}]", #"{"results":[]}"#,
      #"{"errors":["no key","no luck"]}"#, #"{"status_message":"Invalid key","success":false}"#,
      #"[{"price":1},{"price":2}]"#, "<a/>", "<a><b>1</b></a>", "<a x='1'><b><c>1</c></b></a>",
    ])
  func refusesOtherShapes(document: String) throws {
    let error = try Self.error(document)
    #expect(error.code == .unexpectedShape)
    #expect(error.hint?.command == "offers feeds add NAME SOURCE --items PATH")
    #expect(error.message.hasPrefix("No list of offers was found; seen: "))
  }

  @Test(
    "an invalid document is refused with the feed reader's error",
    arguments: [
      "", "  \n", "<html><body>", "<!DOCTYPE html><p>", "Nothing, here\n", #"[{"id":1,"name":"A"}"#,
      #"[{"id":1,"name":"A"}] x"#, "<offers><offer><title>A</title></offer><offer>", "<",
    ])
  func refusesBrokenDocuments(document: String) throws {
    #expect(try Self.error(document).code == .malformedFeed)
  }

  @Test(
    "an invalid name of the feed is refused, whatever the document",
    arguments: [#"[{"id":1,"name":"Tea"},{"id":2,"name":"Milk"}]"#, "<rss><channel/></rss>", ""])
  func refusesNames(document: String) throws {
    for name in ["", "My Feed", "-a"] {
      let error = try #require(throws: OffersError.self) { try GuessReading(document, name: name) }
      #expect(error.code == .invalidRequest)
      #expect(error.message == "“\(name)” is not a valid feed name.")
    }
  }

  @Test("a document that is cut off anywhere is refused without a crash")
  func survivesCuts() throws {
    let documents = [
      #"{"title":"T","offers":[{"id":1,"name":"Aé\n","x":{"y":[1,{"z":null}]}},{"id":2,"name":"B"}]}"#,
      "<?xml version='1.0'?><o t='x'><p><!--c--><n a='1'>A&amp;</n></p><p><n>B</n></p></o>",
    ]
    for document in documents {
      let bytes = Array(document.utf8)
      for end in 0..<bytes.count {
        let error = #expect(throws: OffersError.self) {
          try GuessReading(Array(bytes[..<end]))
        }
        #expect(error?.code == .malformedFeed || error?.code == .unexpectedShape)
      }
      #expect(try GuessReading(bytes).offers.count == 2)
    }
  }

  @Test(
    "the start of a large document suffices, wherever it is cut off", arguments: [true, false])
  func looksAtTheStart(isXML: Bool) throws {
    let filler = String(repeating: "word ", count: 200)
    let items = (1...6000).map { index in
      isXML
        ? "<offer><id>\(index)</id><title>Offer \(index)</title><text>\(filler)</text></offer>"
        : #"{"id":\#(index),"title":"Offer \#(index)","text":"\#(filler)"}"#
    }
    let document =
      isXML
      ? "<offers>\(items.joined())</offers>" : #"{"offers":[\#(items.joined(separator: ","))]}"#
    #expect(document.utf8.count > 5 << 20)
    let guess = try GuessReading(document)
    #expect(guess.offers.count == 6000)
    #expect((3000..<6000).contains(guess.proposal.itemCount))
    #expect(guess.proposal.notes.contains("Only the first 4 MiB of the document were looked at."))
    #expect(guess.all(.description).allSatisfy { $0?.hasPrefix("word") == true })
  }

  @Test("no bytes beyond 4 MiB of text are requested")
  func tellsWhenItHasEnough() throws {
    let guess = DefinitionGuess()
    let mebibyte = [UInt8](repeating: 0x20, count: 1 << 20)
    for _ in 0..<4 { try mebibyte.withUnsafeBytes { try guess.consume($0) } }
    #expect(!guess.hasEnough)
    try mebibyte.withUnsafeBytes { try guess.consume($0) }
    #expect(guess.hasEnough)
  }

  @Test("deep and wide documents are bounded")
  func hasBounds() throws {
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    #expect(try Self.error(deep).code == .malformedFeed)
    let wide = (1...3000).map { #""m\#($0)":"v \#($0)""# }.joined(separator: ",")
    let guess = try GuessReading(#"[{"id":1,"title":"A",\#(wide)},{"id":2,"title":"B"}]"#)
    #expect(guess.ids == ["1", "2"])
    #expect(guess.labels.count == 12)
  }

  @Test("a document in an older encoding is sampled, and the definition reads its bytes")
  func readsEncodings() throws {
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?><deals><deal><name>Caf"
    let bytes =
      Array(text.utf8) + [0xE9] + Array("</name></deal><deal><name>Tea</name></deal></deals>".utf8)
    #expect(try GuessReading(bytes).all(.name) == ["Café", "Tea"])
  }

  @Test("a document that is one page of several is reported with a note")
  func tellsPages() throws {
    let guess = try GuessReading(
      #"{"page":1,"total_pages":8,"results":[{"id":1,"title":"A"},{"id":2,"title":"B"}]}"#)
    #expect(guess.proposal.pages.note?.contains("total_pages is 8") == true)
    let last = try GuessReading(
      #"{"page":1,"total_pages":1,"results":[{"id":1,"title":"A"},{"id":2,"title":"B"}]}"#)
    #expect(last.proposal.pages.note == nil && last.proposal.notes == [])
  }
}
