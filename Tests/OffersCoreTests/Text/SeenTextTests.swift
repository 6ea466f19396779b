import OffersCore
import Testing

@Suite("Unseen characters")
struct SeenTextTests {
  @Test("are left out, and ranges are those of the whole text")
  func leavesOut() throws {
    let whole = "\u{FEFF}é Wasch\u{AD}mittel\u{200B} gut"
    let seen = try #require(SeenText(of: whole))
    #expect(seen.text == "é Waschmittel gut")
    let bytes = Array(whole.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    #expect(text(seen.whole(0..<2)) == "é")
    #expect(text(seen.whole(3..<14)) == "Wasch\u{AD}mittel")
    #expect(text(seen.whole(15..<18)) == "gut")
    #expect(SeenText(of: "Waschmittel") == nil)
  }

  @Test("are not part of words, whichever they are", arguments: UnseenCharacters.all)
  func areNoLetters(scalar: Unicode.Scalar) {
    let words = LetterTokenizer().words(of: "Wasch\(scalar)mittel, fein\(scalar)")
    #expect(words.map(\.folded) == ["waschmittel", "fein"])
  }
}
