import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersFeeds

/// Documents made to be slow to read. Whoever may propose a feed chooses its document.
@Suite("The time to read and to guess at a document")
struct LinearTimeTests {
  /// A document that grows by a repeated part.
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let start: String
    let part: @Sendable (Int) -> String
    let end: String

    init(
      _ name: String, _ start: String, _ end: String, _ part: @escaping @Sendable (Int) -> String
    ) {
      (self.name, self.start, self.part, self.end) = (name, start, part, end)
    }

    var testDescription: String { name }

    func document(bytes: Int) -> [UInt8] {
      var text = start
      var number = 0
      while text.utf8.count < bytes {
        number += 1
        text += (number > 1 && !start.hasPrefix("<") && !start.isEmpty ? "," : "") + part(number)
      }
      return Array((text + end).utf8)
    }
  }

  private static let long = String(repeating: "Title_price_", count: 83)
  private static let item = #"{"id":"1","title":"Tea""#

  static let shapes = [
    Shape("long keys", "[\(item),", "},\(item)}]") { #""\#(long)\#($0)":1"# },
    Shape("long keys of lists", "{", "}") { #""\#(long)\#($0)":[{"id":1,"name":"Tea"}]"# },
    Shape("short keys", "[\(item),", "},\(item)}]") { #""k\#($0)":"v""# },
    Shape("other keys in each item", "[", "]") { #"{"id":\#($0),"a\#($0)":"v\#($0)"}"# },
    Shape("many items", "[", "]") { #"{"id":\#($0),"title":"Tea \#($0)","price":"$\#($0).00"}"# },
    Shape("items without an id", "[", "]") {
      #"{"name":"Tea","brand":"B\#($0 % 7)","size":"\#($0 % 5)","color":"C\#($0 % 3)","off":\#($0)}"#
    },
    Shape("many stable members", "[", "]") { number in
      let members = (1...40).map { #""brand_\#($0)":"x\#(number % $0)""# }.joined(separator: ",")
      return #"{"name":"Tea",\#(members)}"#
    },
    Shape("repeated values", "[", "]") { number in
      let members = (1...60).map { #""word\#($0)x":"the same""# }.joined(separator: ",")
      return #"{"id":\#(number),"name":"Tea",\#(members)}"#
    },
    Shape("prices", "[\(item),", "},\(item)}]") { #""x\#($0)":{"price":1,"currency":"EUR"}"# },
    Shape("sale prices", "[\(item),", "},\(item)}]") {
      #""sale_price_\#($0)":"1.00","sale_price_from":"2026-01-01""#
    },
    Shape("ids", "[", "]") { number in
      "{" + (1...30).map { #""a\#($0)_id":"\#(number / $0)""# }.joined(separator: ",") + "}"
    },
    Shape("equal keys", "[\(item),", "},\(item)}]") { _ in #""title":"Tea""# },
    Shape("keyed items", "{", "}") { #""\#($0)":{"name":"Tea","price":\#($0)}"# },
    Shape("keyed lists", "{", "}") { #""\#($0)":[{"name":"Tea"},{"price":\#($0)}]"# },
    Shape("empty lists", "[", "]") { _ in "[]" },
    Shape(
      "a list in lists", String(repeating: "[", count: 100), String(repeating: "]", count: 100)
    ) { #"{"id":\#($0),"name":"Tea"}"# },
    Shape("long keys around", #"{"\#(long)":{"\#(long)":{"\#(long)":{"#, "}}}}") {
      #""k\#($0)":{"id":1}"#
    },
    Shape("long keys around an item", #"[{"\#(long)":{"\#(long)":{"\#(long)":{"#, "}}}}]") {
      #""k\#($0)":1"#
    },
    Shape("tags without an end", "[", "]") { number in
      #"{"id":\#(number),"name":"\#(String(repeating: "<a", count: 400))"}"#
    },
    Shape("references without an end", "[", "]") { number in
      #"{"id":\#(number),"name":"\#(String(repeating: "&a", count: 400))"}"#
    },
    Shape("lines", "", "") { "{\"id\":\($0),\"name\":\"Tea\"}\n" },
    Shape("one long text", #"[{"id":1,"name":""#, #""}]"#) { "word \($0)" },
    Shape("XML elements", "<shop>", "</shop>") { "<item id='\($0)'><title>Tea</title></item>" },
    Shape("XML attributes", "<shop><item", "/><item id='1'/></shop>") { " a\($0)='Tea'" },
    Shape("XML names", "<shop><item>", "</item></shop>") { "<a\($0)>Tea</a\($0)>" },
    Shape("XML in XML", "<shop>", "") { _ in "<item>" },
    Shape("XML with texts between", "<shop><item>", "</item></shop>") { "<br/>Tea \($0)" },
    Shape("XML with a long name", "<shop>", "</shop>") { _ in "<\(long)>Tea</\(long)>" },
  ]

  private static let bytes = TestSize.isLong ? 1 << 20 : 96 << 10

  @Test("a guess takes at most twice the time for a document of twice the size", arguments: shapes)
  func guesses(shape: Shape) throws {
    try expectLinear(shape) { document in
      let guess = DefinitionGuess()
      try document.withUnsafeBytes { try guess.consume($0) }
      _ = try guess.finish()
    }
  }

  @Test("so does a guess at items that a person names wrongly", arguments: shapes)
  func guessesAtWrongItems(shape: Shape) throws {
    try expectLinear(shape) { document in
      let guess = DefinitionGuess(items: try FieldPath(parsing: "nothing.here"))
      try document.withUnsafeBytes { try guess.consume($0) }
      _ = try guess.finish()
    }
  }

  @Test("so does a reading by a definition, in pieces", arguments: shapes)
  func reads(shape: Shape) throws {
    for kind in ["ibotta", "rss"] {
      let definition = try FeedCatalog.definition(of: kind)
      try expectLinear(shape) { document in
        let error = try FeedReading(document, as: definition, pieceSizes: [1000]).error
        if let error { throw error }
      }
    }
    let any = try FeedConfiguration(
      yaml: "feeds: {any: {items: ., id: id, fields: {name: [title, name]}}}", name: "any"
    ).fetch("any")
    try expectLinear(shape) { document in
      let error = try FeedReading(document, as: any, pieceSizes: [1000]).error
      if let error { throw error }
    }
  }

  /// Texts that a comparison in Unicode would put in order, mark by mark.
  @Test("a long run of combining marks in a text or a key is read as fast as another text")
  func combiningMarks() throws {
    let marks = "a" + String(repeating: "\u{301}\u{316}", count: 300_000)
    let other = "a" + String(repeating: "\u{316}\u{301}", count: 300_000)
    let listed = try FeedConfiguration(
      yaml: """
        feeds: {any: {items: ., id: id, fields: {
          name: {from: name, limit: 2}, categories: "list.*.name"}}}
        """, name: "any"
    ).fetch("any")
    let begun = Self.threadSeconds()
    let lists = try FeedReading(
      #"[{"id":1,"\#(marks)":2,"name":"\#(marks)tea","list":{"\#(marks)":1}}]"#, as: listed)
    #expect(lists.ids == ["1"])
    let categories = try FeedReading(
      #"[{"id":1,"name":"Tea","list":["\#(marks)","\#(other)"]}]"#,
      as: .with([.name: ["name"], .categories: ["list"]]))
    #expect(categories.ids == ["1"])
    let missing = try FeedReading(#"[{"name":"Tea","\#(marks)":1}]"#)
    #expect(missing.events.count == 1)
    let elsewhere = try FeedReading(#"{"\#(marks)":{"offers":[]}}"#, as: .below("a", "offers"))
    #expect(elsewhere.error?.code == .unexpectedShape)
    #expect(Self.threadSeconds() - begun < 5)
  }

  @Test(
    "so does the reading of a definition",
    arguments: [
      Shape("feeds", "feeds:\n", "") { "  f\($0): {id: id, fields: {name: name}}\n" },
      Shape("attributes", "feeds:\n  a:\n    attributes:\n", "") { "      L\($0): k\($0)\n" },
      Shape("wrong keys", "feeds:\n  a:\n", "") { "    key\($0): 1\n" },
      Shape("alternatives", "feeds:\n  a:\n    id:\n", "") { "      - k\($0)\n" },
    ])
  func readsDefinition(shape: Shape) throws {
    // The parts of this text are lines.
    func text(_ bytes: Int) -> [UInt8] {
      Array(
        String(decoding: shape.document(bytes: bytes), as: UTF8.self).replacing("\n,", with: "\n")
          .utf8)
    }
    try expectLinear(text(Self.bytes / 8), text(Self.bytes / 4)) { document in
      _ = try FeedConfiguration(
        yaml: String(decoding: document, as: UTF8.self), name: "feeds.yaml")
    }
  }

  @Test(
    "so does the search of a text for a reward and an end",
    arguments: [
      "1 111 111 ", "$5 off ", "buy 1 get ", "up to an extra ", "10-", "２", "exp 1/2/26 ",
    ])
  func readsText(part: String) throws {
    let rewards = RewardParser(feedCurrency: "USD")
    func text(_ bytes: Int) -> [UInt8] {
      Array(String(repeating: part, count: bytes / part.utf8.count).utf8)
    }
    try expectLinear(text(3 << 10), text(6 << 10)) { text in
      let text = String(decoding: text, as: UTF8.self)
      _ = DealText.find(in: text, role: .reward, isTitle: true, rewards)
      _ = EndText.find(in: text, order: nil, published: 20_000, isTitle: false)
    }
  }

  @Test("a cancelled guess ends with an error", arguments: shapes)
  func hearsOfCancellation(shape: Shape) async throws {
    let document = shape.document(bytes: Self.bytes)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let guess = DefinitionGuess()
      try document.withUnsafeBytes { try guess.consume($0) }
      _ = try guess.finish()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private func expectLinear(
    _ shape: Shape, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    try expectLinear(
      shape.document(bytes: Self.bytes), shape.document(bytes: 2 * Self.bytes),
      sourceLocation: sourceLocation, body)
  }

  /// Expects that the time of this thread for the second input is at most about twice that for the first
  /// one. Four times would be quadratic. Other work delays a thread, but does not use its time.
  private func expectLinear(
    _ one: [UInt8], _ two: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    func seconds(_ document: [UInt8]) throws -> Double {
      let begun = Self.threadSeconds()
      do {
        try body(document)
      } catch is OffersError {
        // A refusal is an answer, too.
      }
      return Self.threadSeconds() - begun
    }
    var (first, second) = (0.0, Double.infinity)
    for _ in 0..<3 where second > 3 * first + 0.02 {
      first = max(first, try seconds(one))
      second = min(second, try seconds(two))
    }
    #expect(
      second <= 3 * first + 0.02, "\(first) s, then \(second) s", sourceLocation: sourceLocation)
  }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
