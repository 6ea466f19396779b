import Foundation
import OffersCore
import Testing

@Suite("References of offers")
struct OfferRefTests {
  /// Texts, and the feeds and ids that they stand for.
  private static let texts: [(text: String, feed: String, offerID: String)] = [
    ("ibotta:110579", "ibotta", "110579"), ("a:b:c", "a", "b:c"), ("a::", "a", ":"),
    ("a: ", "a", " "), ("tea-2:\u{301}x", "tea-2", "\u{301}x"), ("a:e\u{301}", "a", "e\u{301}"),
    ("a:\u{E9}", "a", "\u{E9}"), ("a:🇩🇪\u{200D}", "a", "🇩🇪\u{200D}"), ("a:\r\n", "a", "\r\n"),
    ("\(String(repeating: "f", count: 63)):1", String(repeating: "f", count: 63), "1"),
  ]

  @Test("a text is split at its first colon, and its reference has the same text")
  func parses() throws {
    for (text, feed, offerID) in Self.texts {
      let ref = try #require(OfferRef(text), "\(text)")
      #expect(ref == OfferRef(feed: feed, offerID: offerID))
      #expect(ref.offerID.unicodeScalars.elementsEqual(offerID.unicodeScalars))
      #expect(ref.description.utf8.elementsEqual(text.utf8))
      #expect(ref.id == ref)
    }
  }

  @Test(
    "a text without a feed's name, a colon and an id is no reference",
    arguments: [
      "", ":", "a", "a:", ":1", "110579", "A:1", "a b:1", " a:1", "-a:1", "a-:1", "é:1",
      "a\u{301}:1", "a_b:1", "\(String(repeating: "f", count: 64)):1",
    ])
  func refuses(text: String) {
    #expect(OfferRef(text) == nil)
  }

  @Test("references are equal only if their bytes are, and are ordered by their bytes")
  func comparesBytes() {
    let composed = OfferRef(feed: "a", offerID: "\u{E9}")
    let combining = OfferRef(feed: "a", offerID: "e\u{301}")
    #expect(composed.offerID == combining.offerID)
    #expect(composed != combining)
    #expect(combining < composed && !(composed < combining))
    #expect(Set([composed, combining, composed]).count == 2)
    let sorted = ["b:1", "a:2", "a:10", "a:\u{E9}", "a:z", "a:e\u{301}"].compactMap { OfferRef($0) }
      .sorted().map(\.description)
    #expect(
      sorted.map { Array($0.utf8) }
        == ["a:10", "a:2", "a:e\u{301}", "a:z", "a:\u{E9}", "b:1"].map { Array($0.utf8) })
  }

  @Test("a reference is coded as one string")
  func codes() throws {
    for (text, _, _) in Self.texts {
      let ref = try #require(OfferRef(text))
      let data = try JSONEncoder().encode([ref])
      let texts = try JSONDecoder().decode([String].self, from: data)
      #expect(texts.first?.utf8.elementsEqual(text.utf8) == true)
      #expect(try JSONDecoder().decode([OfferRef].self, from: data) == [ref])
    }
  }

  @Test(
    "decoding refuses anything else",
    arguments: [#"["a"]"#, #"["a:"]"#, #"["A:1"]"#, "[7]", "[null]", #"[{"feed":"a","id":"1"}]"#])
  func refusesCoded(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([OfferRef].self, from: Data(json.utf8))
    }
  }

  @Test("a reference that its text would not give back is not encoded")
  func refusesToEncode() {
    for ref in [
      OfferRef(feed: "a:b", offerID: "1"), OfferRef(feed: "", offerID: "1"),
      OfferRef(feed: "a", offerID: ""), OfferRef(feed: "A", offerID: "1"),
    ] {
      #expect(throws: EncodingError.self) { try JSONEncoder().encode([ref]) }
    }
  }
}
