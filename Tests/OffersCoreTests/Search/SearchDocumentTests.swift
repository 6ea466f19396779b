import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("The words of a search index")
struct SearchDocumentTests {
  /// Characters that have a meaning in JSON, and others.
  private static let pieces = [
    "\"", "\\", ",", "[", "]", "\",\"", "\"],[\"", "\\\"", "a", " ", "é", "🍓", "\n", "\u{1}",
    "\u{7F}",
    "/", "\u{2028}", "\u{FFFF}", "ß",
  ]

  private static func words(
    _ json: String, where isWanted: (Int) -> Bool
  ) -> String {
    var words: [UInt8] = []
    var json = json
    json.withUTF8 { SearchDocument.append(UnsafeRawBufferPointer($0), where: isWanted, to: &words) }
    return String(decoding: words, as: UTF8.self)
  }

  /// The words of texts as an index has them.
  private static func expected(_ texts: [String]) -> [[String]] {
    texts.map { LetterTokenizer.words(of: $0).map(\.folded) }
  }

  private static func found(_ words: String) -> [[String]] {
    words.split(separator: "¶", omittingEmptySubsequences: false).map {
      $0.split(separator: " ").map(String.init)
    }
  }

  @Test("of a list are those of its texts, whatever characters these contain")
  func lists() {
    var random = SeededGenerator(number: 7)
    func text() -> String {
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Self.pieces.randomElement(using: &random) ?? ""
      }.joined()
    }
    for count in [1, 2, 3, 9, 40] {
      // An index begins its list of words without a gap.
      let texts = ["First"] + (0..<count).map { _ in text() }
      var json = JSONWriter()
      json.array { for text in texts { $0.value(text) } }
      #expect(JSONTexts.parse(json.text) == texts)
      #expect(Self.found(Self.words(json.text) { _ in true }) == Self.expected(texts), "\(texts)")
      let attributes = texts.map { OfferAttribute(label: text(), value: $0) }
      let pairs = OfferAttribute.json(attributes) ?? ""
      #expect(OfferAttribute.parse(pairs) == attributes)
      #expect(Self.found(Self.words(pairs) { $0 % 2 == 1 }) == Self.expected(texts), "\(texts)")
    }
  }

  @Test(
    "of a cut list are read to its end", arguments: ["[", "[\"a", "[\"a\\", "[\"a\\u00", "\"", ""])
  func cut(json: String) {
    #expect(Self.words(json) { _ in true }.hasPrefix("a") == json.contains("a"))
  }
}
